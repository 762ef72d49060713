//! A record's number and hash, to be kept out of reach of processes that can change the log.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use hookweave_machine::error::{Code, Error};

/// Where a log stood: `1024:9f86d081…`. Kept elsewhere, it proves later that nothing up to there was changed or truncated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    /// The record's number.
    pub seq: u64,
    /// Its hash, 64 hexadecimal digits.
    pub hash: String,
}

impl fmt::Display for Anchor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.seq, self.hash)
    }
}

impl Serialize for Anchor {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl FromStr for Anchor {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let read = || {
            let (seq, hash) = text.trim().split_once(':')?;
            let is_hash = hash.len() == 64 && hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
            Some(Self { seq: seq.parse().ok()?, hash: is_hash.then(|| hash.to_owned())? })
        };
        let anchor = read().ok_or_else(|| {
            let why = format!("`{text}` is no anchor; one is a record's number, a colon and its hash of 64 digits");
            Error::new(Code::InvalidOption, why)
        })?;
        anchor.check()?;
        Ok(anchor)
    }
}

impl Anchor {
    /// Refuses one of no record: before the first there was nothing, which is so of every log and proves none.
    pub(super) fn check(&self) -> Result<(), Error> {
        if self.seq > 0 {
            return Ok(());
        }
        let why = format!("`{self}` is no anchor; the first record is number 1, take one when a record is written");
        Err(Error::new(Code::InvalidOption, why))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_written_and_read() {
        let anchor = Anchor { seq: 7, hash: "ab".repeat(32) };
        assert_eq!(anchor.to_string().parse::<Anchor>().unwrap(), anchor);
        for wrong in ["", "7", "7:", "x:00", &format!("7:{}", "AB".repeat(32)), &format!("-1:{}", "ab".repeat(32))] {
            assert!(wrong.parse::<Anchor>().is_err(), "{wrong}");
        }
        let of_nothing = format!("0:{}", "0".repeat(64)).parse::<Anchor>().unwrap_err();
        assert!(of_nothing.to_string().contains("the first record is number 1"), "{of_nothing}");
    }
}
