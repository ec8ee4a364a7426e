// KM0024: a thread takes a line of argument words, and a deadline of 1 us to 71 minutes.
use komorebi as km;

#[km::program(
    kernels = "kernels",
    threads(
        sample(cluster = 1, sources = ["threads/scan.cpp"], words = 24, deadline = 2 min),
        smooth(cluster = 2, sources = ["threads/scan.cpp"], deadline = 0 ms),
        store(cluster = 3, sources = ["threads/scan.cpp"], deadline = 90 min, prefetch = eager, deadlne = 5 ms),
    ),
)]
pub trait Sensor {
    #[handler(1)]
    fn read(#[output] samples: km::Address, count: u32);
}

fn main() {
    let _ = Sensor::program();
}
