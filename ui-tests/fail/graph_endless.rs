// A game of life that never ends: `again` is 1 after every generation, and nothing counts them.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (4, 4))]
pub trait Life {
    #[handler(1)]
    fn generation(#[inout] cells: km::Address);
}

km::graph! {
    <Life>
    pub graph Evolve(deadline = 10 s, req = 22) {
        bind cells: km::Address;
        let next = generation[..](cells);
        cpu after next { again = 1; }
    }
}

fn main() {}
