// A barrier is given the stamps of eleven stages to carry: a command has ten words.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (4, 4))]
pub trait Stages {
    #[handler(1)]
    fn run(stage: u32);
}

km::graph! {
    <Stages>
    pub graph Stamp(req = 31) {
        bind stage: u32;
        let all = run[..](stage);
        nop[..](1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11) after all;
    }
}

fn main() {}
