//! Example 04_reduce as a person runs it.

use std::process::{Command, Output};

fn reduce(card: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_04_reduce"));
    command.env("KM_CARD", card).output().expect("the example starts")
}

#[test]
fn the_sum_of_the_card_has_the_bits_of_the_same_additions_on_the_host_every_time() {
    let outputs = [reduce("sim"), reduce("sim")];
    for output in &outputs {
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
        assert!(
            said.contains("983040 binary32") && said.contains("the bits of the same additions"),
            "{said}"
        );
    }
    assert_eq!(outputs[0].stdout, outputs[1].stdout);
}

#[test]
fn a_card_that_is_not_there_is_one_line_and_status_1() {
    let output = reduce("card:4096");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), said.lines().count()), (Some(1), 1), "{said}");
    assert!(said.starts_with("04_reduce: there is no card"), "{said}");
}
