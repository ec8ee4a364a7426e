// A sum that is set while its command runs, a register that two commands answer into, and two passes over one tensor.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (12, 10))]
pub trait Tide {
    #[handler(1)]
    fn measure(#[input] sea: km::Address) -> u32;
    #[handler(2)]
    fn stir(#[inout] sea: km::Address);
}

km::stream! {
    <Tide>
    pub stream Day(req = 38) {
        bind sea: km::Address, hours: u32;
        reg level: u32, high: u32;
        submit measure[0..8](sea) -> level;
        level = 0;
        let morning = submit measure[8..16](sea) -> high;
        let evening = submit measure[16..24](sea) -> high;
        wait(all);
        while hours > 0 {
            submit stir[0..60](sea);
            hours -= 1;
        }
        submit measure[59..61](sea) -> level;
        halt(level + high);
    }
}

fn main() {}
