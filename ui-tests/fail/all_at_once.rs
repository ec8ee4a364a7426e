// Eight mistakes in one declaration bring eight errors, each at its token, and none about the items that come of it.
use komorebi as km;

#[km::program(
    kernels = "kernels",
    header = "kernels/heat.h",
    depth = 17,
    buffers(
        input(index = kBufferInptu, format = bfloat17, page_bytes = 2048, pages = 4),
        output(index = 31, format = bfloat16, page_bytes = 2048, pages = 4),
    ),
    compute(math_fidelty = HiFi4),
    opt(reader = O4),
)]
pub trait Heat {
    fn step(#[inout] state: km::Address, iteration: usize);
    fn lfet(#[inout] state: km::Address);
    fn right(#[inout] state: km::Address);
    fn norm(#[input] state: km::Address) -> u32;
}

fn main() {
    let _ = Heat::step(0, 1);
    let _ = Heat::lfet(0);
}
