//! The names of control registers, for messages, and why a hart has no such register.

/// What a control register is called, and what is known of it where a hart does not have it.
pub(super) fn describe(number: u16) -> (String, &'static str) {
    const NONE: &str = "there is none";
    const VECTOR: &str = "the vector unit is not modelled";
    const COPROCESSOR: &str = "the coprocessor is not modelled";
    const INTERRUPT: &str = "interrupts of a baby core are not modelled";
    let (name, why) = match number {
        0x001 => ("fflags", NONE),
        0x002 => ("frm", NONE),
        0x003 => ("fcsr", NONE),
        0x008 => ("vstart", VECTOR),
        0x009 => ("vxsat", VECTOR),
        0x00a => ("vxrm", VECTOR),
        0x180 => ("satp", NONE),
        0x300 => ("mstatus", NONE),
        0x301 => ("misa", NONE),
        0x304 => ("mie", NONE),
        0x305 => ("mtvec", NONE),
        0x306 => ("mcounteren", NONE),
        0x320 => ("mcountinhibit", NONE),
        0x340 => ("mscratch", NONE),
        0x341 => ("mepc", NONE),
        0x342 => ("mcause", NONE),
        0x343 => ("mtval", NONE),
        0x344 => ("mip", NONE),
        0x3a0..=0x3ef => ("pmp", NONE),
        0x7a0..=0x7af => ("trigger", NONE),
        0x7b0..=0x7b3 => ("debug", NONE),
        0xbc0 => ("tt_cfg_qstatus", COPROCESSOR),
        0xbc1 => ("tt_cfg_bstatus", COPROCESSOR),
        0xbc2..=0xbc9 => ("tt_cfg_sstatus", COPROCESSOR),
        0xbca => ("intp_restore_pc", INTERRUPT),
        0xc00 => ("cycle", NONE),
        0xc01 => ("time", NONE),
        0xc02 => ("instret", NONE),
        0xc20 => ("vl", VECTOR),
        0xc21 => ("vtype", VECTOR),
        0xc22 => ("vlenb", VECTOR),
        0xc80 => ("cycleh", NONE),
        0xc81 => ("timeh", NONE),
        0xc82 => ("instreth", NONE),
        0xf11 => ("mvendorid", NONE),
        0xf12 => ("marchid", NONE),
        0xf13 => ("mimpid", NONE),
        0xf14 => ("mhartid", NONE),
        _ => return (format!("csr {number:#x}"), NONE),
    };
    (format!("csr {number:#x} ({name})"), why)
}
