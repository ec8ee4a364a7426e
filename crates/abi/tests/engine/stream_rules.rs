//! Each rule of streams: a stream that breaks it and that alone, beside one that keeps it.

use std::collections::BTreeSet;

use super::support::{done, facts, none, rules};
use komorebi_abi::engine::{Arithmetic, Domain, Facts, Place, Problem, Rule, Value};
use komorebi_abi::stream::{StepBody, Stream};

fn problems(build: impl FnOnce(&mut Stream)) -> Vec<Problem> {
    let mut stream = Stream::new();
    build(&mut stream);
    stream.check(&facts())
}

#[test]
fn every_rule_of_streams_is_broken_by_its_stream_and_by_that_alone() {
    type Build = fn(&mut Stream);
    let cases: &[(Rule, Place, Build)] = &[
        (Rule::StreamLoop, Place::Item(2), |s| {
            s.loop_(|s| {
                s.submit("touch", 0..8, none());
            });
        }),
        (Rule::StreamTarget, Place::Item(0), |s| {
            s.break_();
        }),
        (Rule::StreamTarget, Place::Item(0), |s| {
            let nowhere = s.label();
            s.jump_if(1, nowhere).halt(0);
        }),
        (Rule::StreamEnd, Place::Item(0), |s| done(s.submit("touch", 0..8, none()))),
        (Rule::StreamEnd, Place::Item(3), |s| {
            let [flag] = s.bindings(["flag"]);
            s.if_(flag, |s| {
                s.halt(1);
            });
            s.wait_all();
        }),
        (Rule::WaitUnknown, Place::Operand(0, 0, 0), |s| {
            s.push(StepBody::Wait(1.into()));
            s.submit("touch", 0..8, none());
            s.halt(0);
        }),
        (Rule::WaitUnknown, Place::Operand(1, 0, 0), |s| {
            s.submit("touch", 0..8, none()).named("job");
            s.wait("jbo").halt(0);
        }),
        (Rule::StreamUnreachable, Place::Item(1), |s| {
            s.halt(0).event(1).halt(2);
        }),
        (Rule::AfterItself, Place::Operand(0, 0, 0), |s| {
            s.push(StepBody::Wait(0.into()));
            s.halt(0);
        }),
        (Rule::ReadBeforeWrite, Place::Operand(0, 0, 0), |s| {
            let never = s.register();
            s.event(never).halt(0);
        }),
        // Its command may still be in flight.
        (Rule::ReadBeforeWrite, Place::Operand(1, 0, 0), |s| {
            let error = s.register();
            s.submit("norm", 0..8, [1.into(), 2.into()]).result(error);
            s.event(error).halt(0);
        }),
        // One of two ways writes it.
        (Rule::ReadBeforeWrite, Place::Operand(3, 0, 0), |s| {
            let [flag] = s.bindings(["flag"]);
            let sum = s.register();
            s.if_(flag, |s| {
                s.set(sum, 1);
            });
            s.halt(sum);
        }),
        (Rule::QueueFull, Place::Queued(64), |s| {
            (0..65).for_each(|_| done(s.enqueue("touch", 1, none())));
            s.halt(0);
        }),
        (Rule::HandlerUnknown, Place::Handler(0), |s| {
            s.submit("tuch", 0..8, none());
            s.halt(0);
        }),
        (Rule::Group, Place::Group(0), |s| {
            s.submit("touch", 119..121, none());
            s.halt(0);
        }),
        (Rule::Registers, Place::Variable(32), |s| {
            (0..33).for_each(|_| done(s.register()));
            s.halt(0);
        }),
        // A number needs a register for a moment.
        (Rule::Registers, Place::Item(0), |s| {
            (0..32).for_each(|_| done(s.register()));
            s.halt(0);
        }),
        (Rule::Empty, Place::Upload, |_| {}),
        (Rule::Size, Place::Upload, |s| {
            let sum = s.register();
            (0..88_448).for_each(|_| done(s.set(sum, 1)));
            s.halt(sum);
        }),
        (Rule::ExclusiveQueued, Place::Exclusive(0), |s| {
            s.enqueue("touch", 4, none()).exclusive();
            s.halt(0);
        }),
    ];
    let mut seen = BTreeSet::new();
    for (i, (rule, place, build)) in cases.iter().enumerate() {
        let problems = problems(build);
        assert_eq!(rules(&problems), [*rule], "case {i}, {rule:?}: {problems:#?}");
        assert!(
            problems.iter().any(|problem| problem.place == *place),
            "case {i}, {rule:?} at {place:?}: {problems:#?}"
        );
        seen.insert(*rule);
    }
    let own: BTreeSet<Rule> = Rule::all().filter(|rule| rule.domain() == Domain::Stream).collect();
    assert!(own.is_subset(&seen), "{own:?}");
}

#[test]
fn sound_streams_break_no_rule() {
    type Build = fn(&mut Stream);
    let cases: &[Build] = &[
        |s| {
            let error = s.register();
            let job = s.submit("norm", 0..8, [1.into(), 2.into()]).result(error).id();
            s.wait(job).event(error).halt(error);
        },
        // A halt waits by itself.
        |s| {
            let error = s.register();
            s.submit("norm", 0..8, [1.into(), 2.into()]).result(error);
            s.halt(error);
        },
        // Both ways end.
        |s| {
            let [flag] = s.bindings(["flag"]);
            s.if_else(
                flag,
                |s| {
                    s.halt(1);
                },
                |s| {
                    s.if_else(
                        flag,
                        |s| {
                            s.halt(2);
                        },
                        |s| {
                            s.halt(3);
                        },
                    );
                },
            );
        },
        // A loop with a break, a continue, and cores from a register.
        |s| {
            let [most] = s.bindings(["most"]);
            let [job, first, done] = [s.register(), s.register(), s.register()];
            s.set(job, 0);
            s.loop_(|s| {
                s.geu(done, job, most).if_(done, |s| {
                    s.break_();
                });
                s.and(first, job, 7).mul(first, first, 8);
                s.submit_at("touch", first, 8, none());
                s.add(job, job, 1).ltu(done, job, 3).if_(done, |s| {
                    s.continue_();
                });
                s.event(job);
            });
            s.wait_all().halt(job);
        },
        |s| {
            (0..64).for_each(|_| done(s.enqueue("touch", 1, none())));
            s.wait_all();
            (0..64).for_each(|_| done(s.enqueue("touch", 1, none())));
            s.halt(0);
        },
        |s| {
            s.while_(
                |_| Value::Int(1),
                |s| {
                    s.submit("touch", 0..8, none());
                    s.halt(1);
                },
            );
        },
    ];
    for (i, build) in cases.iter().enumerate() {
        assert_eq!(problems(build), [], "case {i}");
        let mut stream = Stream::new();
        build(&mut stream);
        stream.encode(&facts()).unwrap();
    }
}

#[test]
fn the_size_of_a_stream_is_exact() {
    let facts = facts();
    let mut stream = Stream::new();
    stream.submit("touch", 0..8, none());
    stream.halt(7);
    let lines = komorebi_abi::stream::size(stream.model(), &facts);
    let sum: u64 = lines.iter().map(|line| line.bytes).sum();
    assert_eq!(sum, stream.encode(&facts).unwrap().bytes.len() as u64);
    let problems = stream.check(&Facts { region_bytes: 64, ..facts });
    assert_eq!(rules(&problems), [Rule::Size]);
    assert!(problems[0].help.contains("1 commands 64, 3 instructions 24"), "{}", problems[0].help);
}
