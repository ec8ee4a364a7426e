//! Graphs on the dispatcher: from RUN to the end event, without the host.

use std::time::Duration;

use komorebi_abi::engine::{Image, Links, Record, RecordBody, UploadKind};
use komorebi_abi::wire::EventKind;
use komorebi_tests::dispatcher::Setup;
use komorebi_tests::engine::generate::{close, header};

fn command(handler: u8, first: u8, count: u8, args: &[u32]) -> RecordBody {
    let mut words = [0; 10];
    words[..args.len()].copy_from_slice(args);
    RecordBody::Command {
        handler,
        first,
        count,
        words: args.len() as u8,
        mask: 0,
        args: words,
        exclusive: false,
        queued: false,
        result: None,
    }
}

#[test]
fn a_chain_of_two_commands_runs_from_run_to_its_end_event() {
    let mut rig = Setup::default().run();
    let records = vec![
        Record {
            body: command(1, 0, 120, &[7, 8, 9]),
            links: Links { successors: 1, link: 1 },
            predecessors: 1,
        },
        Record { body: command(2, 5, 1, &[]), links: Links::default(), predecessors: 1 },
    ];
    let mut image =
        Image { header: header(UploadKind::Graph, 77), records, instructions: vec![], edges: vec![] };
    image.header.start = Links { successors: 1, link: 0 };
    let image = close(image);
    rig.start_upload(0, &image.encode(), UploadKind::Graph, &[]);
    let published = rig.wait_published(119, 0, 1);
    assert_eq!((published.handler, published.args, published.count), (1, 3, 120));
    rig.expect_silence(Duration::from_micros(50));
    assert_eq!(rig.published(5, 0).sequence, 1, "the second node waits");
    rig.complete(0, 1, 0);
    let published = rig.wait_published(5, 0, 2);
    assert_eq!((published.handler, published.first, published.count), (2, 5, 1));
    rig.complete(0, 2, 0);
    let event = rig.event();
    assert_eq!((event.kind, event.number, event.value, event.auxiliary), (Ok(EventKind::End), 77, 0, 0));
    assert!(event.ticks > 0 && u64::from(event.ticks) < 1000 * 50, "{event:?}");
}
