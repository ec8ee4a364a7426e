// A node for bookkeeping that was left empty.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (4, 4))]
pub trait Ledger {
    #[handler(1)]
    fn post(entry: u32);
}

km::graph! {
    <Ledger>
    pub graph Book(req = 28) {
        bind entry: u32;
        let posted = post[..](entry);
        let audit = cpu after posted {};
    }
}

fn main() {}
