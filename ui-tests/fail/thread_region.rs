// KM0022: regions are whole lines of 64 bytes, fit their bank together, and have a name and a thread.
use komorebi as km;

#[km::program(
    kernels = "kernels",
    threads(
        index(
            cluster = 1,
            sources = ["threads/scan.cpp"],
            regions(words = 1000, postings = 0, cache = 64, namespace = 64),
        ),
        rank(cluster = 2, sources = ["threads/scan.cpp"], regions(scores = 2_147_483_648)),
        merge(cluster = 3, sources = ["threads/scan.cpp"], regions(heap = 2_147_483_648)),
    ),
    regions(cache = 4_096),
)]
pub trait Search {
    #[handler(1)]
    fn look_up(#[input] terms: km::Address, count: u32);
}

#[km::program(kernels = "kernels", regions(lamps = 128))]
pub trait Lights {
    #[handler(1)]
    fn shade(#[output] picture: km::Address);
}

fn main() {
    let _ = (Search::program(), Lights::program());
}
