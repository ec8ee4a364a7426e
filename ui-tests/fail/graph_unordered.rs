// Two halves of an image are measured at once into one register, and a third node reads it.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (4, 4))]
pub trait Exposure {
    #[handler(1)]
    fn brightest(half: u32) -> u32;
    #[handler(2)]
    fn expose(peak: u32);
}

km::graph! {
    <Exposure>
    pub graph Meter(req = 13) {
        reg peak: u32;
        let left = brightest[0..8](0) -> peak;
        let right = brightest[8..16](1) -> peak;
        expose[..](peak) after left;
        end(peak);
    }
}

fn main() {}
