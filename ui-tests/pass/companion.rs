//! A program's facts reach other macros under its own name, from its module, through an import, for two of one name.
#![deny(warnings)]

mod left {
    #[komorebi::program(kernels = "kernels")]
    pub trait Heat {
        #[handler(1)]
        fn step(#[inout] state: komorebi::Address) -> u32;
    }
}

mod right {
    #[komorebi::program(kernels = "kernels", grid = (3, 2))]
    pub(crate) trait Heat {
        #[handler(2)]
        fn step();
    }
}

// A binding of the graph's own name, which a parameter cannot have.
komorebi::graph! {
    <right::Heat>
    #[allow(non_snake_case, reason = "the point of it")]
    pub(crate) graph Melt() {
        bind Melt: u32;
        reg rounds: u32;
        let all = step[0..6]();
        cpu after all {
            rounds = Melt + 1;
        }
        end(rounds);
    }
}

macro_rules! text {
    ($facts:literal $($token:tt)*) => { ($facts, stringify!($($token)*)) };
}

fn main() {
    use right::Heat as Right;
    let (left, right) = (left::Heat!([text] body), Right!([text]));
    assert!(left.0.contains("handler\tstep\t1\tu32\narg\tstate\taddress\tinout"), "{}", left.0);
    assert_eq!(left.1, "body");
    assert!(right.0.contains("cores\t6\n") && right.0.contains("handler\tstep\t2\t"), "{}", right.0);
    let _ = (left::Heat::step(0), Right::step());
    assert_eq!(Melt::bind(4).Melt, 4);
}
