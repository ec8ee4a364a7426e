//! Limits of an upload as a whole: deadline, req, size.

use super::{Facts, Place, Problems, Rule, SizeLine};

/// Checks a deadline and req, which graphs and streams share.
pub(crate) fn check_limits(deadline_us: Option<u64>, req: u64, problems: &mut Problems) {
    if let Some(deadline) = deadline_us
        && !(1..=u64::from(u32::MAX)).contains(&deadline)
    {
        let message = format!("a deadline of {deadline} us is not 1 to {} us", u32::MAX);
        let help = if deadline == 0 {
            "leave it out for no deadline"
        } else {
            "71 minutes are the most; leave it out for no deadline"
        };
        problems.add(Rule::Deadline, Place::Deadline, message, help);
    }
    if req > u64::from(u16::MAX) {
        let message = format!("req {req} is not 0 to {}", u16::MAX);
        problems.add(
            Rule::Req,
            Place::Req,
            message,
            "choose one that no other running engine has, as in `req = 6`",
        );
    }
}

/// Checks the size of an upload against the region.
pub(crate) fn check_size(facts: &Facts, what: &str, lines: &[SizeLine], problems: &mut Problems) {
    let sum: u64 = lines.iter().map(|line| line.bytes).sum();
    let region = u64::from(facts.region_bytes);
    if sum <= region {
        return;
    }
    let shares: Vec<String> = lines
        .iter()
        .filter(|line| line.bytes != 0)
        .map(|line| format!("{} {}", line.what, line.bytes))
        .collect();
    let (message, help) = if region == 0 {
        (
            format!(
                "the {what} cannot be uploaded: `{}` has no upload region, since its X280 thread's ring lies there",
                facts.program
            ),
            "submit the commands from the host, or take the thread out of the program".to_owned(),
        )
    } else {
        (
            format!("the {what} takes {sum} bytes, {} more than the upload region's {region}", sum - region),
            format!("split it, or let rounds do the repetition; bytes: {}", shares.join(", ")),
        )
    };
    problems.add(Rule::Size, Place::Upload, message, help);
}
