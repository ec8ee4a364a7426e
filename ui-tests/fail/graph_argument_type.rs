// A learning rate is a float, a step a number below 2^32, a table an address: the wire would carry other bits.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (4, 4))]
pub trait Train {
    #[handler(1)]
    fn descend(#[inout] weights: km::Address, rate: f32, step: u32);
    #[handler(2)]
    fn seed(state: u64);
}

km::graph! {
    <Train>
    pub graph Epoch(req = 3) {
        bind weights: km::Address, rate: u32, entropy: u32;
        let a = descend[..](weights, rate, 1);
        let b = descend[..](weights, 1, 5_000_000_000) after a;
        let c = descend[..](rate, 0.5, -1) after b;
        seed[..](entropy) after c;
    }
}

fn main() {}
