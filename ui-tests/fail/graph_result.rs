// A histogram is filled, and its handler is asked for a count that it never declared.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (4, 4))]
pub trait Histogram {
    #[handler(1)]
    fn fill(#[inout] bins: km::Address);
}

km::graph! {
    <Histogram>
    pub graph Count(req = 4) {
        bind bins: km::Address;
        reg count: u32;
        fill[..](bins) -> count;
        end(count);
    }
}

fn main() {}
