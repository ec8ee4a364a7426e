// A loop without end is written as no rounds at all.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (4, 4))]
pub trait Poll {
    #[handler(1)]
    fn look() -> u32;
}

km::graph! {
    <Poll>
    pub graph Wait(max_runs = 0, req = 20) {
        reg seen: u32;
        let asked = look[..]() -> seen;
        cpu after asked { again = seen == 0; }
        end(seen);
    }
}

fn main() {}
