// A prefetch is waited for under a name it never had, and before it was submitted.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (12, 10))]
pub trait Prefetch {
    #[handler(1)]
    fn fetch(page: u32);
    #[handler(2)]
    fn work(page: u32) -> u32;
}

km::stream! {
    <Prefetch>
    pub stream Two(req = 35) {
        bind page: u32;
        reg sum: u32;
        wait(fetched);
        let fetched = submit fetch[0..8](page);
        let worked = submit work[8..16](page) -> sum;
        event(sum);
        wait(wroked);
        halt(sum);
    }
}

fn main() {}
