//! Bytes as hexadecimal digits.

/// The bytes in lowercase hexadecimal digits, two for each.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    push_hex(bytes, &mut text);
    text
}

/// Adds the digits of the bytes to a text.
pub fn push_hex(bytes: &[u8], text: &mut String) {
    // Computed rather than looked up, and in pieces of a fixed size, so that many digits are made at once.
    let digit = |nibble: u8| b'0' + nibble + if nibble < 10 { 0 } else { b'a' - b'0' - 10 };
    for piece in bytes.chunks(16) {
        let mut digits = [[0_u8; 2]; 16];
        for (to, byte) in digits.iter_mut().zip(piece) {
            *to = [digit(byte >> 4), digit(byte & 15)];
        }
        let made = digits.as_flattened().get(..2 * piece.len()).unwrap_or_default();
        text.push_str(std::str::from_utf8(made).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_has_two_digits_also_past_the_first_piece() {
        let bytes: Vec<u8> = (0..=u8::MAX).chain([0, 0x0f, 0xf0]).collect();
        let expected = bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
        assert_eq!(hex(&bytes), expected);
        assert_eq!(hex(&[]), "");
    }
}
