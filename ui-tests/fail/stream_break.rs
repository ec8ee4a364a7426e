// A search that stops where there is no loop to leave.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (12, 10))]
pub trait Search {
    #[handler(1)]
    fn probe(at: u32) -> u32;
}

km::stream! {
    <Search>
    pub stream Find(req = 33) {
        bind at: u32;
        reg hit: u32;
        let asked = submit probe[0..8](at) -> hit;
        wait(asked);
        if hit == 0 {
            break;
        }
        halt(hit);
    }
}

fn main() {}
