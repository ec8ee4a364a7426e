// The border of a field has a name, which is misspelt; the corner has none.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (12, 10))]
pub trait Field {
    #[handler(1)]
    fn exchange(side: u32);
}

km::graph! {
    <Field>
    pub graph Halo(req = 5) {
        group border = 0..12;
        let a = exchange[bodrer](0);
        exchange[corner](1) after a;
    }
}

fn main() {}
