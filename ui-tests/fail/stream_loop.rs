// A server of jobs: its loop has no way out.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (12, 10))]
pub trait Jobs {
    #[handler(1)]
    fn serve(job: u32) -> u32;
}

km::stream! {
    <Jobs>
    pub stream Server(req = 32) {
        reg job: u32 = 0, answer: u32;
        loop {
            let asked = submit serve[0..8](job) -> answer;
            wait(asked);
            if answer > 7 {
                job += 1;
            } else {
                continue;
            }
        }
    }
}

fn main() {}
