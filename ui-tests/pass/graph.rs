//! The graph of the documents: its bytes, bindings and end, nothing undocumented.
#![deny(missing_docs, warnings)]
use komorebi as km;
use km::macro_support::abi::engine::{BindingWords, DeclaredUpload, EndWords, UploadFor, UploadKind};

/// A relaxation step over a field of tiles.
#[km::program(kernels = "kernels", header = "kernels/heat.h", grid = (12, 10), depth = 8)]
pub trait Heat {
    fn step(#[inout] state: km::Address, iteration: u32);
    fn left(#[inout] state: km::Address);
    fn right(#[inout] state: km::Address);
    /// The residual of the whole field.
    fn norm(#[input] state: km::Address, cores: u32) -> u32;
}

km::graph! {
    <Heat>
    /// Relaxes until the residual is under `limit`.
    pub graph Converge(deadline = 200 ms, max_runs = 50, req = 6, keep) {
        bind state: km::Address, iteration: u32, limit: u32;
        reg error: u32;

        let advance = step[0..60](state, iteration);
        let l = left[0..30](state) after advance;
        let r = right[30..60](state) after advance;
        let measure = norm[0..60](state, 60) -> error after l, r;
        cpu after measure {
            iteration += 1;
            again = error > limit;
        }
        end(iteration, error);
    }
}

const fn of_heat<D: UploadFor<Heat>>(_: D) {}

fn main() {
    of_heat(Converge);
    assert_eq!((Converge::KIND, Converge::REQ, Converge::KEEP), (UploadKind::Graph, 6, true));
    assert_eq!((Converge::NAME, Converge::BINDINGS), ("Converge", &["state", "iteration", "limit"][..]));
    let bindings: ConvergeBindings = Converge::bind(0x4000, 3, 1_000);
    assert_eq!(bindings.state, km::Address(0x4000));
    assert_eq!(bindings.words()[..ConvergeBindings::COUNT], [0x4000, 3, 1_000]);
    let end = ConvergeEnd::of_words(0xFF00_0007, 12);
    assert_eq!((end.iteration, end.error), (7, 12));

    use km::macro_support::abi::{engine::Arithmetic, engine::Facts, graph::Graph};
    let mut graph = Graph::new().deadline_us(200_000).max_runs(50).req(6).keep();
    let [state, iteration, limit] = graph.bindings(["state", "iteration", "limit"]);
    let error = graph.register();
    let step = graph.command("step", 0..60, [state.into(), iteration.into()]).id();
    let left = graph.command("left", 0..30, [state.into()]).after([step]).id();
    let right = graph.command("right", 30..60, [state.into()]).after([step]).id();
    let norm = graph.command("norm", 0..60, [state.into(), 60.into()]).after([left, right]).result(error).id();
    let mut cpu = graph.cpu([norm]);
    let again = cpu.again();
    cpu.add(iteration, iteration, 1).gtu(again, error, limit);
    graph.end(iteration, error);
    let built = graph.encode(&Facts::new(Heat::program().model())).unwrap();
    assert_eq!(Converge::BYTES, built.bytes);
}
