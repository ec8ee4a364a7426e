// 128 renders are queued at once; the job queue holds 64.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (12, 10))]
pub trait Render {
    #[handler(1)]
    fn tile(scene: u32);
}

macro_rules! tiles {
    ([] $($node:tt)*) => {
        km::graph! {
            <Render>
            pub graph Frame(req = 23) {
                bind scene: u32;
                $($node)*
            }
        }
    };
    ([$more:tt $($rest:tt)*] $($node:tt)*) => {
        tiles! { [$($rest)*] $($node)* $($node)* }
    };
}

tiles! { [* * * * * * *] tile(scene) queued(4); }

fn main() {}
