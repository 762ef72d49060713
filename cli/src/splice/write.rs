//! How new values are written into a text: as what stands there already.

use serde_json::Value;

/// The habits of a text.
pub(super) struct Style {
    pub(super) line_break: &'static str,
    step: String,
}

impl Style {
    /// Those of a text: its line breaks, and how far it indents.
    pub(super) fn of(text: &str) -> Self {
        let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
        // Lines that begin with a name: those of comments are indented as their writer pleases.
        let named = text.lines().filter(|line| line.trim_start().starts_with('"')).map(indent_of);
        let indents = named.filter(|indent| !indent.is_empty());
        Self { line_break, step: indents.min_by_key(|indent| indent.len()).unwrap_or("  ").to_owned() }
    }

    /// One step further in.
    pub(super) fn deeper(&self, indent: &str) -> String {
        format!("{indent}{}", self.step)
    }

    /// A field or an item; in one line when no indentation is given.
    pub(super) fn member(&self, name: Option<&str>, value: &Value, indent: Option<&str>) -> String {
        let value = self.value(value, indent);
        name.map_or_else(|| value.clone(), |name| format!("{}: {value}", Value::from(name)))
    }

    /// A value; in one line when no indentation is given.
    pub(super) fn value(&self, value: &Value, indent: Option<&str>) -> String {
        let deeper = indent.map(|indent| self.deeper(indent));
        let (brackets, members): (_, Vec<String>) = match value {
            Value::Object(fields) => {
                let members = fields.iter().map(|(name, value)| self.member(Some(name), value, deeper.as_deref()));
                (("{", "}"), members.collect())
            }
            Value::Array(items) => {
                (("[", "]"), items.iter().map(|item| self.member(None, item, deeper.as_deref())).collect())
            }
            value => return value.to_string(),
        };
        let (open, close) = brackets;
        match (indent, deeper) {
            (Some(indent), Some(deeper)) if !members.is_empty() => {
                let line = format!("{}{deeper}", self.line_break);
                let members = members.join(&format!(",{line}"));
                format!("{open}{line}{members}{}{indent}{close}", self.line_break)
            }
            _ => format!("{open}{}{close}", members.join(", ")),
        }
    }
}

/// The indentation of the line in which something stands.
pub(super) fn indent_at(text: &str, at: usize) -> &str {
    let before = text.get(..at).unwrap_or_default();
    let line = before.rfind('\n').map_or(0, |end| end + 1);
    indent_of(text.get(line..).unwrap_or_default())
}

/// The blanks at the beginning of a line.
fn indent_of(line: &str) -> &str {
    let end = line.find(|letter| letter != ' ' && letter != '\t').unwrap_or(0);
    line.get(..end).unwrap_or_default()
}
