// KM0021: the X280's cluster 0 is the dispatcher's, a card has four clusters, and each runs one thread.
use komorebi as km;

#[km::program(
    kernels = "kernels",
    threads(
        parse(cluster = 0, sources = ["threads/scan.cpp"]),
        sort(cluster = 4, sources = ["threads/scan.cpp"]),
        join(cluster = 2, sources = ["threads/scan.cpp"]),
        write(cluster = 2, sources = ["threads/scan.cpp"]),
    ),
)]
pub trait Query {
    #[handler(1)]
    fn filter(#[input] rows: km::Address, limit: u32);
}

#[km::program(kernels = "kernels", threads(log(sources = ["threads/scan.cpp"])))]
pub trait Journal {
    #[handler(1)]
    fn append(entry: u32);
}

fn main() {
    let _ = (Query::program(), Journal::program());
}
