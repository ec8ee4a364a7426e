// A checksum of thirty parts: more registers than an engine has, counted with the parts of its expression.
use komorebi as km;

#[km::program(kernels = "kernels", grid = (4, 4))]
pub trait Check {
    #[handler(1)]
    fn sum(part: u32) -> u32;
}

km::graph! {
    <Check>
    pub graph Total(req = 15) {
        bind seed: u32;
        reg w0: u32, w1: u32, w2: u32, w3: u32, w4: u32, w5: u32, w6: u32, w7: u32, w8: u32, w9: u32, w10: u32, w11: u32, w12: u32, w13: u32, w14: u32, w15: u32, w16: u32, w17: u32, w18: u32, w19: u32, w20: u32, w21: u32, w22: u32, w23: u32, w24: u32, w25: u32, w26: u32, w27: u32, w28: u32, w29: u32;
        reg total: u32;
        let a = sum[0](seed) -> w0;
        cpu after a {
            total = (w0 + seed) * ((w0 ^ seed) + (w0 | seed) * (w0 - seed));
        }
        end(total);
    }
}

km::stream! {
    <Check>
    pub stream Parts(req = 16) {
        bind first: u32;
        reg r0: u32 = 0, r1: u32 = 0, r2: u32 = 0, r3: u32 = 0, r4: u32 = 0, r5: u32 = 0, r6: u32 = 0, r7: u32 = 0, r8: u32 = 0, r9: u32 = 0, r10: u32 = 0, r11: u32 = 0, r12: u32 = 0, r13: u32 = 0, r14: u32 = 0, r15: u32 = 0, r16: u32 = 0, r17: u32 = 0, r18: u32 = 0, r19: u32 = 0, r20: u32 = 0, r21: u32 = 0, r22: u32 = 0, r23: u32 = 0, r24: u32 = 0, r25: u32 = 0, r26: u32 = 0, r27: u32 = 0, r28: u32 = 0, r29: u32 = 0, r30: u32 = 0, r31: u32 = 0;
        submit sum[0](first);
        halt(first);
    }
}

fn main() {}
