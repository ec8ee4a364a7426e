// The program has a mistake; its graph and stream bring no second message.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (4, 4))]
pub trait Blend {
    #[handler(1)]
    fn mix(#[inout] image: km::Address, amount: usize) -> u32;
}

km::graph! {
    <Blend>
    pub graph Fade(req = 1) {
        bind image: km::Address;
        reg left: u32;
        let mixed = mix[0..99](image, 0.5) -> left;
        cpu after mixed { again = left > 0; }
        end(left);
    }
}

km::stream! {
    <Blend>
    pub stream Cut(req = 2) {
        bind image: km::Address;
        submit mxi[0..99](image);
        halt(0);
    }
}

fn main() {
    let _ = (Fade::bind(km::Address(0)), Cut::bind(km::Address(0)));
}
