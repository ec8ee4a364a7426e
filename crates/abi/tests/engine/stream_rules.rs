//! Each rule of streams: a stream that breaks it and that alone, beside one that keeps it.

use std::collections::BTreeSet;

use super::support::{done, facts, none, rules};
use komorebi_abi::engine::{Arithmetic, Domain, Facts, Place, Problem, Rule, Value, Var};
use komorebi_abi::stream::{StepBody, Stream};

fn problems(build: impl FnOnce(&mut Stream)) -> Vec<Problem> {
    let mut stream = Stream::new();
    build(&mut stream);
    stream.check(&facts())
}

/// `while page < pages` around `body`.
fn counting(body: impl FnOnce(&mut Stream, [Var; 3])) -> Vec<Problem> {
    problems(|s| {
        let [pages] = s.bindings(["pages"]);
        let [page, more] = [s.register(), s.register()];
        s.set(page, 0);
        s.while_(
            |s| {
                s.ltu(more, page, pages);
                more.into()
            },
            |s| body(s, [page, pages, more]),
        );
        s.wait_all().halt(page);
    })
}

#[test]
fn a_loop_whose_condition_never_changes_has_no_way_out() {
    let refused = |found: Vec<Problem>| {
        assert!(rules(&found) == [Rule::StreamLoop], "{found:#?}");
        let found = found.into_iter().find(|problem| problem.rule == Rule::StreamLoop);
        found.map_or_else(String::new, |problem| problem.message)
    };
    let message = refused(counting(|s, [page, ..]| done(s.event(page))));
    assert_eq!(
        message,
        "this loop never ends once it goes round: nothing in it changes register 1 or `pages`"
    );
    // The condition itself is computed anew each time, from the same.
    refused(counting(|s, [_, _, more]| {
        s.event(more);
        s.add(more, more, 1);
    }));
    // A way out under a condition that is as fixed is none.
    refused(counting(|s, [page, pages, _]| {
        let other = s.register();
        s.eq(other, page, pages);
        s.if_(other, |s| done(s.break_()));
    }));
    // The outer loop changes what the inner one waits for, and is never reached again.
    let message = refused(counting(|s, [page, pages, more]| {
        s.while_(
            |s| {
                s.ltu(more, page, pages);
                more.into()
            },
            |s| done(s.event(page)),
        );
        s.add(page, page, 1);
    }));
    assert!(message.contains("register 1 or"), "{message}");
}

#[test]
fn a_loop_whose_condition_may_change_is_fine() {
    assert_eq!(counting(|s, [page, ..]| done(s.add(page, page, 1))), []);
    // On one way round, by way of another register.
    let found = counting(|s, [page, pages, _]| {
        let [odd, next] = [s.register(), s.register()];
        s.and(odd, pages, 1).add(next, page, 1);
        s.if_(odd, |s| done(s.set(page, next)));
    });
    assert_eq!(found, []);
    // By the result of a command.
    let found = counting(|s, [page, ..]| {
        s.submit("norm", 0..8, [0.into(), 1.into()]).result(page);
        s.wait_all();
    });
    assert_eq!(found, []);
    // One of two ways out is enough, and so is a halt.
    let found = counting(|s, [page, pages, more]| {
        let turns = s.register();
        s.set(turns, page).add(turns, turns, 1).ltu(more, turns, pages);
        s.if_(more, |s| done(s.halt(1)));
    });
    assert!(rules(&found) == [Rule::StreamLoop], "`turns` begins anew each time: {found:#?}");
    let found = problems(|s| {
        let [pages] = s.bindings(["pages"]);
        let [turns, more] = [s.register(), s.register()];
        s.set(turns, 0);
        s.while_(
            |_| pages.into(),
            |s| {
                s.add(turns, turns, 1).ltu(more, turns, 9);
                s.if_else(more, |s| done(s.event(turns)), |s| done(s.halt(1)));
            },
        );
        s.halt(0);
    });
    assert_eq!(found, []);
    // The inner loop's condition is the outer's affair where the inner one leaves by another.
    let found = counting(|s, [page, pages, _]| {
        let turn = s.register();
        s.set(turn, 0);
        s.loop_(|s| {
            let more = s.register();
            s.add(turn, turn, 1).ltu(more, turn, pages);
            s.if_else(more, |s| done(s.continue_()), |s| done(s.break_()));
        });
        s.add(page, page, 1);
    });
    assert_eq!(found, []);
    // A result from before the loop comes in it.
    let found = problems(|s| {
        let flag = s.register();
        s.set(flag, 1);
        s.submit("norm", 0..8, [0.into(), 1.into()]).result(flag);
        s.loop_(|s| {
            s.wait_all();
            s.if_(flag, |s| done(s.break_()));
        });
        s.halt(0);
    });
    assert_eq!(found, []);
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
        // Nothing writes the condition.
        (Rule::StreamLoop, Place::Item(3), |s| {
            let [pages] = s.bindings(["pages"]);
            s.while_(
                |_| pages.into(),
                |s| {
                    s.event(pages);
                },
            );
            s.halt(0);
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
        // The result may overwrite the number, or the number the result.
        (Rule::WriteUnordered, Place::Operand(1, 0, Place::TARGET), |s| {
            let x = s.register();
            s.submit("norm", 0..8, [1.into(), 2.into()]).result(x);
            s.set(x, 5).event(x).wait_all().halt(x);
        }),
        (Rule::WriteUnordered, Place::Result(1), |s| {
            let x = s.register();
            s.submit("norm", 0..8, [1.into(), 2.into()]).result(x);
            s.submit("norm", 8..16, [1.into(), 2.into()]).result(x);
            s.halt(x);
        }),
        // In flight on one of two ways.
        (Rule::WriteUnordered, Place::Operand(4, 0, Place::TARGET), |s| {
            let [flag] = s.bindings(["flag"]);
            let x = s.register();
            s.set(x, 0).if_(flag, |s| {
                s.submit("norm", 0..8, [1.into(), 2.into()]).result(x);
            });
            s.set(x, 1).halt(x);
        }),
        // In flight from the turn before.
        (Rule::WriteUnordered, Place::Result(2), |s| {
            let [more] = s.bindings(["more"]);
            let x = s.register();
            s.while_(
                |_| more.into(),
                |s| {
                    s.submit("norm", 0..8, [1.into(), 2.into()]).result(x);
                    s.sub(more, more, 1);
                },
            );
            s.wait_all().halt(more);
        }),
        // A result comes into a binding too.
        (Rule::ReadBeforeWrite, Place::Operand(1, 0, 0), |s| {
            let [given] = s.bindings(["given"]);
            s.submit("norm", 0..8, [1.into(), 2.into()]).result(given);
            s.event(given).halt(given);
        }),
        (Rule::TensorRace, Place::Arg(1, 0), |s| {
            let [state] = s.bindings(["state"]);
            s.submit("left", 0..8, [state.into()]);
            s.submit("right", 4..12, [state.into()]);
            s.halt(0);
        }),
        // One reads what the other writes; a wait for a third helps nobody.
        (Rule::TensorRace, Place::Arg(3, 0), |s| {
            let error = s.register();
            s.submit("left", 0..120, [64.into()]);
            let third = s.submit("touch", 0..8, none()).id();
            s.wait(third);
            s.submit("norm", 5, [64.into(), 1.into()]).result(error);
            s.halt(error);
        }),
        (Rule::TensorRace, Place::Arg(2, 0), |s| {
            let [state, turns] = s.bindings(["state", "turns"]);
            s.while_(
                |_| turns.into(),
                |s| {
                    s.submit("step", 0..60, [state.into(), turns.into()]);
                    s.sub(turns, turns, 1);
                },
            );
            s.halt(turns);
        }),
        // Wherever the cores begin: from one variable, or two groups that cannot pass each other.
        (Rule::TensorRace, Place::Arg(1, 0), |s| {
            let [state, first] = s.bindings(["state", "first"]);
            s.submit_at("left", first, 8, [state.into()]);
            s.submit_at("right", first, 4, [state.into()]);
            s.halt(0);
        }),
        (Rule::TensorRace, Place::Arg(1, 0), |s| {
            let [state, first] = s.bindings(["state", "first"]);
            s.submit_at("left", first, 61, [state.into()]);
            s.submit("right", 59..61, [state.into()]);
            s.halt(0);
        }),
        // Numbers of variables have no end: constants take no registers.
        (Rule::ReadBeforeWrite, Place::Operand(0, 0, 0), |s| {
            (0..300_u32).for_each(|i| done(s.constant(&format!("c{i}"), i)));
            let never = s.register();
            s.event(never).halt(0);
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
        // Behind the wait there is a value, whichever way was taken.
        |s| {
            let [flag] = s.bindings(["flag"]);
            let [x, y] = [s.register(), s.register()];
            s.set(x, 0).if_else(
                flag,
                |s| {
                    s.submit("norm", 0..8, [1.into(), 2.into()]).result(x);
                    s.submit("norm", 8..16, [1.into(), 2.into()]).result(y);
                },
                |s| done(s.set(y, 1)),
            );
            s.wait_all().add(x, x, y).event(x).halt(y);
        },
        // A turn waits for its own command.
        |s| {
            let [turns, state] = s.bindings(["turns", "state"]);
            let error = s.register();
            s.set(error, 1).while_(
                |_| turns.into(),
                |s| {
                    s.submit("step", 0..60, [state.into(), error.into()]);
                    s.wait_all();
                    let asked = s.submit("norm", 0..60, [state.into(), 1.into()]).result(error).id();
                    s.wait(asked).sub(turns, turns, 1);
                },
            );
            s.halt(error);
        },
        // Other cores, other tensors, two that only read; an exclusive one waits by itself, a queued one has its own cores.
        |s| {
            let [state, first] = s.bindings(["state", "first"]);
            let [x, y] = [s.register(), s.register()];
            s.submit("left", 0..8, [state.into()]);
            s.submit("right", 8..16, [state.into()]);
            s.submit("left", 0..8, [first.into()]);
            s.submit("norm", 16..24, [state.into(), 1.into()]).result(x);
            s.submit("norm", 16..24, [state.into(), 1.into()]).result(y);
            s.submit("step", 0..20, [state.into(), 1.into()]).exclusive();
            s.enqueue("left", 8, [state.into()]);
            s.halt(x);
        },
        // An exclusive command's result comes behind that of the one it waited for.
        |s| {
            let x = s.register();
            s.submit("norm", 0..8, [1.into(), 2.into()]).result(x);
            s.submit("norm", 4..12, [1.into(), 2.into()]).result(x).exclusive();
            s.halt(x);
        },
        // The address, or the cores, are others by then.
        |s| {
            let [state, first] = s.bindings(["state", "first"]);
            s.submit("left", 0..8, [state.into()]);
            s.add(state, state, 4096).submit("left", 0..8, [state.into()]);
            s.submit_at("right", first, 8, [64.into()]);
            s.add(first, first, 8).submit_at("right", first, 8, [64.into()]);
            s.halt(0);
        },
        |s| {
            (0..300_u32).for_each(|i| done(s.constant(&format!("c{i}"), i)));
            let last = s.register();
            s.set(last, "c299").event(last).halt(last);
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
fn a_race_of_a_stream_says_both_ends() {
    let found = problems(|s| {
        let x = s.register_named("x", None);
        s.submit("norm", 0..8, [1.into(), 2.into()]).result(x).named("asked");
        s.set(x, 5).halt(x);
    });
    assert_eq!(
        found.iter().map(ToString::to_string).collect::<Vec<_>>(),
        [
            "KM0113: `x` is written here while `asked`, which writes it too, may be in flight; wait for `asked` first, or use two registers"
        ]
    );
    assert_eq!(found[0].related, [(Place::Result(0), "the result of `asked` goes to `x`".to_owned())]);
    let found = problems(|s| {
        let [state] = s.bindings(["state"]);
        s.submit("step", 0..8, [state.into(), 2.into()]).named("a");
        s.submit("norm", 7..9, [state.into(), 2.into()]).named("b");
        s.halt(0);
    });
    assert_eq!(
        found.iter().map(ToString::to_string).collect::<Vec<_>>(),
        [
            "KM0114: `b` reads `state` while `a`, which writes it, may be in flight, both on core 7; wait for `a` first, or give them groups that share no core"
        ]
    );
    assert_eq!(found[0].related, [(Place::Arg(0, 0), "`a` writes `state` here".to_owned())]);
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
