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

macro_rules! text {
    ($($token:tt)*) => { stringify!($($token)*) };
}

fn main() {
    use right::Heat as Right;
    let (left, right) = (left::Heat!([text] body), Right!([text]));
    assert!(
        left.contains("\"step\" = 1u32") && left.contains("\"inout\"") && left.ends_with("body"),
        "{left}"
    );
    assert!(right.contains("(3u32, 2u32)") && right.contains("\"step\" = 2u32"), "{right}");
    let _ = (left::Heat::step(0), Right::step());
}
