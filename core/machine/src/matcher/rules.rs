//! The rules of a matcher, of which one must hold.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::error::Error;
use crate::payload::Host;
use crate::read::Reader;

/// One permission rule, or several: an event is selected if it fits any of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules(Vec<String>);

impl Rules {
    /// Reads a permission rule or a list of them, when the field is there.
    pub(crate) fn read<H: Host>(reader: &Reader<'_, H>, field: &str) -> Result<Option<Self>, Error> {
        Ok(reader.one_or_more(field, "a rule such as `Bash(rm -rf *)`")?.map(Self::from))
    }

    /// A name for what they select: the first, and how many more there are.
    pub(crate) fn name(&self) -> String {
        match self.0.as_slice() {
            [] => String::new(),
            [one] => one.clone(),
            [first, more @ ..] => format!("{first} + {} more", more.len()),
        }
    }

    /// The rules as they were written.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(", "))
    }
}

impl Serialize for Rules {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.as_slice() {
            [one] => serializer.serialize_str(one),
            several => serializer.collect_seq(several),
        }
    }
}

impl From<String> for Rules {
    fn from(rule: String) -> Self {
        Self(vec![rule])
    }
}

impl From<&String> for Rules {
    fn from(rule: &String) -> Self {
        Self(vec![rule.clone()])
    }
}

impl From<&str> for Rules {
    fn from(rule: &str) -> Self {
        Self(vec![rule.to_owned()])
    }
}

impl<R: Into<String>> From<Vec<R>> for Rules {
    fn from(rules: Vec<R>) -> Self {
        Self(rules.into_iter().map(Into::into).collect())
    }
}

impl<R: Into<String>, const N: usize> From<[R; N]> for Rules {
    fn from(rules: [R; N]) -> Self {
        Self(rules.into_iter().map(Into::into).collect())
    }
}
