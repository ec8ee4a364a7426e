// KM0004: a number is one handler's; the header's lines are shown.
use komorebi as km;

#[km::program(kernels = "kernels", header = "kernels/sort.h")]
pub trait Sort {
    fn merge();
    fn split();
    fn done();
}

#[km::program(kernels = "kernels")]
pub trait Search {
    #[handler(3)]
    fn find();
    #[handler(3)]
    fn count();
    #[handler(4)]
    fn range(from: u32, to: u32, from: u32);
    #[handler(5)]
    fn find(key: u32);
}

fn main() {
    let _ = (Search::range(1, 2, 3), Search::find());
}
