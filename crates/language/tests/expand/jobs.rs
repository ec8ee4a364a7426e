km::stream! {
    <Heat>
    pub(crate) stream Jobs(deadline = 1 s, req = 3) {
        bind scale_by: f32, halves: [u16; 2], core: km::Core;
        reg job: u32 = 0, gain: f32;

        while job < 15 {
            submit touch[core]();
            job += 1;
        }
        let scaled = submit scale[0..4](scale_by * 2.0) -> gain;
        wait(scaled);
        if halves as u32 == 0 { halt(0.5); }
        halt(gain);
    }
}
