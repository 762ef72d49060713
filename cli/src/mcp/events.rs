//! A stream of server-sent events, read with a limit.

use std::io::{self, BufRead};
use std::time::Duration;

use super::lines;

/// How long is waited before a stream is asked for again, unless the server says otherwise.
const RETRY: Duration = Duration::from_secs(1);

/// The longest wait that a server may ask for.
const LONGEST_RETRY: Duration = Duration::from_secs(60);

/// Where a stream continues after its connection has ended.
#[derive(Debug)]
pub(super) struct Position {
    /// The last event that had an id.
    pub(super) last: Option<String>,
    pub(super) retry: Duration,
}

impl Default for Position {
    fn default() -> Self {
        Self { last: None, retry: RETRY }
    }
}

/// Reads the data of the next message, as one line; `None` where the stream ends. Data beyond `limit` bytes is an error.
pub(super) fn next(from: &mut impl BufRead, limit: u64, position: &mut Position) -> io::Result<Option<Vec<u8>>> {
    let (mut data, mut is_message, mut id) = (Vec::new(), true, None);
    loop {
        let Some(line) = lines::next(from, limit)? else { return Ok(None) };
        // A line without its end is half of one.
        let Some(line) = line.strip_suffix(b"\n") else { return Ok(None) };
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            if let Some(id) = id.take() {
                position.last = Some(id);
            }
            if is_message && !data.trim_ascii().is_empty() {
                return Ok(Some(one_line(data)));
            }
            (data, is_message) = (Vec::new(), true);
            continue;
        }
        let at = line.iter().position(|byte| *byte == b':');
        let (field, value) = at.map_or((line, &[][..]), |at| {
            let value = line.get(at + 1..).unwrap_or_default();
            (line.get(..at).unwrap_or_default(), value.strip_prefix(b" ").unwrap_or(value))
        });
        match field {
            b"data" => {
                if u64::try_from(data.len() + value.len()).unwrap_or(u64::MAX) >= limit {
                    return Err(io::Error::other(format!("a message is longer than {limit} bytes")));
                }
                data.extend_from_slice(value);
                data.push(b'\n');
            }
            b"event" => is_message = matches!(value, b"" | b"message"),
            b"id" if !value.contains(&0) => id = String::from_utf8(value.to_vec()).ok(),
            b"retry" => {
                let wait = std::str::from_utf8(value).ok().and_then(|value| value.parse().ok());
                position.retry = wait.map_or(position.retry, |wait| Duration::from_millis(wait).min(LONGEST_RETRY));
            }
            _ => {}
        }
    }
}

/// JSON as one line: line breaks stand only between its parts.
pub(super) fn one_line(mut json: Vec<u8>) -> Vec<u8> {
    json.iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
    json.truncate(json.trim_ascii_end().len());
    json.push(b'\n');
    json
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Position, next};

    #[test]
    fn messages_are_joined_and_all_else_is_left_out() {
        let mut position = Position::default();
        let mut from = &b": a comment\n\nid: 1\nretry: 5\ndata:\n\nevent: message\r\ndata: {\"a\":\r\ndata:1}\r\nid: 2\r\n\r\nevent: other\ndata: x\n\n\
            id: 3\ndata: half\n"[..];
        assert_eq!(next(&mut from, 100, &mut position).unwrap().unwrap(), b"{\"a\": 1}\n");
        assert_eq!(position.retry, Duration::from_millis(5));
        assert_eq!(next(&mut from, 100, &mut position).unwrap(), None);
        assert_eq!(position.last.as_deref(), Some("2"), "the last event was not whole");
    }

    #[test]
    fn what_is_too_long_is_an_error() {
        for text in ["data: 0123456789\n\n", "data: 01234\ndata: 56789\n\n", ": 0123456789"] {
            let why = next(&mut text.as_bytes(), 9, &mut Position::default()).unwrap_err();
            assert!(why.to_string().contains("longer than 9"), "{why}");
        }
    }
}
