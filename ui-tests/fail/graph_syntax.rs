// Seven slips in one graph, each told at its token, none hidden by another, and no error that only follows.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (12, 10))]
pub trait Heat {
    #[handler(1)]
    fn step(#[inout] state: km::Address, iteration: u32);
    #[handler(2)]
    fn norm(#[input] state: km::Address, cores: u32) -> u32;
}

km::graph! {
    <Heat>
    pub graph Converge(deadline = 200, max_rusn = 50, req = 6, keep) {
        bind state: km::Address, iteration u32;
        reg error: usize = 0;
        let advance = step[0..60](state, iteration + 1);
        let measure = norm[0..60](state, 60) -> error afetr advance
        cpu after measure {
            if error < 3 { iteration += 1; }
            iteration / 2;
        }
        let done = ;
        end(iteration, error, state);
    }
}

fn main() {
    let _ = Converge;
}
