// Uses of a graph that rustc refuses at the user's own token: another program's run, a binding of another type.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (4, 4))]
pub trait Blend {
    #[handler(1)]
    fn mix(#[inout] image: km::Address, amount: f32);
}

#[km::program(kernels = "kernels", grid = (4, 4))]
pub trait Other {
    #[handler(1)]
    fn erase(#[inout] image: km::Address);
}

struct Address;

km::graph! {
    <Blend>
    pub graph Fade(req = 1) {
        bind image: km::Address, amount: f32, mask: Address;
        mix[..](image, amount);
    }
}

fn upload(run: &km::Run<Other>) {
    let _ = run.upload(Fade);
    let _ = Fade::bind(km::Address(0), 1_u32, km::Address(0));
}

fn main() {}
