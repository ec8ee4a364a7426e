//! The program of the documents: typed calls, the submit trait, nothing undocumented.
#![deny(missing_docs, warnings)]
use komorebi as km;

/// A relaxation step over a field of tiles.
#[km::program(
    kernels = "kernels",
    header = "kernels/heat.h",
    grid = (12, 10),
    depth = 8,
    buffers(
        input(index = kBufferInput, format = bfloat16, page_bytes = 2048, pages = 4),
        output(index = 16, format = bfloat16, page_bytes = 2048, pages = 4),
    ),
    compute(math_fidelity = HiFi4, fp32_dest_acc_en),
    opt(reader = Os, writer = Os),
    defines(KM_TILES = 4),
)]
pub trait Heat {
    fn step(#[inout] state: km::Address, iteration: u32);
    fn left(#[inout] state: km::Address);
    fn right(#[inout] state: km::Address);
    /// The residual of the whole field.
    fn norm(#[input] state: km::Address, cores: u32) -> u32;
}

/// Submits.
///
/// # Errors
/// Those of submitting.
pub fn submits(run: &km::Run<Heat>, state: &km::Tensor) -> km::Result<km::Handle<u32>> {
    let _: km::Handle<()> = run.submit(Heat::step(state, 3).on(0..60))?;
    let _: km::Handle<()> = run.step(0..60, state, 3)?;
    run.norm(0..60, state, 60)
}

fn main() {
    let model = Heat::program().model().clone();
    assert_eq!(model.handlers.iter().map(|handler| handler.number).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert_eq!((model.grid, model.depth), (Some((12, 10)), 8));
    assert_eq!(Heat::norm(km::Address(64), 60).words(), [64, 60]);
}
