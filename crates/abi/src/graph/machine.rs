//! A graph while it runs: the dispatcher's graph engine, over the same bytes.

use std::collections::VecDeque;

use crate::constants::engine as c;
use crate::engine::{
    EngineCommand, Image, Instruction, Links, Machine, Output, Reason, RecordBody, Refusal, Step, UploadKind,
    initial, store_result,
};

/// A graph that runs.
#[derive(Clone, Debug)]
pub struct GraphMachine {
    image: Image,
    code: Vec<Instruction>,
    registers: [u32; c::REGISTERS as usize],
    pending: Vec<u16>,
    ready: VecDeque<u32>,
    left: u32,
    in_flight: u32,
    rounds: u32,
    submitted: Option<u32>,
    stopped: Option<Refusal>,
    ended: bool,
}

impl GraphMachine {
    /// Checks an upload as the dispatcher does, and starts it with `bindings`. `cores`: of the grid.
    pub fn start(bytes: &[u8], cores: u32, bindings: &[u32]) -> Result<Self, Refusal> {
        let image = Image::check(bytes, UploadKind::Graph, cores, Some(bindings))?;
        // A word that no cpu node holds need not be an instruction; it is never run.
        let none = Instruction::unary(crate::engine::Opcode::Move, 0, 0);
        let code = image.instructions.iter().map(|word| Instruction::decode(*word).unwrap_or(none)).collect();
        let mut machine = Self {
            registers: initial(bindings, image.header.bindings),
            pending: image.records.iter().map(|record| record.predecessors).collect(),
            ready: VecDeque::new(),
            left: 0,
            in_flight: 0,
            rounds: 0,
            submitted: None,
            stopped: None,
            ended: false,
            code,
            image,
        };
        machine.start_round();
        Ok(machine)
    }

    /// Runs a kept graph that has ended again, with new bindings.
    pub fn restart(&mut self, bindings: &[u32]) {
        self.registers = initial(bindings, self.image.header.bindings);
        self.ready.clear();
        self.pending
            .iter_mut()
            .zip(&self.image.records)
            .for_each(|(pending, record)| *pending = record.predecessors);
        (self.in_flight, self.rounds, self.submitted, self.stopped, self.ended) = (0, 0, None, None, false);
        self.start_round();
    }

    fn start_round(&mut self) {
        self.left = self.image.records.len() as u32;
        self.follow(self.image.header.start);
    }

    /// Counts the successors down; those that nothing precedes any more are ready.
    fn follow(&mut self, links: Links) {
        for node in links.nodes(&self.image.edges).unwrap_or_default() {
            let Some(pending) = self.pending.get_mut(usize::from(node)) else { continue };
            *pending = pending.wrapping_sub(1);
            if *pending == 0 {
                self.ready.push_back(node.into());
            }
        }
    }

    fn done(&mut self, node: u32) {
        let Some(record) = self.image.records.get(node as usize).copied() else { return };
        self.pending[node as usize] = record.predecessors;
        self.left = self.left.saturating_sub(1);
        self.follow(record.links);
    }

    fn register(&self, register: Option<u8>) -> u32 {
        register.map_or(0, |register| self.registers[usize::from(register) % self.registers.len()])
    }

    fn post_last(&mut self, output: Output) -> Step {
        self.ended = true;
        Step::Post(output)
    }
}

impl Machine for GraphMachine {
    fn next(&mut self, budget: u32) -> Step {
        let mut left = budget.max(1);
        loop {
            if self.ended {
                return Step::Ended;
            }
            if let Some(refusal) = self.stopped {
                return if self.in_flight == 0 { self.post_last(Output::Error(refusal)) } else { Step::Wait };
            }
            if let Some(node) = self.ready.pop_front() {
                let Some(record) = self.image.records.get(node as usize) else { continue };
                match record.body {
                    RecordBody::Command { .. } => {
                        let Some(command) = EngineCommand::new(node, node, &record.body, &self.registers)
                        else {
                            continue;
                        };
                        self.in_flight += 1;
                        self.submitted = Some(node);
                        return Step::Submit(command);
                    }
                    RecordBody::Cpu { first, count } => {
                        let code = self.code.iter().skip(first as usize).take(count as usize);
                        code.for_each(|instruction| {
                            instruction.compute(&mut self.registers);
                        });
                        self.done(node);
                        left = left.saturating_sub(count);
                        if left == 0 {
                            return Step::Spent;
                        }
                    }
                }
            } else if self.in_flight != 0 {
                return Step::Wait;
            } else if self.left != 0 {
                return self.post_last(Output::Error(Refusal { reason: Reason::STUCK, place: None }));
            } else {
                self.rounds = self.rounds.saturating_add(1);
                let header = &self.image.header;
                let more = header.max_runs == 0 || self.rounds < header.max_runs;
                if more && self.register(header.again) != 0 {
                    self.start_round();
                    return Step::Post(Output::Round(self.rounds));
                }
                let [first, second] = header.end.map(|register| self.register(register));
                return self.post_last(Output::End(first, second));
            }
        }
    }

    fn complete(&mut self, record: u32, result: u32) {
        self.in_flight = self.in_flight.saturating_sub(1);
        store_result(self.image.records.get(record as usize), result, &mut self.registers);
        self.done(record);
    }

    fn refused(&mut self) {
        if let Some(node) = self.submitted.take() {
            self.in_flight = self.in_flight.saturating_sub(1);
            self.stopped.get_or_insert(Refusal { reason: Reason::QUEUE, place: Some(node) });
        }
    }

    fn stop(&mut self, reason: Reason) {
        self.stopped.get_or_insert(Refusal { reason, place: None });
    }

    fn in_flight(&self) -> u32 {
        self.in_flight
    }

    fn registers(&self) -> &[u32; c::REGISTERS as usize] {
        &self.registers
    }

    fn runs(&self) -> u32 {
        self.rounds
    }
}
