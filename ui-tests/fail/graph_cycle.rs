// Red and black points of a relaxation each wait for the other; what comes behind them never runs.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (4, 4))]
pub trait Relax {
    #[handler(1)]
    fn red(#[inout] field: km::Address);
    #[handler(2)]
    fn black(#[inout] field: km::Address);
    #[handler(3)]
    fn norm(#[input] field: km::Address) -> u32;
}

km::graph! {
    <Relax>
    pub graph GaussSeidel(req = 9) {
        bind field: km::Address;
        reg error: u32;
        let reds = red[..](field) after blacks;
        let blacks = black[..](field) after reds;
        let measure = norm[..](field) -> error after blacks;
        end(error);
    }
}

fn main() {}
