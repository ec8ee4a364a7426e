/// Joins rows by a table that a thread keeps.
#[km::program(
    kernels = "kernels",
    header = "kernels/tiles.h",
    threads(
        scan(
            cluster = 1,
            sources = ["threads/scan.cpp", "threads/sum.cpp"],
            regions(table = kTileBytes, marks = 64),
            words = 8,
            deadline = 50 ms,
            prefetch = documented,
        ),
        sum(deadline = 1.5s, cluster = 3, sources = "threads/sum.cpp"),
    ),
    regions(shared = 4_096),
)]
pub trait Join {
    #[handler(1)]
    fn probe(#[input] rows: Address);
}
