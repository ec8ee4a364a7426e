// KM0015: a command carries 32-bit words.
use komorebi as km;

#[km::program(kernels = "kernels")]
pub trait Transformer {
    #[handler(1)]
    fn attend(heads: usize, scale: f64, #[input] query: km::Adress);
    #[handler(2)]
    fn softmax(row: [half::bf16; 4], #[input] length: u32);
    #[handler(3)]
    fn logits(tokens: &[u32]) -> (u32, u32);
}

fn main() {
    let _ = Transformer::attend(8, 0.125, 0);
}
