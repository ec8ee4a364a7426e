// One mistake of each kind that people make together, in one graph of a solver.
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
    pub graph Converge(max_runs = 5_000_000_000, req = 6) {
        bind state: km::Address, iteration: u32, limit: f32;
        reg error: u32;
        let advance = setp[0..60](state, iteration);
        let l = left[0..kBufferOutptu](state) after advance;
        let r = right[15..60](state) after advance;
        let measure = norm[0..121](state) -> eror after l, rr;
        cpu after measure {
            iteration += 1;
            again = error < limit;
        }
        end(iteration, error);
    }
}

fn main() {}
