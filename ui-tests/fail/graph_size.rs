// Every tile of a map is a node of its own: 16,384 of them, where one command for all cores and rounds would do.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (12, 10))]
pub trait Tiles {
    #[handler(1)]
    fn draw(tile: u32);
}

macro_rules! tiles {
    ([] $($node:tt)*) => {
        km::graph! {
            <Tiles>
            pub graph World(req = 21) {
                bind tile: u32;
                $($node)*
            }
        }
    };
    ([$more:tt $($rest:tt)*] $($node:tt)*) => {
        tiles! { [$($rest)*] $($node)* $($node)* }
    };
}

tiles! { [* * * * * * * * * * * * * *] draw[0](tile); }

fn main() {}
