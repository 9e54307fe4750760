//! Characters that nobody sees.

/// A control character, or one of Unicode's own line and paragraph separators.
pub(crate) fn is_line_control(character: char) -> bool {
    character.is_control() || matches!(character, '\u{2028}' | '\u{2029}')
}

/// Default_Ignorable_Code_Point, which all bidirectional controls are among.
pub(crate) fn is_invisible(character: char) -> bool {
    matches!(u32::from(character),
        0x00AD | 0x034F | 0x061C | 0x115F..=0x1160 | 0x17B4..=0x17B5 | 0x180B..=0x180F | 0x200B..=0x200F
        | 0x202A..=0x202E | 0x2060..=0x206F | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFF8
        | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A | 0xE0000..=0xE0FFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_is_exactly_default_ignorable() {
        let oracle = regex::Regex::new(r"^\p{Default_Ignorable_Code_Point}$").unwrap();
        for character in (0..=0x10_FFFF).filter_map(char::from_u32) {
            assert_eq!(is_invisible(character), oracle.is_match(character.encode_utf8(&mut [0; 4])), "{character:?}");
        }
    }
}
