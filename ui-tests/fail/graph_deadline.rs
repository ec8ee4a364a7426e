// Deadlines: none at all is written as 0, and two hours do not fit 32 bits of microseconds.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (4, 4))]
pub trait Simulate {
    #[handler(1)]
    fn tick();
}

km::graph! {
    <Simulate>
    pub graph Forever(deadline = 0 s, req = 18) {
        tick[..]();
    }
}

km::stream! {
    <Simulate>
    pub stream Night(deadline = 120 min, req = 19) {
        submit tick[..]();
        halt(0);
    }
}

fn main() {}
