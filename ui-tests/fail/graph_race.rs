// Two transforms of one tensor on shared cores, without order; a third on other cores is fine.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (12, 10))]
pub trait Wave {
    #[handler(1)]
    fn forward(#[inout] field: km::Address);
    #[handler(2)]
    fn absorb(#[inout] field: km::Address);
    #[handler(3)]
    fn watch(#[input] field: km::Address);
}

km::graph! {
    <Wave>
    pub graph Propagate(req = 14) {
        bind field: km::Address;
        let inner = forward[12..108](field);
        let edges = absorb[0..24](field);
        watch[110..112](field);
    }
}

fn main() {}
