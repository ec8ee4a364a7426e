//! A stream while it runs: the dispatcher's stream engine, over the same bytes.

use crate::constants::engine as c;
use crate::engine::{
    EngineCommand, Image, Instruction, Machine, Opcode, Output, Reason, Refusal, Step, UploadKind, initial,
    store_result,
};

/// A stream that runs.
#[derive(Clone, Debug)]
pub struct StreamMachine {
    image: Image,
    code: Vec<Instruction>,
    cores: u32,
    registers: [u32; c::REGISTERS as usize],
    pc: u32,
    in_flight: Vec<u32>,
    total: u32,
    submitted: Option<(u32, u32)>,
    stopped: Option<Refusal>,
    ended: bool,
}

impl StreamMachine {
    /// Checks an upload as the dispatcher does, and starts it with `bindings`. `cores`: of the grid.
    pub fn start(bytes: &[u8], cores: u32, bindings: &[u32]) -> Result<Self, Refusal> {
        let image = Image::check(bytes, UploadKind::Stream, cores, Some(bindings))?;
        let code = image.instructions.iter().filter_map(|word| Instruction::decode(*word).ok()).collect();
        Ok(Self {
            registers: initial(bindings, image.header.bindings),
            in_flight: vec![0; image.records.len()],
            pc: 0,
            total: 0,
            submitted: None,
            stopped: None,
            ended: false,
            code,
            cores,
            image,
        })
    }

    /// The next instruction.
    pub fn pc(&self) -> u32 {
        self.pc
    }

    fn register(&self, register: u8) -> u32 {
        self.registers[usize::from(register) % self.registers.len()]
    }

    /// Ends it with an error at the instruction at hand.
    fn fail(&mut self, reason: Reason) {
        self.stopped.get_or_insert(Refusal { reason, place: Some(self.pc) });
    }

    fn submit(&mut self, instruction: Instruction) -> Option<Step> {
        let record = instruction.value;
        let body = self.image.records.get(record as usize)?.body;
        let mut command = EngineCommand::new(record, self.pc, &body, &self.registers)?;
        if instruction.op == Opcode::SubmitAt {
            let first = self.register(instruction.a);
            if u64::from(first) + u64::from(command.count) > self.cores.into() {
                self.fail(Reason::GROUP);
                return None;
            }
            command.first = first as u8;
        }
        self.in_flight[record as usize] += 1;
        self.total += 1;
        self.submitted = Some((record, self.pc));
        self.pc += 1;
        Some(Step::Submit(command))
    }
}

impl Machine for StreamMachine {
    fn next(&mut self, budget: u32) -> Step {
        for _ in 0..budget.max(1) {
            if self.ended {
                return Step::Ended;
            }
            if let Some(refusal) = self.stopped {
                if self.total != 0 {
                    return Step::Wait;
                }
                self.ended = true;
                return Step::Post(Output::Error(refusal));
            }
            // The check has seen to it that the last instruction leaves.
            let Some(instruction) = self.code.get(self.pc as usize).copied() else {
                self.fail(Reason::END);
                continue;
            };
            let goes = match instruction.op {
                Opcode::Submit | Opcode::SubmitAt | Opcode::Enqueue => match self.submit(instruction) {
                    Some(step) => return step,
                    None => {
                        self.fail(Reason::OPERAND);
                        continue;
                    }
                },
                Opcode::Wait => {
                    if self.in_flight.get(instruction.value as usize).is_some_and(|count| *count != 0) {
                        return Step::Wait;
                    }
                    false
                }
                Opcode::WaitAll => {
                    if self.total != 0 {
                        return Step::Wait;
                    }
                    false
                }
                Opcode::Halt => {
                    if self.total != 0 {
                        return Step::Wait;
                    }
                    self.ended = true;
                    return Step::Post(Output::Halt(self.register(instruction.a)));
                }
                Opcode::Event => {
                    self.pc += 1;
                    return Step::Post(Output::Event(self.register(instruction.a)));
                }
                Opcode::Jump => true,
                Opcode::JumpZero => self.register(instruction.a) == 0,
                Opcode::JumpNonzero => self.register(instruction.a) != 0,
                _ => {
                    instruction.compute(&mut self.registers);
                    false
                }
            };
            self.pc = if goes { instruction.value } else { self.pc + 1 };
        }
        Step::Spent
    }

    fn complete(&mut self, record: u32, result: u32) {
        if let Some(count) = self.in_flight.get_mut(record as usize).filter(|count| **count != 0) {
            *count -= 1;
            self.total -= 1;
            store_result(self.image.records.get(record as usize), result, &mut self.registers);
        }
    }

    fn refused(&mut self) {
        let Some((record, pc)) = self.submitted.take() else { return };
        self.pc = pc;
        if let Some(count) = self.in_flight.get_mut(record as usize).filter(|count| **count != 0) {
            *count -= 1;
            self.total -= 1;
        }
        self.fail(Reason::QUEUE);
    }

    fn stop(&mut self, reason: Reason) {
        self.fail(reason);
    }

    fn in_flight(&self) -> u32 {
        self.total
    }

    fn registers(&self) -> &[u32; c::REGISTERS as usize] {
        &self.registers
    }

    fn runs(&self) -> u32 {
        u32::from(self.ended)
    }
}
