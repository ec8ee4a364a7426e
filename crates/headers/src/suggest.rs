//! The nearest known name, for "did you mean".

/// Names longer than this are not compared.
const LONGEST: usize = 96;

/// The candidate nearest to `name`, if one is near enough: at most a third of its letters differ (an exchanged pair counts
/// once, and letters that differ only in case do not count first). Of equally near ones, the first.
///
/// ```
/// use komorebi_headers::suggest::nearest;
/// assert_eq!(nearest("kHandlerSetp", ["kHandlerStep", "kBufferInput"]), Some("kHandlerStep"));
/// assert_eq!(nearest("kHandlerSetp", ["kBufferInput"]), None);
/// ```
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    if length > LONGEST {
        return None;
    }
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        if candidate == name || candidate.len() > 4 * LONGEST {
            continue;
        }
        let other = candidate.chars().count();
        let limit = (length.max(other) / 3).max(1);
        let limit = best.map_or(limit, |(distance, _)| limit.min(distance.saturating_sub(1)));
        if length.abs_diff(other) > limit {
            continue;
        }
        let distance = if candidate.eq_ignore_ascii_case(name) { 0 } else { distance(name, candidate) };
        if distance <= limit && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// How many insertions, deletions, replacements and exchanges of neighbours make `a` into `b`.
pub fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1; b.len() + 1];
        for j in 0..b.len() {
            let replaced = last[j] + usize::from(a[i] != b[j]);
            let mut least = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                least = least.min(before[j - 1] + 1);
            }
            row[j + 1] = least;
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_edit_of_each_kind_has_distance_one() {
        for other in ["kFoo1", "kFo", "kFob", "kFoo"] {
            assert_eq!(distance("kFoo", other), usize::from(other != "kFoo"), "{other}");
        }
        assert_eq!(distance("kFoo", "kofo"), 2);
        assert_eq!(distance("ab", "ba"), 1);
        assert_eq!(distance("", "abc"), 3);
    }

    #[test]
    fn a_name_that_differs_only_in_case_is_nearest() {
        assert_eq!(nearest("kmLimBase", ["kmLimBasis", "KMLIMBASE"]), Some("KMLIMBASE"));
    }

    #[test]
    fn nothing_is_suggested_when_nothing_is_near() {
        assert_eq!(nearest("kHandlerRun", ["kRegionBytes", "x"]), None);
        assert_eq!(nearest("k", []), None);
    }
}
