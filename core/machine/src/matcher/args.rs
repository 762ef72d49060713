//! Tests of single arguments.

use super::rule::{no_pattern, no_rule};
use super::spec::ArgTest;
use super::{MatchResult, judge_texts};
use crate::match_input::{MatchInput, scalar_text};
use crate::pattern::{Names, Pattern};
use crate::payload::{Host, Kind};

/// A condition on one argument.
#[derive(Debug, Clone)]
pub(super) struct ArgCondition {
    path: String,
    test: CompiledTest,
}

#[derive(Debug, Clone)]
enum CompiledTest {
    Glob(Names),
    Regex(Pattern),
    Equals(serde_json::Value),
}

/// A test of one text.
pub(crate) enum TextTest<'m> {
    /// A regular expression matches.
    Regex(&'m str),
    /// It is one of these names.
    Names(&'m Names),
    /// It is this text.
    Is(&'m str),
}

impl ArgTest {
    /// Refuses a test that is written as something else.
    pub(super) fn check(&self) -> Result<(), String> {
        match self {
            Self::Glob(text) => no_rule(text).map_or(Ok(()), Err),
            Self::Regex(text) => no_pattern(text, true),
            Self::Equals(_) => Ok(()),
        }
    }
}

impl ArgCondition {
    pub(super) fn new(path: &str, test: &ArgTest) -> Result<Self, String> {
        if path.split('.').any(str::is_empty) {
            return Err("an argument path has a name on both sides of each dot, such as `options.label`".to_owned());
        }
        let test = match test {
            ArgTest::Glob(text) => CompiledTest::Glob(Names::new(text)?),
            ArgTest::Regex(text) => CompiledTest::Regex(Pattern::new(text)?),
            ArgTest::Equals(value) => CompiledTest::Equals(value.clone()),
        };
        Ok(Self { path: path.to_owned(), test })
    }

    /// The argument and the test of its text by which the hook is found among many.
    pub(super) fn key(&self) -> Option<(&str, TextTest<'_>)> {
        let test = match &self.test {
            CompiledTest::Regex(pattern) => TextTest::Regex(pattern.linear()?),
            CompiledTest::Glob(names) if !names.is_all() => TextTest::Names(names),
            CompiledTest::Equals(serde_json::Value::String(text)) => TextTest::Is(text),
            _ => return None,
        };
        Some((&self.path, test))
    }

    pub(super) fn judge<H: Host>(&self, input: &MatchInput<'_, H>) -> MatchResult {
        let values = input.argument(&self.path);
        if values.indeterminate {
            return MatchResult::INDETERMINATE;
        }
        let Some(value) = values.items.first() else { return MatchResult::NO };
        if let CompiledTest::Equals(wanted) = &self.test {
            return MatchResult::of(same_as_json(input.host(), value, wanted));
        }
        let Some(text) = scalar_text(input.host(), value) else { return MatchResult::INDETERMINATE };
        match &self.test {
            CompiledTest::Glob(names) => MatchResult::of(names.matches(&text)),
            CompiledTest::Regex(pattern) => judge_texts(pattern, &[text.as_str()], false),
            CompiledTest::Equals(_) => MatchResult::NO,
        }
    }
}

/// Whether a host's value says the same as a JSON value of a matcher.
fn same_as_json<'v, H: Host>(host: &'v H, view: &H::View<'v>, wanted: &serde_json::Value) -> bool {
    use serde_json::Value;
    match (host.kind(view), wanted) {
        (Kind::Null, Value::Null) => true,
        (Kind::Bool(flag), Value::Bool(other)) => flag == *other,
        (Kind::Text(text), Value::String(other)) => *text == **other,
        (Kind::Int(number), Value::Number(other)) => {
            if other.is_f64() {
                other.as_f64().and_then(whole) == Some(number)
            } else {
                other.as_i64() == Some(number)
            }
        }
        (Kind::BigInt(digits), Value::Number(other)) => other.to_string() == digits,
        (Kind::Float(number), Value::Number(other)) => {
            if other.is_i64() {
                other.as_i64() == whole(number)
            } else {
                other.as_f64() == Some(number)
            }
        }
        (Kind::List(length), Value::Array(items)) => {
            length == items.len()
                && items
                    .iter()
                    .enumerate()
                    .all(|(index, other)| host.item(view, index).is_some_and(|item| same_as_json(host, &item, other)))
        }
        (Kind::Object, Value::Object(fields)) => {
            host.keys(view).is_ok_and(|keys| keys.len() == fields.len())
                && fields
                    .iter()
                    .all(|(key, other)| host.get(view, key).is_some_and(|field| same_as_json(host, &field, other)))
        }
        _ => false,
    }
}

/// The integer that a number without a fraction is: `1` equals `1.0`, as it does in every host, and beyond 2^53 nothing
/// is rounded to be equal.
fn whole(number: f64) -> Option<i64> {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    #[expect(clippy::cast_possible_truncation, reason = "checked to be integral and to fit")]
    (number.fract() == 0.0 && (-LIMIT..LIMIT).contains(&number)).then_some(number as i64)
}
