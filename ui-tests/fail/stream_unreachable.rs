// A clean-up that stands behind the end.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (12, 10))]
pub trait Batch {
    #[handler(1)]
    fn run(job: u32);
    #[handler(2)]
    fn clean();
}

km::stream! {
    <Batch>
    pub stream All(req = 36) {
        reg job: u32 = 0;
        while job < 15 {
            submit run[0..8](job);
            job += 1;
        }
        halt(job);
        submit clean[..]();
    }
}

fn main() {}
