//! The catalogue of graphs, and of what the commands of streams share with them.

use super::{Entry, Rule};

pub(super) const CATALOGUE: &[Entry] = &[
    (
        Rule::HandlerUnknown,
        "KM0100",
        "a command names a handler that its program lacks",
        "The handlers are those of the program in angle brackets. A command for another program would run whatever has its number.",
    ),
    (
        Rule::ArgCount,
        "KM0101",
        "a command has too many or too few arguments",
        "A command carries the arguments that the handler declares, in their order, and the kernels read them by position.",
    ),
    (
        Rule::ArgType,
        "KM0102",
        "a value has the wrong type or does not fit",
        "Arguments are 32-bit words on the wire: a value of another type would arrive as other bits. An integer must fit its type; a \
      float is never made of an integer, nor an integer of a float.",
    ),
    (
        Rule::ResultMissing,
        "KM0103",
        "a result is taken from a handler that gives none",
        "Only a handler declared with `-> u32`, `-> i32` or `-> f32` stores a result word. Its register would hold whatever lay there.",
    ),
    (
        Rule::Group,
        "KM0104",
        "a group has no cores, or some outside the grid",
        "A group is a range of the program's cores, counted row by row from 0. The dispatcher refuses any other.",
    ),
    (
        Rule::GroupUnknown,
        "KM0105",
        "a group is named that is not declared",
        "Named groups are declared once and used by many commands.",
    ),
    (
        Rule::NodeUnknown,
        "KM0106",
        "`after` names a node that does not exist",
        "A node may be named before it is declared, but it must be declared.",
    ),
    (
        Rule::VariableUnknown,
        "KM0107",
        "a binding, register or constant is named that is not declared",
        "Values that change are bindings (given at each start) or registers (written by the graph or stream itself).",
    ),
    (
        Rule::NameTwice,
        "KM0108",
        "two elements have one name",
        "A name that stands for two things stands for neither.",
    ),
    (
        Rule::Cycle,
        "KM0109",
        "nodes wait for each other in a circle",
        "A node runs when all that it is `after` have completed. In a circle none can be the first. To run nodes again, use `again`: the whole \
      graph goes round once more.",
    ),
    (
        Rule::AfterItself,
        "KM0110",
        "a node waits for itself",
        "It would never run. To run it again, use `again`.",
    ),
    (
        Rule::ReadBeforeWrite,
        "KM0112",
        "a register is read before anything wrote it",
        "Registers are 0 at the start. A read needs a write that comes before it on every path; a value from outside is a binding.",
    ),
    (
        Rule::WriteUnordered,
        "KM0113",
        "two uses of a register have no order between them",
        "Nodes that neither follows the other run at once, and so does a stream with the commands it has not waited for: which of two writes comes \
      last, or whether a read sees a write, would differ from run to run.",
    ),
    (
        Rule::TensorRace,
        "KM0114",
        "two commands without order between them use one tensor on the same cores",
        "At least one of them writes it (`#[output]`, `#[inout]`), and a core may get them in either order, or read for the second before it \
      has written for the first. Commands on other cores may share a tensor: each has its own part. A stream's commands have an order behind a \
      wait, or when the later one is exclusive.",
    ),
    (
        Rule::Registers,
        "KM0115",
        "more bindings and registers than an engine has",
        "An engine has 32 registers, and bindings are the first of them. Constants take none.",
    ),
    (Rule::Bindings, "KM0116", "more bindings than a start carries", "A start carries one line of 16 words."),
    (
        Rule::Deadline,
        "KM0117",
        "the deadline is out of range",
        "It is given in microseconds, 1 to 4,294,967,295: at most 71 minutes.",
    ),
    (Rule::MaxRuns, "KM0118", "max_runs is out of range", "It is the most rounds, 1 to 4,294,967,295."),
    (Rule::Req, "KM0119", "req is out of range", "It marks the events of an engine, 16 bits: 0 to 65,535."),
    (
        Rule::Size,
        "KM0120",
        "the encoding does not fit the upload region",
        "The region is what is left of the X280's local memory: 707,840 bytes, and none for a program with an X280 thread, whose ring lies there.",
    ),
    (
        Rule::Endless,
        "KM0121",
        "a graph that can never end",
        "`again` is true after every round, whatever the commands do, and no max_runs ends it.",
    ),
    (
        Rule::QueueFull,
        "KM0122",
        "more queued commands at once than the job queue holds",
        "The queue holds 64 commands that wait for cores. One more ends the engine with the error `queue`.",
    ),
    (
        Rule::ExclusiveQueued,
        "KM0123",
        "a command is both exclusive and queued",
        "An exclusive command waits until its cores are quiet; a queued one is given quiet cores. The dispatcher refuses both at once.",
    ),
    (
        Rule::ConstantWritten,
        "KM0124",
        "a constant is written",
        "Constants are part of the code. What changes is a register.",
    ),
    (
        Rule::VariableType,
        "KM0125",
        "a variable has a type that its use does not fit",
        "Registers are 32 bits and carry their bits unchanged: nothing converts them but the conversion instructions.",
    ),
    (
        Rule::CpuLength,
        "KM0126",
        "a cpu node has no instructions, or more than 256",
        "A cpu node runs in one go, and the commands of everyone else wait for it.",
    ),
    (Rule::Empty, "KM0127", "nothing to run", "A graph needs a node, a stream a step."),
    (
        Rule::ArgWords,
        "KM0128",
        "more than ten argument words",
        "A command carries ten 32-bit words. The rest belongs into a tensor.",
    ),
];
