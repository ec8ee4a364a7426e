// A broadcast wants cores of the dispatcher's choice, and to be alone on them.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (12, 10))]
pub trait Share {
    #[handler(1)]
    fn broadcast(#[inout] block: km::Address);
}

km::graph! {
    <Share>
    pub graph Spread(req = 25) {
        bind block: km::Address;
        broadcast(block) queued(12) exclusive;
    }
}

km::stream! {
    <Share>
    pub stream Strip(req = 24) {
        bind block: km::Address;
        let job = enqueue broadcast(block) queued(2) exclusive;
        wait(job);
        halt(0);
    }
}

fn main() {}
