use komorebi as km;
use ndarray::Array2;
use std::time::Duration;

/// Bytes times a gain, in pages dealt to the cores of a group.
#[km::program(
    kernels = "kernels",         // reader.cpp, compute.cpp, writer.cpp
    header = "kernels/map.h",    // constexpr uint32_t kHandlerMap = 1; ..
    grid = (12, 10),
    buffers(
        source(index = 0, format = uint8, page_bytes = 2048, pages = 4),
        target(index = 16, format = uint8, page_bytes = 2048, pages = 4),
    ),
)]
pub trait ToneMap {
    fn map(#[input] source: km::Address, #[output] target: km::Address, first_page: u32, pages: u32, gain: u32);
}

fn main() -> km::Result<()> {
    let bytes = Array2::from_shape_fn((240, 2048), |(_, column)| (column % 256) as u8);
    let session = km::Session::open()?;                        // a simulated card, unless KM_CARD names another
    let source = session.tensor(&bytes, km::DType::Uint8)?;    // 240 pages of 2048 bytes
    let target = session.empty(bytes.shape(), km::DType::Uint8)?;
    let run = session.load(ToneMap::program())?;               // 120 cores, ready
    let jobs: Vec<_> = (0..15)
        .map(|job| run.submit(ToneMap::map(&source, &target, job * 16, 16, 384).on((job * 8, 8))))
        .collect::<km::Result<_>>()?;
    run.wait(&jobs, Duration::from_secs(5))?;
    run.stop(Duration::from_secs(10))?;
    let mapped = target.read::<u8>()?;
    assert!(bytes.iter().zip(&mapped).all(|(&from, &to)| u32::from(to) == 255.min(u32::from(from) * 384 >> 8)));
    Ok(())
}
