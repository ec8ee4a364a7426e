// The README's graph with two mistakes: a node that races, and a misspelt register.
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
    pub graph Converge(deadline = 200 ms, max_runs = 50, req = 6, keep) {
        bind state: km::Address, iteration: u32, limit: u32;
        reg error: u32;

        let advance = step[0..60](state, iteration);
        let l = left[0..30](state) after advance;
        let r = right[30..60](state);
        let measure = norm[0..60](state, 60) -> eror after l, r;
        cpu after measure {
            iteration += 1;
            again = error > limit;
        }
        end(iteration, error);
    }
}

fn main() {}
