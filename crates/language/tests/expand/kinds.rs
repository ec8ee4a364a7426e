#[komorebi::program(kernels = (reader = "kernels/reader.cpp", writer = "kernels/writer.cpp"), crate = ::renamed)]
#[allow(dead_code)]
pub(crate) trait Kinds {
    #[handler(7)]
    fn all(a: u32, b: i32, c: f32, d: u64, e: [half::bf16; 2], f: [u16; 2], g: Core, #[output] h: Address) -> f32;
    #[handler(8)]
    #[deprecated]
    fn r#match() -> i32;
    #[handler = 9]
    fn none();
}
