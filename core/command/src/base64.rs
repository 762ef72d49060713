//! Base64, in which lines hide what they run.

/// The bytes of a text; nothing where it is no Base64.
pub(crate) fn decoded(text: &str) -> Option<Vec<u8>> {
    let value = |letter: u8| {
        Some(match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        })
    };
    let (mut bits, mut held, mut bytes) = (0_u32, 0_u32, Vec::new());
    for letter in text.trim_end_matches('=').bytes() {
        bits = bits << 6 | u32::from(value(letter)?);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from(bits >> held & 0xff).ok()?);
            bits &= (1 << held) - 1;
        }
    }
    Some(bytes)
}
