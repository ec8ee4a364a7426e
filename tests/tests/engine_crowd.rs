//! Six changed uploads at once beside the host's commands: each is refused or ends as it alone would, and every command of
//! the host is answered.

use std::collections::BTreeSet;
use std::time::Duration;

use komorebi_abi::constants::{command as c, launch};
use komorebi_abi::engine::{Output, Reason, Refusal, Run, UploadKind};
use komorebi_abi::wire::{EventKind, Line, RawEvent};
use komorebi_tests::dispatcher::{Rig, Setup, command};
use komorebi_tests::engine::generate::{self, Limits};
use komorebi_tests::engine::mutate::mutate;
use komorebi_tests::engine::{Grid, HOST_HANDLERS, Random, Suspect, cancel_line, run_line};

/// An upload's part of the region; a changed one has 64 KiB at most.
const PART: u32 = 64 * 1024;
const CANCELLED: Output = Output::Error(Refusal { reason: Reason::CANCELLED, place: None });

struct Member {
    suspect: Suspect,
    cancel: Option<u16>,
    end: Option<Output>,
    dropped: bool,
}

impl Member {
    /// Does the dispatcher keep it?
    fn is_kept(&self) -> bool {
        self.suspect.keeps() && matches!(self.end, Some(Output::End(..))) && !self.dropped
    }

    fn take(&mut self, event: &RawEvent) {
        if self.end.is_some() {
            assert_eq!(Output::of_event(event, UploadKind::Graph), Some(CANCELLED), "{event:?}");
            assert!(self.is_kept() && self.cancel.is_some(), "{event:?}");
            self.dropped = true;
            return;
        }
        let output = self.suspect.judge(event, self.cancel.is_some());
        if output.is_last() {
            self.end = Some(output);
        }
    }
}

struct Crowd {
    rig: Rig,
    grid: Grid,
    random: Random,
    members: Vec<Member>,
    host: BTreeSet<u16>,
    rejected: BTreeSet<u16>,
}

impl Crowd {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let depth = random.between(1, 16);
        Self {
            rig: Setup {
                seed: Some(seed),
                depth,
                grid: random.one_of(&[(12, 10), (3, 2)]),
                ..Setup::default()
            }
            .run(),
            grid: Grid::default(),
            random,
            members: Vec::new(),
            host: BTreeSet::new(),
            rejected: BTreeSet::new(),
        }
    }

    fn start(&mut self, req: u16) {
        let cores = self.rig.setup.grid.0 * self.rig.setup.grid.1;
        let bindings: Vec<u32> = (0..self.random.between(0, 3)).map(|_| self.random.below(50)).collect();
        let limits = Limits {
            cores,
            handler: 1,
            handlers: 190,
            nodes: 10,
            bindings: bindings.len() as u32,
            floods: false,
        };
        let mut image = if req < 2 {
            generate::graph(&mut self.random, req, limits)
        } else {
            generate::stream(&mut self.random, req, limits)
        };
        image.header.keep = req < 2 && self.random.one_in(2);
        if self.random.one_in(8) {
            image.header.deadline_us = self.random.between(1, 300);
        }
        let kind = image.header.kind;
        let mut bytes = image.encode();
        if !self.random.one_in(3) {
            mutate(&mut self.random, &mut bytes, kind);
            bytes[6..8].copy_from_slice(&req.to_le_bytes());
        }
        let (offset, line) = (u32::from(req) * PART, self.rig.put_bindings(req.into(), &bindings));
        self.rig.put(offset, &bytes);
        let suspect = Suspect::new(&bytes, kind, cores, &bindings);
        self.members.push(Member { suspect, cancel: None, end: None, dropped: false });
        self.rig.send(run_line(Run::Upload { offset, bytes: bytes.len() as u32, kind, bindings: line }));
    }

    fn send_host(&mut self) {
        let cores = self.rig.setup.grid.0 * self.rig.setup.grid.1;
        let count = self.random.between(1, cores);
        let first = self.random.below(cores - count + 1);
        let flags = self.random.one_of(&[0, 0, 0, c::KM_FLAG_EXCLUSIVE]);
        let line = Line { flags: flags as u8, ..command(HOST_HANDLERS as u8, first as u16, count as u16) };
        let number = self.rig.send(line);
        self.host.insert(number);
    }

    /// Some microseconds: what is to be seen is taken, and one command may end.
    fn step(&mut self) {
        while self.grid.next(&self.rig).is_some() {}
        while let Some(event) = self.rig.poll_event() {
            self.rig.show_read();
            match event.kind {
                Ok(EventKind::Done) => assert!(self.host.remove(&event.number), "{event:?}"),
                Ok(EventKind::Rejected) => {
                    assert_eq!(u32::from(event.low_auxiliary()), c::KMD_REJECT_REQ);
                    assert!(self.rejected.insert(event.number), "{event:?}");
                }
                _ => self.members.get_mut(usize::from(event.number)).expect("one of six").take(&event),
            }
        }
        if !self.grid.busy.is_empty() && self.random.one_in(2) {
            let oldest = self.grid.oldest();
            let index = self.random.one_of(&oldest);
            let result = self.grid.busy[index].published.flags * self.random.below(7);
            self.grid.complete(&self.rig, index, result);
            self.rig.land();
        }
        self.rig.pass(Duration::from_micros(3));
    }

    fn until(&mut self, what: &str, holds: impl Fn(&Self) -> bool) {
        for _ in 0..20_000 {
            if holds(self) {
                return;
            }
            self.step();
        }
        panic!("{what}: never; {}; {:?}", self.rig.describe(), self.grid);
    }

    fn cancel(&mut self, member: usize) {
        let number = self.rig.send(cancel_line(self.members[member].suspect.req));
        self.members[member].cancel = Some(number);
    }

    fn round(&mut self) {
        self.members.clear();
        self.rejected.clear();
        for req in 0..6 {
            self.start(req);
            self.step();
        }
        for _ in 0..self.random.between(20, 120) {
            if self.random.one_in(4) && self.host.len() < 30 {
                self.send_host();
            }
            self.step();
        }
        for member in 0..self.members.len() {
            if self.members[member].end.is_none() {
                self.cancel(member);
            }
        }
        self.until("every engine ends", |crowd| crowd.members.iter().all(|member| member.end.is_some()));
        for member in 0..self.members.len() {
            if self.members[member].is_kept() && self.members[member].cancel.is_none() {
                self.cancel(member);
            }
        }
        self.until("every kept graph is dropped", |crowd| !crowd.members.iter().any(Member::is_kept));
        self.until("every command of the host is answered", |crowd| {
            crowd.host.is_empty() && crowd.grid.busy.is_empty()
        });
        // A CANCEL that came too late was rejected, and no other line.
        self.rig.pass(Duration::from_millis(1));
        self.step();
        let cancels: BTreeSet<u16> = self.members.iter().filter_map(|member| member.cancel).collect();
        assert!(self.rejected.is_subset(&cancels), "{:?} of {cancels:?}", self.rejected);
        assert_eq!(self.rig.state(launch::STATE_STAGE), u64::from(launch::STAGE_RUNNING));
        assert_eq!(self.rig.state(launch::STATE_BUSY), 0);
    }
}

#[test]
fn six_changed_uploads_at_once_leave_the_host_its_commands() {
    let mut refused = 0;
    let mut ended = BTreeSet::new();
    for seed in 1..=24 {
        let mut crowd = Crowd::new(seed);
        for _ in 0..25 {
            crowd.round();
            for member in &crowd.members {
                refused += u32::from(member.suspect.refusal().is_some());
                ended.insert(match member.end {
                    Some(Output::Error(Refusal { reason, .. })) => reason.to_string(),
                    _ => "end".to_owned(),
                });
            }
        }
    }
    println!("{refused} refused of {}; {ended:?}", 24 * 25 * 6);
    assert!(refused > 1000 && refused < 2800, "{refused} refused");
    for reason in ["end", "cancelled", "deadline"] {
        assert!(ended.contains(reason), "{reason} was never met");
    }
}
