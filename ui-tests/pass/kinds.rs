//! Every type of argument and result, in a private program inside a function.
#![deny(warnings)]

fn main() {
    #[komorebi::program(kernels = (reader = "kernels/reader.cpp", writer = "kernels/writer.cpp"))]
    trait Kinds {
        #[handler(7)]
        fn all(
            a: u32,
            b: i32,
            c: f32,
            d: u64,
            e: [half::bf16; 2],
            f: [u16; 2],
            g: komorebi::Core,
            #[output] h: komorebi::Address,
        ) -> f32;
        #[handler(8)]
        fn r#match() -> i32;
        #[handler(9)]
        fn never_called(place_of_cores: u32);
    }
    let one = half::bf16::from_f32(1.0);
    let call = Kinds::all(1, -1, 1.0, 1 << 32, [one, one], [1, 2], komorebi::Core(5), komorebi::Address(64));
    assert_eq!(call.words(), [1, u32::MAX, 0x3F80_0000, 0, 1, 0x3F80_3F80, 0x2_0001, 5, 64]);
    assert_eq!((call.handler(), Kinds::r#match().handler()), (7, 8));
    assert_eq!(Kinds::program().sources().kernels[1], None);
}
