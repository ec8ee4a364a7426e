// A type that only has the name of one of ours is rustc's to refuse, at the argument.
use komorebi as km;

pub struct Address(pub String);

#[km::program(kernels = "kernels")]
pub trait Mail {
    #[handler(1)]
    fn send(#[input] to: Address);
}

fn main() {
    let _ = Mail::send(0);
}
