// A graph that sorts: two handlers it names are not the program's, one by a slip, one of another program.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (8, 8))]
pub trait Sort {
    #[handler(1)]
    fn split(#[inout] keys: km::Address, pivot: u32);
    #[handler(2)]
    fn merge(#[inout] keys: km::Address);
}

km::graph! {
    <Sort>
    pub graph Quick(req = 1) {
        bind keys: km::Address;
        let halves = splti[..](keys, 128);
        let whole = merge[..](keys) after halves;
        transpose[..](keys) after whole;
    }
}

fn main() {
    let _ = Quick::bind(km::Address(0));
}
