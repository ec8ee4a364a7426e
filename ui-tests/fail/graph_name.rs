// Names of values: a slip, one that nobody declared, and a Rust constant, whose value a macro cannot see.
use komorebi as km;

const THRESHOLD: u32 = 40;

#[km::program(kernels = "kernels", grid = (4, 4))]
pub trait Detect {
    #[handler(1)]
    fn scan(#[input] image: km::Address, threshold: u32) -> u32;
}

km::graph! {
    <Detect>
    pub graph Search(req = 7) {
        bind image: km::Address;
        reg hits: u32;
        let found = scan[..](imgae, THRESHOLD) -> hits;
        cpu after found {
            hits += bonus;
            total = hits;
        }
        end(hits);
    }
}

fn main() {}
