// KM0012: a constant of the header without a value, shown where it stands.
use komorebi as km;

#[km::program(kernels = "kernels", header = "kernels/broken.h")]
pub trait Scan {
    fn scan();
    fn sum();
}

#[km::program(kernels = "kernels", header = "kernels/open.h")]
pub trait Image {
    fn blur();
}

fn main() {
    let _ = (Scan::scan(), Image::blur());
}
