//! A stream with a loop, branches, moving groups, events and a typed end, held against the builder.
#![deny(missing_docs, warnings)]
use km::macro_support::abi::engine::{BindingWords, DeclaredUpload, EndWords, UploadFor, UploadKind};
use komorebi as km;

/// Jobs over a field.
#[km::program(kernels = "kernels", grid = (12, 10))]
pub trait Jobs {
    /// Serves a job.
    #[handler(1)]
    fn serve(job: u32) -> u32;
    /// Scales a tensor.
    #[handler(2)]
    fn scale(#[inout] field: km::Address, by: f32) -> f32;
}

km::stream! {
    <Jobs>
    /// Serves jobs until one answers 0 or all are served, and scales what is left.
    pub stream Serve(deadline = 1.5 s, req = 3) {
        bind
            /// Where the field lies.
            field: km::Address,
            jobs: u32;
        const WIDTH: u32 = 8;
        reg job: u32 = 0, first: u32 = 0, answer: u32, length: f32;
        group last = 112..120;

        while job < jobs {
            let asked = submit serve[first..first + WIDTH](job * 2 + 1) -> answer;
            wait(asked);
            if answer == 0 { break; }
            if answer & 1 != 0 {
                event(answer);
            } else if answer > 100 {
                halt(-1.0);
            }
            first = if first + 2 * WIDTH > 120 { 0 } else { first + WIDTH };
            job += 1;
        }
        enqueue serve(job) queued(4);
        wait(all);
        let scaled = submit scale[last](field, 0.5) -> length exclusive;
        wait(scaled);
        halt(length.max(0.0) * job as f32);
    }
}

const fn of_jobs<D: UploadFor<Jobs>>(_: D) {}

fn main() {
    of_jobs(Serve);
    assert_eq!((Serve::KIND, Serve::REQ, Serve::KEEP, Serve::NAME), (UploadKind::Stream, 3, false, "Serve"));
    let bindings: ServeBindings = Serve::bind(km::Address(64), 15);
    assert_eq!(bindings.words()[..ServeBindings::COUNT], [64, 15]);
    let end: f32 = <Serve as DeclaredUpload>::End::of_words(1.5_f32.to_bits(), 0);
    assert_eq!(end, 1.5);
    let image = km::macro_support::abi::engine::Image::check(Serve::BYTES, UploadKind::Stream, 120, Some(&[64, 15])).unwrap();
    let listing = km::macro_support::abi::stream::disassembly(&image, None);
    assert!(listing.contains("submit_at") && listing.contains("enqueue") && listing.contains("halt"), "{listing}");
}
