/// A relaxation step over a field of tiles.
#[km::program(
    kernels = "kernels",
    header = "kernels/heat.h",
    grid = (12, 10),
    depth = 8,
    buffers(
        input(index = kBufferInput, format = bfloat16, page_bytes = kTileBytes, pages = 4),
        output(index = 16, format = bfloat16, page_bytes = 2048, pages = 4),
    ),
    compute(math_fidelity = HiFi4, fp32_dest_acc_en),
    opt(reader = Os, writer = Os),
    defines(KM_TILES = 4),
)]
pub trait Heat {
    fn step(#[inout] state: km::Address, iteration: u32);
    fn left(#[inout] state: km::Address);
    fn right(#[inout] state: km::Address);
    /// The residual of the whole field.
    fn norm(#[input] state: km::Address, cores: u32) -> u32;
}
