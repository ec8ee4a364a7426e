// KM0023: a thread is C++ that is there.
use komorebi as km;

#[km::program(
    kernels = "kernels",
    threads(
        first(cluster = 1),
        second(cluster = 2, sources = ["threads/scna.cpp", "threads/scan.cpp", "threads/scan.cpp"]),
        third(cluster = 3, sources = scan),
    ),
)]
pub trait Stages {
    #[handler(1)]
    fn advance(step: u32);
}

fn main() {
    let _ = Stages::program();
}
