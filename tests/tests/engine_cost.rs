//! What engines cost the dispatcher, with real kernels on the grid: a graph's node, a round, a launch, a stream's
//! instruction. Counts and the model's nominal time; the numbers are printed (`--nocapture`), the bounds are what a change
//! must not exceed.

use komorebi_sim::Setting;
use komorebi_tests::dispatcher::Setup;
use komorebi_tests::engine::{Bed, launch_microseconds};

#[test]
fn a_node_boundary_on_1_12_and_120_cores() {
    let bed = Bed::load(Setting::Nominal).unwrap();
    for cores in [1, 12, 120] {
        let cost = bed.node(cores).unwrap();
        println!("a node on {cores} cores: {cost:.2?}");
        assert!(cost.microseconds <= 1.7 && cost.loads <= 36.0, "{cost:?}");
    }
}

#[test]
fn a_launch() {
    let [first, again] = launch_microseconds(Setup::default());
    println!(
        "launch of a graph of one node: {first:.2} us with windows and check, {again:.2} us of a kept one"
    );
    assert!(first <= 7.0 && again <= 3.0);
}

#[test]
fn a_round_of_a_command_and_a_cpu_node() {
    let cost = Bed::load(Setting::Nominal).unwrap().round().unwrap();
    println!("a round: {cost:.2?}");
    assert!(cost.microseconds <= 5.2 && cost.loads <= 120.0, "{cost:?}");
}

#[test]
fn an_instruction_of_a_stream() {
    let each = Bed::load(Setting::Nominal).unwrap().instruction().unwrap();
    println!("an instruction: {each:.3} us, {:.0} a second", 1e6 / each);
    assert!(each <= 0.38);
}
