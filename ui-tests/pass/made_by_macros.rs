//! Graphs and streams that `macro_rules!` macros make: whatever kind an argument is, they give the bytes of what it says.
use komorebi as km;
use km::macro_support::abi::engine::DeclaredUpload;

#[km::program(kernels = "kernels", header = "kernels/heat.h", grid = (12, 10))]
pub trait Heat {
    fn step(#[inout] state: km::Address, iteration: u32);
    fn left(#[inout] state: km::Address);
    fn right(by: f32);
    fn norm(#[input] state: km::Address, cores: u32) -> u32;
}

macro_rules! graph {
    ($vis:vis, $graph:ident, $name:ident: $ty:ty, $cores:expr, $end:expr, $block:block, $by:literal, $minus:expr, $sum:expr,
        $pick:expr) => {
        km::graph! {
            <Heat>
            $vis graph $graph {
                bind $name: $ty;
                reg total: u32, more: u32;
                group edge = $cores;
                let a = left[$cores](state);
                let b = left[0..$end](state) after a;
                left[edge](state) after b;
                let c = cpu $block
                right[$pick](-$by) after c;
                right[5]($minus);
                right[6](-$minus);
                cpu after c { more = $sum * 3; }
            }
        }
    };
}

graph!(pub, Made, state: km::Address, 0..3, 1 + 2, { total = 1 }, 2.5, -1.5, total + 1, 4);

km::graph! {
    <Heat>
    pub graph Written {
        bind state: km::Address;
        reg total: u32, more: u32;
        group edge = 0..3;
        let a = left[0..3](state);
        let b = left[0..3](state) after a;
        left[edge](state) after b;
        let c = cpu { total = 1; }
        right[4](-2.5) after c;
        right[5](-1.5);
        right[6](1.5);
        cpu after c { more = (total + 1) * 3; }
    }
}

macro_rules! stream {
    ($stream:ident, $cores:expr, $moving:expr, $condition:expr, $then:block, $else:block, $value:expr, $step:tt) => {
        km::stream! {
            <Heat>
            pub stream $stream {
                bind state: km::Address;
                reg total: u32 = 0;
                submit left[$cores](state);
                wait(all);
                submit left[$moving](state);
                while $condition $then
                if $condition $then else $else
                if total == 2 $step
                halt($value);
            }
        }
    };
}

stream!(MadeSteps, 0..=2, total..total + 8, total < 3, { total += 1; }, { total = 0; }, total + 1, { total = 5; });

km::stream! {
    <Heat>
    pub stream WrittenSteps {
        bind state: km::Address;
        reg total: u32 = 0;
        submit left[0..=2](state);
        wait(all);
        submit left[total..total + 8](state);
        while total < 3 { total += 1; }
        if total < 3 { total += 1; } else { total = 0; }
        if total == 2 { total = 5; }
        halt(total + 1);
    }
}

fn main() {
    assert_eq!(Made::BYTES, Written::BYTES);
    assert_eq!(MadeSteps::BYTES, WrittenSteps::BYTES);
}
