// A program that is not in scope, and one that is not named.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (4, 4))]
pub trait Blend {
    #[handler(1)]
    fn mix(amount: u32);
}

km::graph! {
    <Blned>
    pub graph Fade(req = 1) {
        mix[..](3);
    }
}

km::graph! {
    pub graph Cut(req = 2) {
        mix[..](3);
    }
}

fn main() {
    let _ = Cut;
}
