// KM0018: unknown formats, fidelities, modes, levels and flags, each with the nearest known name.
use komorebi as km;

#[km::program(
    kernels = "kernels",
    buffers(image(index = 0, format = float16, page_bytes = 2048, pages = 2)),
    compute(math_fidelity = HiFi5, fp32_dest_acc_en = 1, unpack_to_dest_mode(picture = UnpackToDestFp32)),
    opt(reader = Og, compute = "O3"),
)]
pub trait Image {
    #[handler(1)]
    fn blur();
}

fn main() {}
