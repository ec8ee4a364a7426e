// A poll with three slips: a command as a value, `=` for `==`, a misspelt register. What stands behind is not to blame.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (12, 10))]
pub trait Door {
    #[handler(1)]
    fn knock(knocks: u32) -> u32;
    #[handler(2)]
    fn enter();
}

km::stream! {
    <Door>
    pub stream Visit(req = 9) {
        bind patience: u32;
        reg answer: u32 = 0, turn: u32 = 0;
        loop {
            answer = knock[0..1](3);
            wait(all);
            turn += 1;
            if answer = 1 {
                break;
            }
        }
        while tunr > patience {
            turn -= 1;
        }
        submit enter[..]();
        wait(all);
        halt(turn);
    }
}

fn main() {}
