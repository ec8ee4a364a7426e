// KM0009: buffers, kernels and the runtime share a core's L1; the shares are listed.
use komorebi as km;

#[km::program(
    kernels = "kernels",
    buffers(
        weights(index = 0, format = bfloat16, page_bytes = 2048, pages = 512),
        activations(index = 1, format = bfloat16, page_bytes = 2048, pages = 256),
    )
)]
pub trait Transformer {
    #[handler(1)]
    fn layer();
}

fn main() {}
