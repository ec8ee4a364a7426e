// A pipeline whose last stage waits for one that was renamed.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (4, 4))]
pub trait Codec {
    #[handler(1)]
    fn decode(frame: u32);
    #[handler(2)]
    fn show(frame: u32);
}

km::graph! {
    <Codec>
    pub graph Play(req = 6) {
        bind frame: u32;
        let decoded = decode[..](frame);
        show[..](frame) after decoed, scaled;
    }
}

fn main() {}
