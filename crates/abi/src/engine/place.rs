//! Places in a model.

/// Where in a graph or stream a problem lies. An *item* is a graph's node or a stream's step, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// The whole.
    Upload,
    /// `deadline`.
    Deadline,
    /// `max_runs`.
    MaxRuns,
    /// `req`.
    Req,
    /// A binding, register or constant, by position.
    Variable(u32),
    /// A named group, by position.
    GroupName(u32),
    /// The first or second register of the end event.
    End(u8),
    /// An item.
    Item(u32),
    /// An item's handler.
    Handler(u32),
    /// An item's group.
    Group(u32),
    /// An argument of an item.
    Arg(u32, u32),
    /// An item's result register.
    Result(u32),
    /// `exclusive` of an item.
    Exclusive(u32),
    /// `queued` of an item.
    Queued(u32),
    /// An entry of a node's `after`.
    After(u32, u32),
    /// An instruction of a cpu node.
    Statement(u32, u32),
    /// An operand of an instruction: item, instruction (0 in a stream), operand; [`Place::TARGET`] for what it writes.
    Operand(u32, u32, u32),
}

impl Place {
    /// The operand number of what an instruction writes.
    pub const TARGET: u32 = u32::MAX;

    /// The item it belongs to.
    pub const fn item(self) -> Option<u32> {
        match self {
            Self::Item(item)
            | Self::Handler(item)
            | Self::Group(item)
            | Self::Arg(item, _)
            | Self::Result(item)
            | Self::Exclusive(item)
            | Self::Queued(item)
            | Self::After(item, _)
            | Self::Statement(item, _)
            | Self::Operand(item, _, _) => Some(item),
            _ => None,
        }
    }
}
