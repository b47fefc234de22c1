//! The names of x86's registers.

use super::herd::{Reg, View};

/// The register and the part of it that a name stands for, in either case, with or without `%`.
pub fn register_by_name(name: &str) -> Option<(Reg, View)> {
    let name = name.strip_prefix('%').unwrap_or(name);
    if name.len() < 2 {
        return None;
    }
    let key = pack(name.as_bytes())?;
    let at = KEYS.iter().position(|known| *known == key)?;
    Some((TABLE[at / VIEWS.len()].0, VIEWS[at % VIEWS.len()]))
}

/// A name of up to four letters in lower case as one number: the lexer asks for every
/// word of a table, and numbers compare faster than strings.
const fn pack(name: &[u8]) -> Option<u32> {
    if name.len() > 4 {
        return None;
    }
    let mut key = 0;
    let mut at = 0;
    while at < name.len() {
        key = key << 8 | name[at].to_ascii_lowercase() as u32;
        at += 1;
    }
    Some(key)
}

/// The names of [`TABLE`] in order, packed. An empty one packs to 0, which no name does.
const KEYS: [u32; TABLE.len() * VIEWS.len()] = {
    let mut keys = [0; TABLE.len() * VIEWS.len()];
    let mut at = 0;
    while at < keys.len() {
        let name = TABLE[at / VIEWS.len()].1[at % VIEWS.len()];
        keys[at] = match pack(name.as_bytes()) {
            Some(key) => key,
            None => panic!("a register's name has four letters at most"),
        };
        at += 1;
    }
    keys
};

/// The name of a part of a register, in lower case; `None` when it has none (`ah` of `r8`).
pub fn register_name(reg: Reg, view: View) -> Option<&'static str> {
    let (_, names) = TABLE.iter().find(|(candidate, _)| *candidate == reg)?;
    let position = VIEWS.iter().position(|candidate| *candidate == view)?;
    Some(names[position]).filter(|name| !name.is_empty())
}

pub fn registers() -> impl Iterator<Item = Reg> {
    TABLE.iter().map(|(reg, _)| *reg)
}

/// Every name, in lower case.
pub fn register_names() -> impl Iterator<Item = &'static str> {
    TABLE
        .iter()
        .flat_map(|(_, names)| names.iter().copied())
        .filter(|name| !name.is_empty())
}

const VIEWS: [View; 5] = [View::Quad, View::Long, View::Word, View::Low, View::High];

/// In the order of [`VIEWS`]; an empty string where there is no such part.
const TABLE: [(Reg, [&str; 5]); 23] = [
    (Reg::Rax, ["rax", "eax", "ax", "al", "ah"]),
    (Reg::Rbx, ["rbx", "ebx", "bx", "bl", "bh"]),
    (Reg::Rcx, ["rcx", "ecx", "cx", "cl", "ch"]),
    (Reg::Rdx, ["rdx", "edx", "dx", "dl", "dh"]),
    (Reg::Rsi, ["rsi", "esi", "si", "sil", ""]),
    (Reg::Rdi, ["rdi", "edi", "di", "dil", ""]),
    (Reg::Rbp, ["rbp", "ebp", "bp", "bpl", ""]),
    (Reg::Rsp, ["rsp", "esp", "sp", "spl", ""]),
    (Reg::R8, ["r8", "r8d", "r8w", "r8b", ""]),
    (Reg::R9, ["r9", "r9d", "r9w", "r9b", ""]),
    (Reg::R10, ["r10", "r10d", "r10w", "r10b", ""]),
    (Reg::R11, ["r11", "r11d", "r11w", "r11b", ""]),
    (Reg::R12, ["r12", "r12d", "r12w", "r12b", ""]),
    (Reg::R13, ["r13", "r13d", "r13w", "r13b", ""]),
    (Reg::R14, ["r14", "r14d", "r14w", "r14b", ""]),
    (Reg::R15, ["r15", "r15d", "r15w", "r15b", ""]),
    (Reg::Rip, ["rip", "eip", "ip", "", ""]),
    (Reg::Cs, ["", "", "cs", "", ""]),
    (Reg::Ds, ["", "", "ds", "", ""]),
    (Reg::Es, ["", "", "es", "", ""]),
    (Reg::Fs, ["", "", "fs", "", ""]),
    (Reg::Gs, ["", "", "gs", "", ""]),
    (Reg::Ss, ["", "", "ss", "", ""]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_leads_back_to_itself() {
        for name in register_names() {
            let (reg, view) = register_by_name(&name.to_uppercase()).expect(name);
            assert_eq!(register_name(reg, view), Some(name));
        }
        assert_eq!(register_by_name("%eax"), Some((Reg::Rax, View::Long)));
        for unknown in ["", "%", "exx", "r16", "longer than any"] {
            assert_eq!(register_by_name(unknown), None, "{unknown}");
        }
    }
}
