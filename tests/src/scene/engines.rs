//! Scenarios of graphs and streams: on the card, run by the host, cancelled, late, and gone on with from a snapshot.

use std::time::Duration;

use komorebi as km;
use komorebi_card::Card as _;
use komorebi_sim::Card;

use super::Scene;
use super::scenarios::{TIMEOUT, failed, program, stop, works};
use crate::engine::counting::{adding, counting, spinning};

pub(super) fn graph(scene: &mut Scene) {
    let run = scene.session().load(program()).unwrap();
    let upload = run.upload(&adding(4)).unwrap();
    for (i, bound) in [[10_u32, 35, 0, 0], [7, 20, 0, 0], [1, 9, 0, 0]].into_iter().enumerate() {
        let handle = if i == 0 { run.start(&upload, bound) } else { run.restart(&upload, bound) }.unwrap();
        let end = run.wait_engine(&handle, TIMEOUT).unwrap();
        scene.result(format!("{:?}", end.end()));
    }
    let unread = run.restart(&upload, [10_u32, 35, 0, 0]).unwrap();
    scene.pass(Duration::from_millis(1));
    run.cancel(&unread, TIMEOUT).unwrap();
    scene.result(format!("{:?}", run.wait_engine(&unread, TIMEOUT).unwrap().end()));
    stop(scene, run);
}

pub(super) fn streams(scene: &mut Scene) {
    let run = scene.session().load(program()).unwrap();
    let uploads: Vec<_> = (1..=3).map(|req| run.upload(&counting(req, 3)).unwrap()).collect();
    let handles: Vec<_> = uploads.iter().map(|upload| run.start(upload, [9_u32]).unwrap()).collect();
    let own = (0..10).map(|i| km::call("sum", &[i, i]).on(2..4).result::<u32>());
    let own = run.submit_many(own).unwrap();
    for event in run.wait(own, TIMEOUT).unwrap() {
        scene.result(event.value().to_string());
    }
    for handle in &handles {
        let end = run.wait_engine(handle, TIMEOUT).unwrap();
        let values: Vec<_> = handle.events().iter().map(|event| event.value).collect();
        scene.result(format!("{:?} {values:?}", end.end()));
    }
    stop(scene, run);
}

pub(super) fn cancelled(scene: &mut Scene) {
    let options = km::LoadOptions { event_depth: 4, host_depth: 4, ..Default::default() };
    let run = scene.session().load_with(program(), options).unwrap();
    let upload = run.upload(&spinning(2, true)).unwrap();
    let handle = run.start(&upload, [1_u32]).unwrap();
    let event = run.wait_engine_event(&handle, 20, TIMEOUT).unwrap();
    scene.result(format!("{:?}", event.value));
    run.cancel(&handle, TIMEOUT).unwrap();
    let error = run.wait_engine(&handle, TIMEOUT).unwrap_err();
    failed(scene, &error);
    scene.detail(handle.events().len().to_string());
    stop(scene, run);
}

/// One whose own deadline passes, and one of whose commands does not come back in time.
pub(super) fn late(scene: &mut Scene) {
    let session = scene.session();
    let options = km::LoadOptions { deadline: Duration::from_millis(1), ..Default::default() };
    let run = session.load_with(program(), options).unwrap();
    let upload = run.upload(&spinning(4, false).deadline_us(300)).unwrap();
    let handle = run.start(&upload, [1_u32]).unwrap();
    let error = run.wait_engine(&handle, TIMEOUT).unwrap_err();
    failed(scene, &error);
    let mut waits = km::Stream::new().req(5);
    waits.submit("stuck", 1..4, [2_u32.into()]);
    waits.wait_all().halt(0);
    let upload = run.upload(&waits).unwrap();
    let handle = run.start(&upload, ()).unwrap();
    let error = run.wait_engine(&handle, TIMEOUT).unwrap_err();
    failed(scene, &error);
    stop(scene, run);
    works(scene, &session);
}

/// The same as on the card, fed command by command, with commands of the host's own in between.
pub(super) fn hostfed(scene: &mut Scene) {
    let run = scene.session().load(program()).unwrap();
    let graph = run.run_hostfed(&adding(4), [10_u32, 35, 0, 0], TIMEOUT).unwrap();
    scene.result(format!("{:?} in {} rounds", graph.end(), graph.runs));
    scene.detail(format!("{graph:?}"));
    let sum = run.submit(km::call("sum", &[3, 4]).on(1..3).result::<u32>()).unwrap();
    let stream = run.run_hostfed(&counting(2, 3), [7_u32], TIMEOUT).unwrap();
    scene.result(format!("{:?} with {:?}", stream.end(), stream.events));
    scene.detail(format!("{stream:?}"));
    scene.result(run.wait(sum, TIMEOUT).unwrap().value().to_string());
    stop(scene, run);
}

/// A fork, and the card itself when it was put back, go on as it did the first time.
pub(super) fn snapshot(scene: &mut Scene) {
    let run = scene.session().load(program()).unwrap();
    let upload = run.upload(&counting(3, 4)).unwrap();
    let handle = run.start(&upload, [60_u32]).unwrap();
    let card = scene.card().clone();
    let snapshot = card.snapshot();
    let go = |card: &Card| {
        let until = snapshot.at() + Duration::from_micros(100);
        while card.now() < until {
            card.relax(until).unwrap();
        }
        format!("{:x?} at {:?}", card.digest(), card.now())
    };
    let first = go(&card);
    assert_eq!(go(&snapshot.fork().unwrap()), first, "forked");
    card.restore(&snapshot).unwrap();
    assert_eq!(go(&card), first, "put back");
    scene.detail(first);
    let end = run.wait_engine(&handle, TIMEOUT).unwrap();
    let values: Vec<_> = handle.events().iter().map(|event| event.value).collect();
    scene.result(format!("{:?} {values:?}", end.end()));
    stop(scene, run);
}
