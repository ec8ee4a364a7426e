km::graph! {
    <Heat>
    /// Relaxes until the residual is under `limit`.
    pub graph Converge(deadline = 200 ms, max_runs = 50, req = 6, keep) {
        bind
            /// Where the field lies.
            state: km::Address,
            iteration: u32,
            limit: u32;
        reg error: u32;

        let advance = step[0..60](state, iteration);
        let l = left[0..kEdge](state) after advance;
        let r = right[kEdge..60](state) after advance;
        let measure = norm[0..60](state, 60) -> error after l, r;
        cpu after measure {
            iteration += 1;
            again = error > limit;
        }
        end(iteration, error);
    }
}
