// Rows of a 12 x 10 grid: one past its end, two that go down, two without cores.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (12, 10))]
pub trait Rows {
    #[handler(1)]
    fn shift(row: u32);
}

km::graph! {
    <Rows>
    pub graph Roll(req = 5) {
        group last = 120..132;
        let top = shift[0..12](0);
        shift[last](10) after top;
        shift[24..12](1) after top;
        shift[108..0](2) after top;
        shift[36..36](3) after top;
        shift[120..120](4) after top;
        shift(0) queued(121) after top;
    }
}

fn main() {}
