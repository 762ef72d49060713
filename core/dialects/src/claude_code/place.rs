//! Where a hook belongs: Claude Code's rule for string matchers.

use super::events::{ClaudeEvent, Target};
use super::flavour::{Flavour, Matchers};
use crate::matching::anchored;
use hookweave_machine::matcher::MatcherSpec;
use hookweave_machine::pattern::Pattern;

/// The condition that a string matcher means.
///
/// Nothing, `""` and `"*"` match all. Letters, digits, `_`, `-`, blanks, `,` and `|` are a list of exact names;
/// anything else is a regular expression that may match anywhere. An agent without lists reads every text as one, or as
/// one that the whole name must match.
pub(crate) fn matcher(flavour: &Flavour, known: &ClaudeEvent, matcher: Option<&str>) -> Result<MatcherSpec, String> {
    let text = matcher.unwrap_or_default();
    if matches!(text, "" | "*") || known.target == Target::Nothing {
        return Ok(MatcherSpec::default());
    }
    let base = base(known, flavour.name);
    if flavour.matchers == Matchers::ListsAndPatterns && is_list(known, text) {
        let names: Vec<&str> = text.split(['|', ',']).map(str::trim).filter(|name| !name.is_empty()).collect();
        if names.is_empty() {
            return Err(format!("matcher `{text}` names nothing and never matches; take it out to match all"));
        }
        let joined = names.join("|");
        return Ok(match known.target {
            Target::Tool => base.tool(joined),
            Target::BaseName => base.base_name(format!("^(?:{joined})$")),
            _ => base.source(joined),
        });
    }
    let whole;
    let text = if flavour.matchers == Matchers::WholePatterns {
        let inner = text.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')).filter(|inner| !inner.is_empty());
        whole = anchored(inner.unwrap_or(text))?;
        whole.as_str()
    } else {
        Pattern::new(text).map_err(|why| format!("matcher {why}"))?;
        text
    };
    Ok(match known.target {
        Target::Tool => base.tool_pattern(text),
        Target::BaseName => base.base_name(text),
        _ => base.source_pattern(text),
    })
}

fn base(known: &ClaudeEvent, naming: &'static str) -> MatcherSpec {
    let spec = MatcherSpec::default().naming(naming);
    if let Target::Field(field) = known.target { spec.subject(field) } else { spec }
}

fn is_list(known: &ClaudeEvent, text: &str) -> bool {
    let is_narrow = matches!(known.name, "FileChanged" | "StopFailure");
    text.chars().all(|letter| {
        letter.is_ascii_alphanumeric()
            || matches!(letter, '_' | '|')
            || (!is_narrow && matches!(letter, '-' | ' ' | ','))
    })
}
