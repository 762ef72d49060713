//! A configuration file as a tree whose every value knows where it stands.
//!
//! JSON (with comments where a system takes them) and TOML become the same tree, so that a reader is written once and
//! every problem has a line.

use std::path::Path;

use serde_json::{Map, Number, Value};

use crate::open::open_file;

/// The longest file that is read, in bytes.
pub(super) const MAX_FILE: usize = 4 * 1024 * 1024;

/// How deep a file may nest.
const MAX_DEPTH: usize = 128;

/// One value of a file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) kind: Kind,
    /// The byte at which it begins.
    pub(super) at: usize,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Node>),
    Object(Vec<Field>),
    /// A date or time, which only TOML has, as it is written.
    Moment(String),
}

/// The text of a file that is no larger than any that is read; never waits for a pipe.
pub(super) fn read_text(file: &Path) -> std::io::Result<String> {
    use std::io::{Error, ErrorKind, Read as _};
    let meta = std::fs::metadata(file)?;
    if !meta.is_file() {
        return Err(Error::new(ErrorKind::InvalidInput, "it is no file; name one"));
    }
    // In one go, unless it grows meanwhile.
    let expected = usize::try_from(meta.len()).unwrap_or(MAX_FILE).min(MAX_FILE);
    let mut bytes = Vec::with_capacity(expected + 1);
    open_file(file)?.take(MAX_FILE as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > MAX_FILE {
        return Err(Error::new(
            ErrorKind::InvalidData,
            format!("it has more than {MAX_FILE} bytes, the most that is read"),
        ));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Error::new(ErrorKind::InvalidData, format!("it is no UTF-8 (byte {at}); save it as UTF-8"))
    })
}

/// One field of an object.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Field {
    pub(super) name: String,
    /// The byte at which its name begins.
    pub(super) at: usize,
    pub(super) value: Node,
}

/// Why a text is no tree, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unreadable {
    pub(super) at: usize,
    pub(super) why: String,
}

impl Node {
    /// The kind's name, for messages.
    pub(super) const fn words(&self) -> &'static str {
        match &self.kind {
            Kind::Null => "null",
            Kind::Bool(_) => "true or false",
            Kind::Number(_) => "a number",
            Kind::Text(_) => "a string",
            Kind::List(_) => "a list",
            Kind::Object(_) => "an object",
            Kind::Moment(_) => "a date or time",
        }
    }

    /// The fields of an object.
    pub(super) fn fields(&self) -> &[Field] {
        match &self.kind {
            Kind::Object(fields) => fields,
            _ => &[],
        }
    }

    /// A field of an object; the last one where a name stands twice, as JSON's readers do.
    pub(super) fn get(&self, name: &str) -> Option<&Self> {
        self.fields().iter().rev().find(|field| field.name == name).map(|field| &field.value)
    }

    /// The same without positions.
    pub(super) fn to_value(&self) -> Value {
        match &self.kind {
            Kind::Null => Value::Null,
            Kind::Bool(flag) => Value::Bool(*flag),
            Kind::Number(number) => Value::Number(number.clone()),
            Kind::Text(text) | Kind::Moment(text) => Value::String(text.clone()),
            Kind::List(items) => items.iter().map(Self::to_value).collect(),
            Kind::Object(fields) => {
                let fields: Map<_, _> =
                    fields.iter().map(|field| (field.name.clone(), field.value.to_value())).collect();
                Value::Object(fields)
            }
        }
    }
}

/// Reads JSON; comments and trailing commas are taken where the file's own system takes them.
pub(super) fn parse_json(text: &str, comments: bool) -> Result<Node, Unreadable> {
    let options = jsonc_parser::ParseOptions {
        allow_comments: comments,
        allow_trailing_commas: comments,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = jsonc_parser::parse_to_ast(text, &jsonc_parser::CollectOptions::default(), &options)
        .map_err(|error| Unreadable { at: error.range().start, why: error.kind().to_string() })?;
    let value = parsed.value.ok_or_else(|| Unreadable { at: 0, why: "the file is empty".to_owned() })?;
    from_json(value, 0)
}

fn from_json(value: jsonc_parser::ast::Value<'_>, depth: usize) -> Result<Node, Unreadable> {
    use jsonc_parser::ast::Value as Ast;
    use jsonc_parser::common::Ranged as _;
    let at = value.range().start;
    check_depth(at, depth)?;
    let kind = match value {
        Ast::NullKeyword(_) => Kind::Null,
        Ast::BooleanLit(flag) => Kind::Bool(flag.value),
        Ast::StringLit(text) => Kind::Text(text.value.into_owned()),
        Ast::NumberLit(number) => Kind::Number(number_of(number.value).ok_or_else(|| Unreadable {
            at,
            why: format!("`{}` is no number", number.value.chars().take(40).collect::<String>()),
        })?),
        Ast::Array(list) => {
            Kind::List(list.elements.into_iter().map(|item| from_json(item, depth + 1)).collect::<Result<_, _>>()?)
        }
        Ast::Object(object) => Kind::Object(
            object
                .properties
                .into_iter()
                .map(|field| {
                    let value = from_json(field.value, depth + 1)?;
                    Ok(Field { name: field.name.into_string(), at: field.range.start, value })
                })
                .collect::<Result<_, _>>()?,
        ),
    };
    Ok(Node { kind, at })
}

/// A number in the one spelling that fingerprints are made of, however a host's build keeps it.
fn number_of(text: &str) -> Option<Number> {
    let number: Number = text.parse().ok()?;
    if number.is_i64() || number.is_u64() { Some(number) } else { number.as_f64().and_then(Number::from_f64) }
}

/// Reads TOML.
pub(super) fn parse_toml(text: &str) -> Result<Node, Unreadable> {
    let table = toml::de::DeTable::parse(text).map_err(|error| Unreadable {
        at: error.span().map_or(0, |span| span.start),
        why: error.message().to_owned(),
    })?;
    from_table(table.into_inner(), 0, 0)
}

fn from_table(table: toml::de::DeTable<'_>, at: usize, depth: usize) -> Result<Node, Unreadable> {
    check_depth(at, depth)?;
    let fields = table
        .into_iter()
        .map(|(name, value)| {
            let (key_at, value_at) = (name.span().start, value.span().start);
            let value = from_toml(value.into_inner(), value_at, depth + 1)?;
            Ok(Field { name: name.into_inner().into_owned(), at: key_at, value })
        })
        .collect::<Result<_, Unreadable>>()?;
    Ok(Node { kind: Kind::Object(fields), at })
}

fn from_toml(value: toml::de::DeValue<'_>, at: usize, depth: usize) -> Result<Node, Unreadable> {
    use toml::de::DeValue;
    check_depth(at, depth)?;
    let no_number = |text: &str| Unreadable { at, why: format!("`{text}` is not a valid number here") };
    let kind = match value {
        DeValue::String(text) => Kind::Text(text.into_owned()),
        DeValue::Integer(number) => {
            let parsed = i64::from_str_radix(number.as_str(), number.radix());
            Kind::Number(parsed.map_err(|_| no_number(number.as_str()))?.into())
        }
        DeValue::Float(number) => {
            let parsed = number.as_str().parse().ok().and_then(Number::from_f64);
            Kind::Number(parsed.ok_or_else(|| no_number(number.as_str()))?)
        }
        DeValue::Boolean(flag) => Kind::Bool(flag),
        DeValue::Datetime(moment) => Kind::Moment(moment.to_string()),
        DeValue::Array(items) => Kind::List(
            items
                .into_iter()
                .map(|item| {
                    let at = item.span().start;
                    from_toml(item.into_inner(), at, depth + 1)
                })
                .collect::<Result<_, _>>()?,
        ),
        DeValue::Table(table) => return from_table(table, at, depth),
    };
    Ok(Node { kind, at })
}

fn check_depth(at: usize, depth: usize) -> Result<(), Unreadable> {
    if depth <= MAX_DEPTH {
        return Ok(());
    }
    Err(Unreadable { at, why: format!("nested deeper than {MAX_DEPTH} levels") })
}

/// Tells the line and the column of a byte.
#[derive(Debug)]
pub(super) struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let breaks = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
        Self { text, starts: std::iter::once(0).chain(breaks).collect() }
    }

    /// The column, from 1, in characters.
    pub(super) fn column(&self, at: usize) -> usize {
        let start = self.starts.get(self.line(at) - 1).copied().unwrap_or_default();
        self.text.get(start..at).map_or(1, |before| before.chars().count() + 1)
    }

    /// The bytes of a word that begins at a byte, without its quotes; `None` where it is written otherwise.
    pub(super) fn word(&self, at: usize, word: &str) -> Option<std::ops::Range<usize>> {
        let rest = self.text.get(at..)?;
        let quoted = rest.starts_with(['"', '\'']);
        let from = at + usize::from(quoted);
        let after = self.text.get(from..)?.strip_prefix(word)?;
        let goes_on = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-');
        let ends = if quoted { after.starts_with(['"', '\'']) } else { !after.starts_with(goes_on) };
        ends.then_some(from..from + word.len())
    }

    /// The line, from 1.
    pub(super) fn line(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn json_and_toml_are_the_same_tree() {
        let value = json!({"a": [1, 2.5, true], "b": {"c": "x"}});
        let json = parse_json("{ \"a\": [1, 2.5, true], // list\n \"b\": {\"c\": \"x\",}, }", true).unwrap();
        let text = "a = [1, 2.5, true]\n[b]\nc = 'x'\n";
        let toml = parse_toml(text).unwrap();
        assert_eq!(json.to_value(), value);
        assert_eq!(toml.to_value(), value);
        assert_eq!(Lines::new(text).line(toml.get("b").unwrap().at), 2);
    }

    #[test]
    fn strict_json_takes_no_comments_and_says_where() {
        let refused = parse_json("{\n // no\n \"a\": 1}", false).unwrap_err();
        assert_eq!(Lines::new("{\n // no\n \"a\": 1}").line(refused.at), 2);
        for bad in ["", "{a: 1}", "{'a': 1}", "[1 2]", "{\"a\": 0x10}", "{\"a\": NaN}", "{\"a\": 1,}"] {
            assert!(parse_json(bad, false).is_err(), "{bad}");
        }
    }

    #[test]
    fn depth_is_limited() {
        for deep in ["[".repeat(100_000), format!("{}1{}", "[".repeat(200), "]".repeat(200))] {
            assert!(parse_json(&deep, true).is_err());
            assert!(parse_toml(&format!("a = {deep}")).is_err());
        }
    }

    #[test]
    fn lines_are_counted_from_one() {
        let lines = Lines::new("a\nb\n\nc");
        assert_eq!([0, 1, 2, 4, 5, 99].map(|at| lines.line(at)), [1, 1, 2, 3, 4, 4]);
        let lines = Lines::new("a\n\"é\" = 1");
        assert_eq!([0, 2, 7, 99].map(|at| lines.column(at)), [1, 1, 5, 1]);
    }

    #[test]
    fn a_word_is_found_with_and_without_quotes() {
        let lines = Lines::new("{\"ab\": 1} ab = ab-c");
        assert_eq!([1, 10, 15].map(|at| lines.word(at, "ab")), [Some(2..4), Some(10..12), None]);
    }
}
