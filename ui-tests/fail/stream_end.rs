// A copy that halts on one way and runs past its end on the other.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (12, 10))]
pub trait Copy {
    #[handler(1)]
    fn page(from: u32, to: u32);
}

km::stream! {
    <Copy>
    pub stream Move(req = 34) {
        bind from: u32, to: u32;
        if from == to {
            halt(0);
        }
        submit page[0..8](from, to);
        wait(all);
    }
}

fn main() {}
