//! Edits of JSON text that touch nothing else: what is put in can be taken out again to the byte.

mod gap;
mod write;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::{Map, Value};

use gap::{comma, line_end, solid_end};
use write::{Style, indent_at};

/// What marks a text as UTF-8 in files that Windows programs write.
const MARK: char = '\u{FEFF}';

/// One step down from a value: a field of an object, or an item of a list.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Step<'p> {
    /// A field; of two with one name the last, as JSON has it.
    Field(&'p str),
    /// An item.
    Item(usize),
}

/// A text that holds one JSON value, with comments and commas at ends where its owner likes them.
#[derive(Debug, Clone)]
pub(crate) struct JsonText {
    marked: bool,
    text: String,
}

/// A list or an object as it lies in the text.
struct Container {
    start: usize,
    end: usize,
    /// Where each item lies: of a field its name and value.
    items: Vec<(usize, usize)>,
}

impl JsonText {
    /// Reads a text; an empty one is an empty object. The error says what is wrong and where.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let (marked, text) = text.strip_prefix(MARK).map_or((false, text), |rest| (true, rest));
        let read = Self { marked, text: text.to_owned() };
        let has_value = read.parsed()?.is_some();
        let text = match (has_value, text.trim().is_empty()) {
            (true, _) => read.text,
            (false, true) => "{}\n".to_owned(),
            (false, false) => format!("{}\n{{}}\n", text.trim_end()),
        };
        Ok(Self { marked, text })
    }

    /// The whole text.
    pub(crate) fn text(&self) -> String {
        if self.marked { format!("{MARK}{}", self.text) } else { self.text.clone() }
    }

    /// The value at the end of some steps.
    pub(crate) fn value(&self, steps: &[Step<'_>]) -> Option<Value> {
        self.with(steps, plain)
    }

    /// The names of an object's fields, in order, with duplicates.
    pub(crate) fn names(&self, steps: &[Step<'_>]) -> Vec<String> {
        let names = |value: &ast::Value<'_>| {
            let fields = value.as_object().map(|object| object.properties.as_slice()).unwrap_or_default();
            fields.iter().map(|field| field.name.as_str().to_owned()).collect()
        };
        self.with(steps, names).unwrap_or_default()
    }

    /// Whether there is a comment outside every field of the whole.
    pub(crate) fn has_comment_beside_fields(&self) -> bool {
        let Some(Container { items, .. }) = self.container(&[]) else { return false };
        let mut from = 0;
        let ends = items.into_iter().chain([(self.text.len(), self.text.len())]);
        ends.into_iter().any(|(start, end)| {
            let gap = self.text.get(from..start).unwrap_or_default();
            from = end;
            gap.contains('/')
        })
    }

    /// Adds a field to an object, or an item to a list, behind the others.
    pub(crate) fn put(&mut self, steps: &[Step<'_>], name: Option<&str>, value: &Value) {
        let Some(container) = self.container(steps) else { return };
        let Container { start, end, items } = &container;
        let style = Style::of(&self.text);
        let inside_end = end - 1;
        let Some((first, last)) = items.first().zip(items.last()) else {
            let indent = indent_at(&self.text, *start).to_owned();
            let new = style.member(name, value, Some(&style.deeper(&indent)));
            let after = solid_end(&self.text, start + 1, inside_end);
            let is_open = self.text.get(after..inside_end).is_some_and(|rest| rest.contains('\n'));
            let close = if is_open { String::new() } else { format!("{}{indent}", style.line_break) };
            return self.insert(after, &format!("{}{}{new}{close}", style.line_break, style.deeper(&indent)));
        };
        let in_one_line = self.text.get(*start..first.0).is_none_or(|before| !before.contains('\n'));
        let trailing = comma(&self.text, last.1, inside_end);
        let after = trailing.map_or(last.1, |comma| comma + 1);
        let (after, mut new) = if in_one_line {
            (after, format!(" {}", style.member(name, value, None)))
        } else {
            let indent = indent_at(&self.text, last.0);
            let new = style.member(name, value, Some(indent));
            (line_end(&self.text, after, inside_end), format!("{}{indent}{new}", style.line_break))
        };
        if trailing.is_some() {
            new.push(',');
        }
        self.insert(after, &new);
        if trailing.is_none() {
            self.insert(last.1, ",");
        }
    }

    /// Takes an item out of a list, or a field out of an object.
    pub(crate) fn take(&mut self, steps: &[Step<'_>], at: usize) {
        let Some(Container { start, end, items }) = self.container(steps) else { return };
        let Some(item) = items.get(at).copied() else { return };
        let before = at.checked_sub(1).and_then(|at| items.get(at)).copied();
        let next = items.get(at + 1).map_or(end - 1, |next| next.0);
        let own_comma = comma(&self.text, item.1, next);
        let separator = before.and_then(|before| comma(&self.text, before.1, item.0));
        let after = own_comma.map_or(item.1, |comma| comma + 1);
        let is_blank = |from: usize, to: usize| self.text.get(from..to).is_some_and(|gap| gap.trim().is_empty());
        if items.len() == 1 && is_blank(start + 1, item.0) && is_blank(after, end - 1) {
            return self.text.replace_range(start + 1..end - 1, "");
        }
        if before.is_none() && items.len() > 1 && is_blank(after, next) {
            return self.text.replace_range(item.0..next, "");
        }
        let from = solid_end(&self.text, separator.map_or(start + 1, |comma| comma + 1), item.0);
        self.text.replace_range(from..after, "");
        if let (Some(comma), None) = (separator, own_comma) {
            self.text.replace_range(comma..=comma, "");
        }
    }

    /// Puts a value in the place of the one that is there.
    pub(crate) fn set(&mut self, steps: &[Step<'_>], value: &Value) {
        let Some((start, end)) = self.with(steps, |value| (value.start(), value.end())) else { return };
        let style = Style::of(&self.text);
        let indent = indent_at(&self.text, start);
        let in_one_line = self.text.get(start..end).is_none_or(|text| !text.contains('\n'));
        let indent = Some(indent).filter(|_| !in_one_line);
        let new = style.value(value, indent);
        self.text.replace_range(start..end, &new);
    }

    /// A value as it is written.
    pub(crate) fn source(&self, steps: &[Step<'_>]) -> Option<String> {
        let (start, end) = self.with(steps, |value| (value.start(), value.end()))?;
        self.text.get(start..end).map(str::to_owned)
    }

    /// Writes JSON in the place of a value.
    pub(crate) fn replace(&mut self, steps: &[Step<'_>], source: &str) {
        let Some((start, end)) = self.with(steps, |value| (value.start(), value.end())) else { return };
        self.text.replace_range(start..end, source);
    }

    /// Writes items of JSON before the others of a list.
    pub(crate) fn put_first(&mut self, steps: &[Step<'_>], items: &str) {
        let Some(container) = self.container(steps) else { return };
        let comma = if container.items.is_empty() { "" } else { "," };
        self.insert(container.start + 1, &format!("{items}{comma}"));
    }

    /// Takes the first items out of a list.
    pub(crate) fn take_first(&mut self, steps: &[Step<'_>], number: usize) {
        let Some(Container { start, end, items }) = self.container(steps) else { return };
        let Some(last) = number.checked_sub(1).and_then(|at| items.get(at)) else { return };
        let next = items.get(number).map_or(end - 1, |next| next.0);
        let to = comma(&self.text, last.1, next).map_or(last.1, |comma| comma + 1);
        self.text.replace_range(start + 1..to, "");
    }

    fn insert(&mut self, at: usize, new: &str) {
        self.text.insert_str(at, new);
    }

    fn parsed(&self) -> Result<Option<ast::Value<'_>>, String> {
        let options = ParseOptions {
            allow_comments: true,
            allow_trailing_commas: true,
            allow_loose_object_property_names: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        let parsed = parse_to_ast(&self.text, &CollectOptions::default(), &options);
        parsed.map(|parsed| parsed.value).map_err(|why| why.to_string())
    }

    fn with<T>(&self, steps: &[Step<'_>], look: impl FnOnce(&ast::Value<'_>) -> T) -> Option<T> {
        let top = self.parsed().ok()??;
        let found = steps.iter().try_fold(&top, |value, step| match step {
            Step::Field(name) => {
                let fields = value.as_object()?.properties.iter();
                fields.rev().find(|field| field.name.as_str() == *name).map(|field| &field.value)
            }
            Step::Item(at) => value.as_array()?.elements.get(*at),
        })?;
        Some(look(found))
    }

    fn container(&self, steps: &[Step<'_>]) -> Option<Container> {
        let of = |value: &ast::Value<'_>| {
            let items = match value {
                ast::Value::Object(object) => {
                    object.properties.iter().map(|field| (field.start(), field.end())).collect()
                }
                ast::Value::Array(list) => list.elements.iter().map(|item| (item.start(), item.end())).collect(),
                _ => return None,
            };
            Some(Container { start: value.start(), end: value.end(), items })
        };
        self.with(steps, of).flatten()
    }
}

/// A value without its comments and its layout.
fn plain(value: &ast::Value<'_>) -> Value {
    match value {
        ast::Value::Object(object) => {
            let fields = object.properties.iter();
            Value::Object(
                fields.map(|field| (field.name.as_str().to_owned(), plain(&field.value))).collect::<Map<_, _>>(),
            )
        }
        ast::Value::Array(list) => list.elements.iter().map(plain).collect(),
        ast::Value::StringLit(text) => Value::String(text.value.clone().into_owned()),
        ast::Value::BooleanLit(flag) => Value::Bool(flag.value),
        ast::Value::NumberLit(number) => serde_json::from_str(number.value).unwrap_or_default(),
        ast::Value::NullKeyword(_) => Value::Null,
    }
}

#[cfg(test)]
mod tests;
