#[km::program(
    kernels = "kernels",
    header = "kernels/heat.h",
    kernel_bytes = 131072,
    buffers(
        picture(index = kBufferInput, format = bfloat8_b, page_bytes = 1088, pages = 2),
        sums(index = kBufferOutput, format = float32, page_bytes = 4096, pages = 1),
    ),
    compute(
        math_fidelity = LoFi,
        unpack_to_dest_mode(sums = UnpackToDestFp32, picture = Default),
        math_approx_mode = false,
        dst_full_sync_en = true,
        bfp8_pack_precise,
    ),
    opt(compute = O1),
    defines(KERNEL_RADIUS = 3, SCALE = 0.5, NAME = "box", OFFSET = -1, CLAMP, TILE = kTileBytes),
    compile_args(reader = [1, kTileBytes], compute = [], writer = [0xFF]),
)]
trait Blur {
    #[handler(40)]
    fn row(#[input] from: Address, #[output] to: Address);
}
