//! The rules of threads and regions.

use super::check::problem;
use super::names::{is_cpp_keyword, is_cpp_name};
use super::{Place, Problem, ProgramModel, Region, Rule, Thread};
use crate::constants::layout;
use crate::engine::deadline_refused;

/// Checks every thread and every region.
pub(super) fn check_threads(program: &ProgramModel, problems: &mut Vec<Problem>) {
    let threads = &program.threads;
    for (i, thread) in threads.iter().enumerate() {
        check_cluster(i, threads, problems);
        check_sources(i, thread, problems);
        check_limits(i, thread, problems);
        for j in 0..thread.regions.len() {
            let shared =
                program.regions.iter().enumerate().map(|(k, region)| (Place::SharedRegion(k), region));
            let earlier = own_regions(i, thread).take(j).chain(shared);
            check_region(&thread.label(), Place::Region(i, j), &thread.regions[j], earlier, problems);
        }
    }
    for (i, region) in program.regions.iter().enumerate() {
        let earlier = program.regions[..i].iter().enumerate();
        let earlier = earlier.map(|(k, region)| (Place::SharedRegion(k), region));
        check_region("the program", Place::SharedRegion(i), region, earlier, problems);
        if threads.is_empty() {
            let message = format!("region `{}` is shared by no thread: the program has none", region.name);
            let help = "declare a thread on a work cluster, or pass a tensor to the kernels";
            problems.push(problem(Rule::Region, Place::SharedRegionName(i), message, help));
        }
    }
    check_banks(program, problems);
}

fn own_regions(i: usize, thread: &Thread) -> impl Iterator<Item = (Place, &Region)> {
    thread.regions.iter().enumerate().map(move |(j, region)| (Place::Region(i, j), region))
}

fn check_cluster(i: usize, threads: &[Thread], problems: &mut Vec<Problem>) {
    let thread = &threads[i];
    let cluster = thread.cluster;
    // Each thread that is misplaced is given a free cluster of its own, while there are any.
    let misplaced = |i: usize| {
        let cluster = threads[i].cluster;
        !Thread::CLUSTERS.contains(&cluster) || threads[..i].iter().any(|earlier| earlier.cluster == cluster)
    };
    let before = (0..i).filter(|earlier| misplaced(*earlier)).count();
    let help = free_clusters(threads).nth(before).map_or_else(
        || {
            let most = Thread::CLUSTERS.count();
            format!("no cluster is left: a program has {most} threads at most; remove one, or merge two")
        },
        |cluster| format!("cluster {cluster} is free"),
    );
    let (first, last) = (Thread::CLUSTERS.start(), Thread::CLUSTERS.end());
    if !Thread::CLUSTERS.contains(&cluster) {
        let why = match cluster {
            0 => "the dispatcher's",
            _ => "which no card has",
        };
        let message = format!(
            "{} is on cluster {cluster}, {why}; threads run on clusters {first} to {last}",
            thread.label()
        );
        problems.push(problem(Rule::ThreadCluster, Place::ThreadCluster(i), message, help));
    } else if let Some(j) = threads[..i].iter().position(|earlier| earlier.cluster == cluster) {
        let message = match (&threads[j].name, &thread.name) {
            (None, None) => format!("two threads are on cluster {cluster}, which runs one thread"),
            _ => {
                let [earlier, later] = [&threads[j], thread].map(Thread::label);
                format!("{earlier} and {later} are both on cluster {cluster}, which runs one thread")
            }
        };
        let mut found = problem(Rule::ThreadCluster, Place::ThreadCluster(i), message, help);
        found.other = Some((Place::ThreadCluster(j), format!("{} is on it here", threads[j].label())));
        problems.push(found);
    }
}

/// The work clusters that no thread is on.
fn free_clusters(threads: &[Thread]) -> impl Iterator<Item = u32> {
    Thread::CLUSTERS.filter(|cluster| threads.iter().all(|thread| thread.cluster != *cluster))
}

fn check_sources(i: usize, thread: &Thread, problems: &mut Vec<Problem>) {
    if thread.sources.is_empty() {
        let message = format!("{} has no sources", thread.label());
        let help = "name its C++ files, as in `sources = [\"threads/scan.cpp\"]`";
        problems.push(problem(Rule::ThreadSources, Place::ThreadSources(i), message, help));
    }
    for (j, source) in thread.sources.iter().enumerate() {
        if thread.sources[..j].contains(source) {
            let message = format!("{} has the source \"{source}\" twice", thread.label());
            let place = Place::ThreadSource(i, j);
            problems.push(problem(Rule::ThreadSources, place, message, "remove one of them"));
        }
    }
}

fn check_limits(i: usize, thread: &Thread, problems: &mut Vec<Problem>) {
    let most = Thread::WORDS_MAX;
    if thread.words > most {
        let message = format!("{} takes {} argument words; a line has {most}", thread.label(), thread.words);
        let help = format!("write `words = {most}`, and put the rest into a region");
        problems.push(problem(Rule::ThreadLimits, Place::ThreadWords(i), message, help));
    }
    if let Some(deadline) = thread.deadline_us
        && !(1..=u64::from(u32::MAX)).contains(&deadline)
    {
        let (what, help) = deadline_refused(deadline);
        let message = format!("{}: a deadline of {what}", thread.label());
        problems.push(problem(Rule::ThreadLimits, Place::ThreadDeadline(i), message, help));
    }
}

fn check_region<'a>(
    owner: &str,
    place: Place,
    region: &Region,
    mut earlier: impl Iterator<Item = (Place, &'a Region)>,
    problems: &mut Vec<Problem>,
) {
    let Region { name, bytes } = region;
    let align = layout::DRAM_ALIGN;
    if *bytes == 0 || !bytes.is_multiple_of(align) {
        let nearest = (*bytes).max(1).checked_next_multiple_of(align).unwrap_or(bytes / align * align);
        let message = format!(
            "region `{name}` of {owner} has {bytes} bytes; regions are whole lines of {align}, one at least"
        );
        problems.push(problem(Rule::Region, place, message, format!("write `{name} = {nearest}`")));
    }
    if !is_cpp_name(name) {
        let (what, help) = if is_cpp_keyword(name) {
            ("cannot have that name, a keyword of C++", format!("rename it, as in `{name}_`"))
        } else {
            (
                "has a name that C++ cannot write",
                "use the letters a to z, digits and underscores, as in `table`".into(),
            )
        };
        let message = format!("region `{name}` of {owner} {what}");
        problems.push(problem(Rule::Region, named(place), message, help));
    }
    if let Some((other, _)) = earlier.find(|(_, other)| other.name == *name) {
        let message = match other {
            Place::SharedRegion(_) if matches!(place, Place::Region(..)) => {
                format!("region `{name}` of {owner} and the shared region `{name}` have one name")
            }
            _ => format!("{owner} has two regions called `{name}`"),
        };
        let mut found = problem(Rule::Region, named(place), message, "rename one of them");
        found.other = Some((named(other), format!("the other region `{name}`")));
        problems.push(found);
    }
}

/// Where the name of a region stands.
fn named(place: Place) -> Place {
    match place {
        Place::Region(thread, region) => Place::RegionName(thread, region),
        Place::SharedRegion(region) => Place::SharedRegionName(region),
        other => other,
    }
}

/// Each channel with a thread holds the regions of its threads, and once those that they share.
fn check_banks(program: &ProgramModel, problems: &mut Vec<Problem>) {
    let room = layout::DRAM_BANK_BYTES - layout::DRAM_BASE;
    let mut channels: Vec<u32> = program.threads.iter().map(Thread::channel).collect();
    channels.sort_unstable();
    channels.dedup();
    let mut reported = Vec::new();
    for channel in channels {
        let threads = program.threads.iter().enumerate().filter(|(_, thread)| thread.channel() == channel);
        let own = threads.flat_map(|(i, thread)| own_regions(i, thread));
        let shared = program.regions.iter().enumerate().map(|(k, region)| (Place::SharedRegion(k), region));
        let all: Vec<(Place, &Region)> = shared.chain(own).collect();
        let sum: u64 = all.iter().map(|(_, region)| u64::from(region.bytes)).sum();
        let largest = all.iter().max_by_key(|(_, region)| region.bytes);
        let Some((place, region)) = largest.filter(|(place, _)| sum > room && !reported.contains(place))
        else {
            continue;
        };
        reported.push(*place);
        let mut message = format!(
            "the regions on DRAM channel {channel} take {sum} bytes, {} more than its {room}",
            sum - room
        );
        let largest = all.iter().filter(|(_, other)| other.bytes == region.bytes).count() == 1;
        if largest {
            message.push_str(&format!("; `{}` is the largest", region.name));
        }
        let shares: Vec<String> =
            all.iter().map(|(_, region)| format!("`{}` {}", region.name, region.bytes)).collect();
        let fits = u64::from(region.bytes).saturating_sub(sum - room) / u64::from(layout::DRAM_ALIGN)
            * u64::from(layout::DRAM_ALIGN);
        let mut help = match fits {
            0 => "make some of them smaller".to_owned(),
            _ => format!("write `{} = {fits}` or less", region.name),
        };
        // A thread that has its channel to itself takes its regions along.
        let owners = program.threads.iter();
        let owners =
            owners.filter(|thread| thread.channel() == channel && !thread.regions.is_empty()).count();
        let elsewhere = |cluster: &u32| Thread::new(*cluster).channel() != channel;
        if let Some(cluster) = free_clusters(&program.threads).find(elsewhere).filter(|_| owners > 1) {
            help.push_str(&format!(", or move a thread to cluster {cluster}, which has another channel"));
        }
        help.push_str(&format!("; bytes: {}", shares.join(", ")));
        problems.push(problem(Rule::Region, *place, message, help));
    }
}
