// A graph and a stream that only declare.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (4, 4))]
pub trait Plan {
    #[handler(1)]
    fn act(what: u32);
}

km::graph! {
    <Plan>
    pub graph Nothing(req = 29) {
        bind what: u32;
    }
}

km::stream! {
    <Plan>
    pub stream Silence(req = 30) {
        bind what: u32;
    }
}

fn main() {}
