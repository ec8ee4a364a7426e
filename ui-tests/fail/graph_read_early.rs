// A power iteration reads the norm beside the command that computes it, and a shift that nobody writes.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (4, 4))]
pub trait Power {
    #[handler(1)]
    fn multiply(#[inout] vector: km::Address);
    #[handler(2)]
    fn norm(#[input] vector: km::Address) -> f32;
    #[handler(3)]
    fn scale(#[inout] vector: km::Address, by: f32);
}

km::graph! {
    <Power>
    pub graph Iterate(req = 12) {
        bind vector: km::Address;
        reg length: f32, shift: f32, rounds: u32;
        let product = multiply[..](vector);
        norm[..](vector) -> length after product;
        scale[0..8](vector, length) after product;
        cpu after product { rounds += shift as u32; }
        end(rounds);
    }
}

fn main() {}
