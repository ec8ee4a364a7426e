// A mean of floats lands in integers: nothing on the wire converts one into the other.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (4, 4))]
pub trait Statistics {
    #[handler(1)]
    fn mean(#[input] samples: km::Address) -> f32;
    #[handler(2)]
    fn spread(#[input] samples: km::Address) -> i32;
}

km::graph! {
    <Statistics>
    pub graph Summary(req = 27) {
        bind samples: km::Address, total: u64, bias: i32;
        reg average: u32, count: u32, deviation: f32;
        let m = mean[..](samples) -> average;
        let s = spread[..](samples) -> deviation after m;
        cpu after s {
            count = average as f32 * 0.5;
            count = bias;
            average = deviation + 1;
            again = deviation > 4;
        }
        end(deviation, average);
    }
}

fn main() {}
