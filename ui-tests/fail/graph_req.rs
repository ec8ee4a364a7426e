// A request number taken from a checksum of 32 bits.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (4, 4))]
pub trait Serve {
    #[handler(1)]
    fn answer(question: u32);
}

km::graph! {
    <Serve>
    pub graph Answer(req = 0x12345) {
        bind question: u32;
        answer[..](question);
    }
}

fn main() {}
