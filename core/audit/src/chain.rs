//! How each record holds on to the one before it.
//!
//! A line ends with `"prev":"…","hash":"…"}`. `hash` is the SHA-256 of the line's own bytes without the member `hash`, and
//! `prev` is the hash of the line before, so that no byte of any line can change without a later one telling. Lines are
//! compared as they stand: what looks the same to a parser but is written otherwise is another line.

use sha2::{Digest as _, Sha256};

use super::anchor::Anchor;
use super::line;
use super::record::Written;
use hookweave_machine::hex::{hex, push_hex};

/// What the first record of a log holds on to.
pub(super) const GENESIS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// `,"hash":"` and 64 digits and `"}`.
const HASH_MEMBER: usize = 9 + 64 + 2;

/// `,"prev":"` and 64 digits and `"`.
const PREV_MEMBER: usize = 9 + 64 + 1;

/// The end of a chain: where the next record is fastened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) seq: u64,
    pub(super) hash: String,
}

impl Default for Link {
    fn default() -> Self {
        Self { seq: 0, hash: GENESIS.to_owned() }
    }
}

impl Link {
    /// Gives a record its place and writes it down as the next line, with its line feed.
    pub(super) fn seal(&mut self, record: Written<'_>, line: &mut Vec<u8>) {
        // A hostile log may end with the last number that there is.
        self.seq = self.seq.saturating_add(1);
        let begins = line.len();
        let placed = Written { seq: self.seq, prev: &self.hash, ..record };
        line::write(&placed, line);
        let hash = Sha256::digest(line.get(begins..).unwrap_or_default());
        self.hash.clear();
        push_hex(&hash, &mut self.hash);
        line.pop();
        line.extend_from_slice(br#","hash":""#);
        line.extend_from_slice(self.hash.as_bytes());
        line.extend_from_slice(b"\"}\n");
    }

    /// The last record; `None` before the first one.
    pub(super) fn anchor(&self) -> Option<Anchor> {
        (self.seq > 0).then(|| Anchor { seq: self.seq, hash: self.hash.clone() })
    }
}

/// What a line says of its place.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fastened<'l> {
    pub(super) seq: u64,
    pub(super) prev: &'l str,
    pub(super) hash: &'l str,
}

/// Reads a line's place and checks its own hash; says what is wrong with it.
pub(super) fn check(line: &[u8]) -> Result<Fastened<'_>, &'static str> {
    let fastened = place(line).ok_or("it is no record")?;
    let body = line.get(..line.len() - HASH_MEMBER).unwrap_or_default();
    let mut hasher = Sha256::new();
    hasher.update(body);
    hasher.update(b"}");
    if hex(&hasher.finalize()) == fastened.hash { Ok(fastened) } else { Err("its content does not fit its hash") }
}

/// A line's number and hashes, by their places alone.
fn place(line: &[u8]) -> Option<Fastened<'_>> {
    let line = std::str::from_utf8(line).ok()?;
    let (body, hash) = line.split_at_checked(line.len().checked_sub(HASH_MEMBER)?)?;
    let (body, prev) = body.split_at_checked(body.len().checked_sub(PREV_MEMBER)?)?;
    let hash = hash.strip_prefix(r#","hash":""#)?.strip_suffix("\"}")?;
    let prev = prev.strip_prefix(r#","prev":""#)?.strip_suffix('"')?;
    let digits = body.strip_prefix(r#"{"seq":"#)?;
    let digits = digits.get(..digits.find(',')?)?;
    let seq = digits.parse().ok().filter(|seq: &u64| seq.to_string() == digits)?;
    (is_hash(hash) && is_hash(prev)).then_some(Fastened { seq, prev, hash })
}

fn is_hash(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// The SHA-256 of some bytes, in hexadecimal digits.
pub(super) fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{AuditRecord, Input, Kind};
    use serde_json::json;

    fn line(link: &mut Link) -> Vec<u8> {
        let mut line = Vec::new();
        let mut record = AuditRecord { time: "2026-11-22T08:15:00.000Z".into(), ..AuditRecord::new(Kind::Blocked) };
        record.reason = Some("a \"quoted\"\nreason".into());
        (record.seq, record.prev) = (link.seq + 1, link.hash.clone());
        link.seal(record.written(), &mut line);
        record.hash.clone_from(&link.hash);
        assert_eq!(AuditRecord::read(&line).unwrap(), record);
        line
    }

    #[test]
    fn a_line_holds_on_to_the_one_before() {
        let mut link = Link::default();
        let (first, second) = (line(&mut link), line(&mut link));
        let (first, second) = (check(first.trim_ascii_end()).unwrap(), check(second.trim_ascii_end()).unwrap());
        assert_eq!((first.seq, first.prev), (1, GENESIS));
        assert_eq!((second.seq, second.prev), (2, first.hash));
        assert_eq!(link.anchor().unwrap().to_string(), format!("2:{}", second.hash));
    }

    #[test]
    fn a_line_has_all_members_of_a_record_in_their_order() {
        let text = |text: &str| Some(text.to_owned());
        let mut record = AuditRecord {
            time: "2026-11-22T08:15:00.000Z".into(),
            session: text("s"),
            agent: text("a"),
            event: text("e"),
            dispatch: Some(7),
            hook: text("h"),
            hook_id: text("hook-1"),
            tool: text("t"),
            tool_use_id: text("u"),
            outcome: text("block"),
            reason: text("r"),
            duration_us: Some(12.4),
            input: Some(Input { digest: "d".into(), cut: true, payload: Some(json!({"args": {}})) }),
            ..AuditRecord::new(Kind::HookFailed)
        }
        .with("failure", "raised");
        let mut link = Link::default();
        (record.seq, record.prev) = (1, link.hash.clone());
        let mut line = Vec::new();
        link.seal(record.written(), &mut line);
        record.hash.clone_from(&link.hash);
        assert_eq!(String::from_utf8(line).unwrap().trim_end(), serde_json::to_string(&record).unwrap());
    }

    #[test]
    fn no_byte_can_change() {
        let line = line(&mut Link::default());
        let line = line.trim_ascii_end();
        assert!(check(line).is_ok());
        for at in 0..line.len() {
            let mut other = line.to_vec();
            other[at] ^= 1;
            assert!(check(&other).is_err(), "byte {at}");
            other.remove(at);
            assert!(check(&other).is_err(), "without byte {at}");
        }
    }

    #[test]
    fn the_hash_is_that_of_the_line_without_it() {
        let line = String::from_utf8(line(&mut Link::default())).unwrap();
        let (body, hash) = line.trim_end().split_once(r#","hash":""#).unwrap();
        assert_eq!(sha256(format!("{body}}}").as_bytes()), hash.trim_end_matches("\"}"));
    }
}
