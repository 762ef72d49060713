//! Variables, as a command can be given them.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};

/// How many bytes of a value are kept: the system starts no program with a variable that is much longer.
const LONGEST: usize = 120 * 1024;

/// The same variables, each such that the system takes it.
///
/// Most values are taken as they are. NUL characters are left out and what is too long is cut, because both keep a program
/// from starting, and nothing that a payload says may keep a guard from running. The whole payload is on stdin.
pub(super) fn startable(entries: &[(OsString, OsString)]) -> Cow<'_, [(OsString, OsString)]> {
    if entries.iter().all(|(_, value)| is_startable(value)) {
        return Cow::Borrowed(entries);
    }
    entries.iter().map(|(name, value)| (name.clone(), shortened(value))).collect()
}

fn is_startable(value: &OsStr) -> bool {
    value.len() <= LONGEST && !value.as_encoded_bytes().contains(&0)
}

fn shortened(value: &OsStr) -> OsString {
    if is_startable(value) {
        return value.to_owned();
    }
    let mut text = value.to_string_lossy().replace('\0', "");
    text.truncate((0..=LONGEST.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0));
    text.into()
}

/// The value of a variable among others.
pub(super) fn value_of<'a>(entries: &'a [(OsString, OsString)], name: &str) -> Option<&'a OsStr> {
    let same = |known: &OsStr| if cfg!(windows) { known.eq_ignore_ascii_case(name) } else { known == OsStr::new(name) };
    entries.iter().find(|(known, _)| same(known)).map(|(_, value)| value.as_os_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_payload_says_cannot_keep_a_program_from_starting() {
        let given = [("A".into(), "x\0y".into()), ("B".into(), "€".repeat(LONGEST).into()), ("C".into(), "z".into())];
        let taken = startable(&given);
        assert_eq!(value_of(&taken, "A").unwrap(), "xy");
        assert_eq!(value_of(&taken, "B").unwrap(), "€".repeat(LONGEST / 3).as_str());
        assert_eq!(value_of(&taken, "C").unwrap(), "z");
    }

    #[test]
    fn plain_variables_are_not_even_copied() {
        let given = [("A".into(), "x".into())];
        assert!(matches!(startable(&given), Cow::Borrowed(_)));
    }
}
