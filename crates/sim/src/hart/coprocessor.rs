//! The names of the coprocessor's instructions, which are refused by them: the coprocessor is not modelled.

/// Opcodes and names, in order (compute.md §§2-11).
const OPCODES: &[(u8, &str)] = &[
    (0x01, "MOP"),
    (0x02, "NOP"),
    (0x03, "MOP_CFG"),
    (0x04, "REPLAY"),
    (0x05, "RESOURCEDECL"),
    (0x08, "MOVD2A"),
    (0x09, "MOVDBGA2D"),
    (0x0a, "MOVD2B"),
    (0x0b, "MOVB2A"),
    (0x0c, "MOVDBGB2D"),
    (0x10, "ZEROACC"),
    (0x11, "ZEROSRC"),
    (0x12, "MOVA2D"),
    (0x13, "MOVB2D"),
    (0x14, "TRNSPSRCA"),
    (0x15, "RAREB"),
    (0x16, "TRNSPSRCB"),
    (0x17, "SHIFTXA"),
    (0x18, "SHIFTXB"),
    (0x1a, "SETASHRMH0"),
    (0x1b, "SETASHRMH1"),
    (0x1c, "SETASHRMV"),
    (0x1d, "SETPKEDGOF"),
    (0x1e, "SETASHRMH"),
    (0x21, "CLREXPHIST"),
    (0x22, "CONV3S1"),
    (0x23, "CONV3S2"),
    (0x24, "MPOOL3S1"),
    (0x25, "APOOL3S1"),
    (0x26, "MVMUL"),
    (0x27, "ELWMUL"),
    (0x28, "ELWADD"),
    (0x29, "DOTPV"),
    (0x30, "ELWSUB"),
    (0x31, "MPOOL3S2"),
    (0x32, "APOOL3S2"),
    (0x33, "GMPOOL"),
    (0x34, "GAPOOL"),
    (0x35, "GATESRCRST"),
    (0x36, "CLEARDVALID"),
    (0x37, "SETRWC"),
    (0x38, "INCRWC"),
    (0x39, "SETIBRWC"),
    (0x3a, "MFCONV3S1"),
    (0x40, "XMOV"),
    (0x41, "PACR"),
    (0x42, "UNPACR"),
    (0x43, "UNPACR_NOP"),
    (0x44, "RSTDMA"),
    (0x45, "SETDMAREG"),
    (0x46, "FLUSHDMA"),
    (0x48, "REG2FLOP"),
    (0x49, "LOADIND"),
    (0x4a, "PACR_SETREG"),
    (0x4b, "TBUFCMD"),
    (0x50, "SETADC"),
    (0x51, "SETADCXY"),
    (0x52, "INCADCXY"),
    (0x53, "ADDRCRXY"),
    (0x54, "SETADCZW"),
    (0x55, "INCADCZW"),
    (0x56, "ADDRCRZW"),
    (0x57, "SETDVALID"),
    (0x58, "ADDDMAREG"),
    (0x59, "SUBDMAREG"),
    (0x5a, "MULDMAREG"),
    (0x5b, "BITWOPDMAREG"),
    (0x5c, "SHIFTDMAREG"),
    (0x5d, "CMPDMAREG"),
    (0x5e, "SETADCXX"),
    (0x60, "DMANOP"),
    (0x61, "ATINCGET"),
    (0x62, "ATINCGETPTR"),
    (0x63, "ATSWAP"),
    (0x64, "ATCAS"),
    (0x66, "STOREIND"),
    (0x67, "STOREREG"),
    (0x68, "LOADREG"),
    (0x70, "SFPLOAD"),
    (0x71, "SFPLOADI"),
    (0x72, "SFPSTORE"),
    (0x73, "SFPLUT"),
    (0x74, "SFPMULI"),
    (0x75, "SFPADDI"),
    (0x76, "SFPDIVP2"),
    (0x77, "SFPEXEXP"),
    (0x78, "SFPEXMAN"),
    (0x79, "SFPIADD"),
    (0x7a, "SFPSHFT"),
    (0x7b, "SFPSETCC"),
    (0x7c, "SFPMOV"),
    (0x7d, "SFPABS"),
    (0x7e, "SFPAND"),
    (0x7f, "SFPOR"),
    (0x80, "SFPNOT"),
    (0x81, "SFPLZ"),
    (0x82, "SFPSETEXP"),
    (0x83, "SFPSETMAN"),
    (0x84, "SFPMAD"),
    (0x85, "SFPADD"),
    (0x86, "SFPMUL"),
    (0x87, "SFPPUSHC"),
    (0x88, "SFPPOPC"),
    (0x89, "SFPSETSGN"),
    (0x8a, "SFPENCC"),
    (0x8b, "SFPCOMPC"),
    (0x8c, "SFPTRANSP"),
    (0x8d, "SFPXOR"),
    (0x8e, "SFP_STOCH_RND"),
    (0x8f, "SFPNOP"),
    (0x90, "SFPCAST"),
    (0x91, "SFPCONFIG"),
    (0x92, "SFPSWAP"),
    (0x93, "SFPLOADMACRO"),
    (0x94, "SFPSHFT2"),
    (0x95, "SFPLUTFP32"),
    (0x96, "SFPLE"),
    (0x97, "SFPGT"),
    (0x98, "SFPMUL24"),
    (0x99, "SFPARECIP"),
    (0xa0, "ATGETM"),
    (0xa1, "ATRELM"),
    (0xa2, "STALLWAIT"),
    (0xa3, "SEMINIT"),
    (0xa4, "SEMPOST"),
    (0xa5, "SEMGET"),
    (0xa6, "SEMWAIT"),
    (0xa7, "STREAMWAIT"),
    (0xb0, "WRCFG"),
    (0xb1, "RDCFG"),
    (0xb2, "SETC16"),
    (0xb3, "RMWCIB0"),
    (0xb4, "RMWCIB1"),
    (0xb5, "RMWCIB2"),
    (0xb6, "RMWCIB3"),
    (0xb7, "STREAMWRCFG"),
    (0xb8, "CFGSHIFTMASK"),
];

/// What an instruction word, as it is pushed, is called; zero is what executing zeroed memory pushes.
pub(crate) fn describe(word: u32) -> String {
    let opcode = (word >> 24) as u8;
    match OPCODES.binary_search_by_key(&opcode, |(code, _)| *code) {
        Ok(at) => format!("{} ({word:#010x})", OPCODES[at].1),
        Err(_) => format!("the unknown opcode {opcode:#04x} ({word:#010x})"),
    }
}

/// The same of a word in the code: the core pushes it rotated right by two bits (tensix.md §2).
pub(super) fn describe_in_stream(word: u32) -> String {
    match word {
        0 => "zeroed memory, which pushes the coprocessor's opcode 0".to_owned(),
        _ => format!("the in-stream coprocessor instruction {}", describe(word.rotate_right(2))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_those_of_the_hardware_page() {
        let page = include_str!("../../../../docs/hardware/compute.md");
        let rows: Vec<(u8, &str)> = page
            .lines()
            .filter_map(|line| {
                let mut columns = line.strip_prefix('|')?.split('|');
                let (opcode, name) = (columns.next()?, columns.next()?);
                let name = name.strip_prefix('`')?.strip_suffix('`')?;
                (opcode.len() == 2)
                    .then(|| u8::from_str_radix(opcode, 16).ok().map(|opcode| (opcode, name)))?
            })
            .collect();
        assert_eq!(rows.len(), 137, "all opcodes appear once");
        let mut sorted = rows;
        sorted.sort();
        assert_eq!(sorted, OPCODES);
    }

    #[test]
    fn a_word_in_the_code_is_pushed_rotated() {
        let (name, word) = (OPCODES[1], 0x0200_0000u32);
        assert_eq!(name, (2, "NOP"));
        assert!(describe_in_stream(word.rotate_left(2)).contains("NOP (0x02000000)"));
        assert!(describe_in_stream(0).contains("opcode 0"));
        assert!(describe(0xfe00_0000).contains("unknown opcode 0xfe"));
    }
}
