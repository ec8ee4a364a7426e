// KM0005: ten words a command; a u64 takes two.
use komorebi as km;

#[km::program(kernels = "kernels")]
pub trait Particles {
    #[handler(1)]
    fn push(a: u64, b: u64, c: u64, d: u64, count: u32, seed: u64);
}

fn main() {
    let _ = Particles::push(1, 2, 3, 4, 5, 6);
}
