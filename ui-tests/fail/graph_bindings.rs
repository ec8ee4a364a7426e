// A camera's settings as bindings of each start: one more than a start carries.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (4, 4))]
pub trait Camera {
    #[handler(1)]
    fn take(frame: u32);
}

km::graph! {
    <Camera>
    pub graph Shot(req = 17) {
        bind red: u32, green: u32, blue: u32, gain: u32, offset: u32, gamma: u32, left: u32, top: u32, width: u32, height: u32, frame: u32, iso: u32, white: u32, black: u32, lens: u32, shutter: u32, focus: u32;
        take[..](frame);
    }
}

fn main() {}
