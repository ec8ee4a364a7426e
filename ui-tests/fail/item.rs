// KM0016: a program is a plain trait of plain functions.
use komorebi as km;

#[km::program(kernels = "kernels")]
pub trait Graph<T>: Send
where
    T: Copy,
{
    const LIMIT: u32;
    #[handler(1)]
    fn visit(&self, (node, edge): (u32, u32));
    #[handler(2)]
    async fn relax(distance: u32);
    #[handler(3)]
    fn settle(distance: u32) {
        println!("{distance}");
    }
    #[handler(4)]
    fn expand<const N: usize>(words: u32);
    #[handler(5)]
    #[inline]
    unsafe fn finish();
}

#[km::program(kernels = "kernels")]
pub struct Heat;

fn main() {
    let _ = Graph::relax(3);
    let _ = Graph::settle(3);
    let _ = Heat::program();
}
