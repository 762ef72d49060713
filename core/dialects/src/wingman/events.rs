//! Wingman's events, and its matcher of tools.

use super::NAME;
use crate::matching;
use hookweave_machine::matcher::MatcherSpec;
use hookweave_machine::pattern::Pattern;

pub(super) const EVENTS: &[&str] = &["PreToolUse", "PostToolUse", "Stop"];

/// Whether a name means nothing else to a reader of patterns or globs.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || "_-:/ ".contains(letter))
}

/// The string matcher: everything, exact names, or a regular expression that an equal name satisfies too.
pub(super) fn tool_matcher(matcher: &str) -> Result<MatcherSpec, String> {
    let spec = MatcherSpec::default().naming(NAME);
    if matches!(matcher, "" | "*") {
        return Ok(MatcherSpec::default());
    }
    if matcher.contains('|') {
        let names: Vec<&str> = matcher.split('|').map(str::trim).filter(|name| !name.is_empty()).collect();
        if names.is_empty() {
            return Err(format!("`{matcher}` names no tool; name one on each side of `|`, or leave the matcher out"));
        }
        if names.iter().all(|name| is_plain(name)) {
            return Ok(spec.tool(names.join("|")));
        }
        let escaped: Vec<String> = names.into_iter().map(regex::escape).collect();
        return Ok(spec.tool_pattern(format!("^(?:{})$", escaped.join("|"))));
    }
    if is_plain(matcher) {
        return Ok(spec.tool(matcher));
    }
    let exact = matching::literal(matcher);
    let either = format!("{exact}|(?:{matcher})");
    // A pattern that does not compile alone would, for example `a)|(b`, slip through between the parentheses.
    let good = Pattern::new(matcher).is_ok() && Pattern::new(&either).is_ok();
    Ok(spec.tool_pattern(if good { either } else { exact }))
}
