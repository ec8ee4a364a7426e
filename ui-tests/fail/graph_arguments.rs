// A filter chain: an argument too few, one too many.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (4, 4))]
pub trait Filter {
    #[handler(1)]
    fn blur(#[input] from: km::Address, #[output] to: km::Address, radius: u32);
    #[handler(2)]
    fn sharpen(#[inout] image: km::Address);
}

km::graph! {
    <Filter>
    pub graph Enhance(req = 2) {
        bind photo: km::Address, copy: km::Address;
        let soft = blur[0..16](photo, copy);
        sharpen[0..16](copy, 3) after soft;
    }
}

fn main() {}
