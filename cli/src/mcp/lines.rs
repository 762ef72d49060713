//! Lines with a limit.

use std::io::{self, BufRead, Read as _};

/// The longest line that is read, in bytes.
pub(crate) const MAX_LINE: u64 = 64 * 1024 * 1024;

/// Reads a line with its end; `None` where there is no more. A line beyond the limit is an error.
pub(super) fn next(from: &mut impl BufRead, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let read = from.take(limit.saturating_add(1)).read_until(b'\n', &mut line)?;
    if u64::try_from(read).unwrap_or(u64::MAX) > limit {
        return Err(io::Error::other(format!("a line is longer than {limit} bytes")));
    }
    Ok((read > 0).then_some(line))
}

#[cfg(test)]
mod tests {
    use super::next;

    #[test]
    fn a_line_ends_at_its_limit() {
        let mut text: &[u8] = b"12345\n\n12";
        assert_eq!(next(&mut text, 6).unwrap().unwrap(), b"12345\n");
        assert_eq!(next(&mut text, 6).unwrap().unwrap(), b"\n");
        assert_eq!(next(&mut text, 6).unwrap().unwrap(), b"12");
        assert_eq!(next(&mut text, 6).unwrap(), None);
        let mut text: &[u8] = b"123456\n";
        assert_eq!(next(&mut text, 6).unwrap_err().to_string(), "a line is longer than 6 bytes");
    }
}
