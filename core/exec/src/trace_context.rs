//! Where an outside hook stands in a distributed trace, in the words of W3C Trace Context.
//!
//! The host's own span wins; without one the process passes on what it was started with. What comes from outside is
//! held against the format before it goes into a header or an environment.

/// Longer lists of vendors' values are left out.
const MAX_STATE: usize = 512;

/// How many vendors' values a list may have.
const MAX_MEMBERS: usize = 32;

/// The longest key or value in a list.
const MAX_PART: usize = 256;

/// The variable of a process that has the place that it was started in.
pub const PARENT: &str = "TRACEPARENT";

/// The variable with what vendors add to it.
pub const STATE: &str = "TRACESTATE";

/// A place in a distributed trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceContext {
    parent: String,
    state: Option<String>,
}

impl TraceContext {
    /// Reads a `traceparent` and a `tracestate`; `None` when the first is none, and without the second when that is none.
    #[must_use]
    pub fn parse(parent: &str, state: Option<&str>) -> Option<Self> {
        is_parent(parent).then(|| Self {
            parent: parent.to_owned(),
            state: state.map(str::trim).filter(|state| is_state(state)).map(str::to_owned),
        })
    }

    /// The place: `00-<trace>-<span>-<flags>`.
    #[must_use]
    pub fn parent(&self) -> &str {
        &self.parent
    }

    /// What vendors add to it.
    #[must_use]
    pub fn state(&self) -> Option<&str> {
        self.state.as_deref()
    }
}

/// Version, trace id, span id and flags, in lower case; ids are not all zero. Later versions may add to it.
fn is_parent(text: &str) -> bool {
    let mut parts = text.splitn(5, '-');
    let mut next = |digits: usize| {
        parts
            .next()
            .filter(|part| part.len() == digits && part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')))
    };
    let is_some_id = |id: &str| id.bytes().any(|byte| byte != b'0');
    let (Some(version), Some(trace), Some(span), Some(_flags)) = (next(2), next(32), next(16), next(2)) else {
        return false;
    };
    let rest = parts.next();
    let fits = match version {
        "ff" => false,
        "00" => rest.is_none(),
        _ => rest.is_none_or(|rest| rest.bytes().all(|byte| byte.is_ascii_graphic())) && text.len() <= MAX_STATE,
    };
    fits && is_some_id(trace) && is_some_id(span)
}

/// `key=value,key=value`, of which each key stands once.
fn is_state(text: &str) -> bool {
    let members: Vec<&str> = text.split(',').map(|member| member.trim_matches([' ', '\t'])).collect();
    let is_key_letter = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'*' | b'/' | b'@');
    let is_value_letter = |byte: u8| matches!(byte, 0x20..=0x7e) && byte != b',' && byte != b'=';
    let keys: Option<Vec<&str>> = members
        .iter()
        .filter(|member| !member.is_empty())
        .map(|member| {
            let (key, value) = member.split_once('=')?;
            let key_fits = (1..=MAX_PART).contains(&key.len()) && key.bytes().all(is_key_letter);
            let value_fits = (1..=MAX_PART).contains(&value.len()) && value.bytes().all(is_value_letter);
            (key_fits && value_fits).then_some(key)
        })
        .collect();
    let once = |keys: &[&str]| keys.iter().enumerate().all(|(place, key)| !keys.iter().take(place).any(|k| k == key));
    text.len() <= MAX_STATE && members.len() <= MAX_MEMBERS && keys.is_some_and(|keys| !keys.is_empty() && once(&keys))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn a_place_is_read_as_the_standard_says() {
        assert_eq!(TraceContext::parse(GOOD, None).unwrap().parent(), GOOD);
        assert!(TraceContext::parse(&format!("cc{}-what-comes-later", &GOOD[2..]), None).is_some());
        for wrong in [
            String::new(),
            GOOD.to_uppercase(),
            format!("{GOOD}-more"),
            format!("ff{}", &GOOD[2..]),
            format!("{GOOD}\r\nx-evil: 1"),
            format!("cc{}-a\r\nx-evil: 1", &GOOD[2..]),
            format!("{GOOD} "),
            GOOD.replace("00f067aa0ba902b7", "0000000000000000"),
            GOOD.replace("4bf92f3577b34da6a3ce929d0e0e4736", &"0".repeat(32)),
            GOOD.replace("-01", "-1"),
            format!("cc{}-{}", &GOOD[2..], "a".repeat(600)),
        ] {
            assert_eq!(TraceContext::parse(&wrong, None), None, "{wrong:?}");
        }
    }

    #[test]
    fn a_list_that_is_none_is_left_out_alone() {
        let state = |text: &str| TraceContext::parse(GOOD, Some(text)).unwrap().state;
        for good in ["rojo=00f067aa0ba902b7,congo=t61rcWkgMzE", "a@b=c d", "a=1, b=2", "a=$TOKEN"] {
            assert_eq!(state(good).as_deref(), Some(good));
        }
        for wrong in [
            "",
            "a",
            "=b",
            "a=",
            "A=b",
            "a=b,a=c",
            "a=b\r\nx-evil: 1",
            "a=b=c",
            "a=\u{e9}",
            &format!("a={}", "b".repeat(257)),
        ] {
            assert_eq!(state(wrong), None, "{wrong:?}");
        }
        let many: Vec<String> = (0..33).map(|key| format!("k{key}=v")).collect();
        assert_eq!(state(&many.join(",")), None);
    }
}
