//! The escapes of `$'…'`.

/// What a text between `$'` and `'` says to the shells that read it; `None` where that is no text.
pub(crate) fn read(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, escape)) = rest.split_once('\\') {
        bytes.extend_from_slice(before.as_bytes());
        rest = one(escape, &mut bytes)?;
    }
    bytes.extend_from_slice(rest.as_bytes());
    // Shells end the text at a NUL.
    (!bytes.contains(&0)).then_some(())?;
    String::from_utf8(bytes).ok()
}

/// Reads what stands behind a backslash, and gives what is left.
fn one<'t>(escape: &'t str, bytes: &mut Vec<u8>) -> Option<&'t str> {
    let letter = escape.chars().next()?;
    let rest = escape.get(letter.len_utf8()..)?;
    let plain = match letter {
        'a' => 0x07,
        'b' => 0x08,
        'e' | 'E' => 0x1b,
        'f' => 0x0c,
        'n' => b'\n',
        'r' => b'\r',
        't' => b'\t',
        'v' => 0x0b,
        '\\' | '\'' | '"' | '?' => u8::try_from(letter).ok()?,
        'x' => {
            let (value, rest) = digits(rest, 16, 2)?;
            bytes.push(u8::try_from(value).ok()?);
            return Some(rest);
        }
        '0'..='7' => {
            let (value, rest) = digits(escape, 8, 3)?;
            bytes.push((value & 0xff) as u8);
            return Some(rest);
        }
        'u' | 'U' => {
            let (value, rest) = digits(rest, 16, if letter == 'u' { 4 } else { 8 })?;
            bytes.extend_from_slice(char::from_u32(value)?.encode_utf8(&mut [0; 4]).as_bytes());
            return Some(rest);
        }
        // A control letter, or one that shells do not agree about.
        _ => return None,
    };
    bytes.push(plain);
    Some(rest)
}

/// A number of at most so many digits, and what stands behind it.
fn digits(text: &str, radix: u32, most: usize) -> Option<(u32, &str)> {
    let length = text.chars().take(most).take_while(|letter| letter.is_digit(radix)).count();
    let (number, rest) = text.split_at_checked(length)?;
    Some((u32::from_str_radix(number, radix).ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn escapes_are_read_as_a_shell_reads_them() {
        for (text, meant) in [
            (r"\x72m", "rm"),
            (r"r\x6d", "rm"),
            (r"\162m", "rm"),
            (r"\u0072m", "rm"),
            (r"\U00000072m", "rm"),
            (r"\x2f", "/"),
            (r"\57etc", "/etc"),
            (r"a\tb\'c\\", "a\tb'c\\"),
            (r"\xc3\xa9", "é"),
        ] {
            assert_eq!(read(text).as_deref(), Some(meant), "{text}");
        }
        for text in [r"\0", r"\xff", r"\cx", r"\q", r"\x", r"\uD800", "\\"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
