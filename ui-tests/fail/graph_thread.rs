// KM0120: a program with a thread has no upload region, so neither graphs nor streams.
use komorebi as km;

#[km::program(
    kernels = "kernels",
    grid = (12, 10),
    threads(feed(cluster = 1, sources = ["threads/scan.cpp"])),
)]
pub trait Mill {
    #[handler(1)]
    fn grind(#[inout] grain: km::Address);
}

km::graph! {
    <Mill>
    pub graph Twice {
        bind grain: km::Address;
        let first = grind[..](grain);
        let second = grind[..](grain) after first;
    }
}

km::stream! {
    <Mill>
    pub stream Once {
        bind grain: km::Address;
        submit grind[..](grain);
        halt(0);
    }
}

fn main() {}
