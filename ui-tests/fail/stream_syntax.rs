// Slips of somebody who writes Rust: `let` for a register, a call without `submit`, division, a `for` loop.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (12, 10))]
pub trait Map {
    #[handler(1)]
    fn map(job: u32) -> u32;
}

km::stream! {
    <Map>
    pub stream Jobs(req = 37, keep) {
        let job = 0;
        reg half: u32 = 15 / 2, sum: u32 = 1;
        for i in 0..half { map[0..8](i); }
        map[0..8](half);
        wait_all();
        sum = half / 3;
        halt(sum)
    }
}

fn main() {}
