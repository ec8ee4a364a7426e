// KM0017: parts that are unknown, stand twice, are missing or cannot be read.
use komorebi as km;

#[km::program(
    header = "kernels/heat.h",
    dept = 8,
    grid = 12,
    buffers(
        input(index = 0, index = 1, format = bfloat16, page_bytes = 2048),
        output,
    ),
    opt(raeder = Os),
    compile_args(reader = 3) kernel_bytes = 128,
    compute = ,
)]
pub trait Heat {
    fn step(#[inuot] state: km::Address);
    #[handler]
    fn left();
    fn right();
    fn norm();
}

fn main() {
    let _ = Heat::step(0);
}
