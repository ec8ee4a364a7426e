// Two passes over a matrix under one name, a binding and a register under another's, a group that is declared twice.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (4, 4))]
pub trait Matrix {
    #[handler(1)]
    fn pivot(row: u32) -> u32;
}

km::graph! {
    <Matrix>
    pub graph Eliminate(req = 8) {
        bind row: u32, column: u32, row: u32;
        reg column: u32;
        group upper = 0..8;
        group upper = 8..16;
        let pass = pivot[upper](row);
        let pass = pivot[upper](1);
    }
}

fn main() {
    // Calls bring no errors of their own.
    let _ = Eliminate::bind(0, 1, 2);
}
