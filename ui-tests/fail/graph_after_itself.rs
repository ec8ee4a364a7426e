// A loop over frames is written as a node that waits for itself.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (4, 4))]
pub trait Video {
    #[handler(1)]
    fn frame(number: u32);
}

km::graph! {
    <Video>
    pub graph Play(req = 11, max_runs = 60) {
        bind number: u32;
        let next = frame[..](number) after next;
    }
}

fn main() {}
