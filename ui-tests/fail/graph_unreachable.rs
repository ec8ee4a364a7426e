// Three stages of a solver in a circle, and two that wait behind it for ever.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (4, 4))]
pub trait Solve {
    #[handler(1)]
    fn assemble();
    #[handler(2)]
    fn factor();
    #[handler(3)]
    fn refine();
    #[handler(4)]
    fn report() -> u32;
}

km::graph! {
    <Solve>
    pub graph Newton(req = 10) {
        reg residual: u32;
        let jacobian = assemble() after refined;
        let lu = factor() after jacobian;
        let refined = refine() after lu;
        let told = report() -> residual after refined;
        cpu after told { residual += 1; }
        end(residual);
    }
}

fn main() {}
