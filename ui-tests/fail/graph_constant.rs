// A budget is declared as a constant, and spent.
use komorebi as km;

#[km::program(kernels = "kernels", header = "kernels/heat.h", grid = (12, 10))]
pub trait Heat {
    fn step(#[inout] state: km::Address, iteration: u32);
    fn left(#[inout] state: km::Address);
    fn right(#[inout] state: km::Address);
    fn norm(#[input] state: km::Address, cores: u32) -> u32;
}

km::graph! {
    <Heat>
    pub graph Spend(req = 26) {
        bind state: km::Address;
        const BUDGET: u32 = 100;
        reg error: u32;
        let first = norm[..](state, 120) -> BUDGET;
        let second = norm[..](state, 120) -> error after first;
        cpu after second {
            BUDGET -= 1;
            kBufferOutput = error;
            again = error > 3;
        }
        end(error);
    }
}

fn main() {}
