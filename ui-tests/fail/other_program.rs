// A run takes the calls of its own program only, and a call takes the handler's arguments.
use komorebi as km;

#[km::program(kernels = "kernels")]
pub trait Sort {
    #[handler(1)]
    fn merge(#[inout] keys: km::Address, width: u32) -> u32;
}

#[km::program(kernels = "kernels")]
pub trait Image {
    #[handler(1)]
    fn blur(radius: f32);
}

fn submits(run: &km::Run<Sort>) -> km::Result<()> {
    run.submit(Image::blur(1.5))?;
    run.submit(Sort::merge(0, 1.5))?;
    run.merge(0..60, 0)?;
    let _: km::Handle<()> = run.merge(0..60, 0, 3)?;
    Ok(())
}

fn main() {
    let _ = submits;
}
