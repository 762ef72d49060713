//! YAML as far as it is JSON: one document, no anchors, no tags, and the plain words of the core schema.

pub(crate) mod nodes;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};
use serde_json::{Map, Number, Value};

/// How deep a document may nest.
const MAX_DEPTH: usize = 64;

/// Why a text is none, and the line and column, from 1.
#[derive(Debug)]
pub(crate) struct NoYaml {
    pub(crate) at: (usize, usize),
    pub(crate) what: String,
}

/// Reads a document.
pub(super) fn read(text: &str) -> Result<Value, NoYaml> {
    let mut reading = Reading::new(text);
    let mut document = None;
    loop {
        let (event, span) = reading.next()?;
        match event {
            Event::StreamEnd => return Ok(document.unwrap_or_default()),
            Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing => {}
            _ if document.is_some() => return Err(at(&span, "a second document; write one only")),
            event => document = Some(reading.value(event, &span)?),
        }
    }
}

fn at(span: &Span, what: &str) -> NoYaml {
    NoYaml { at: (span.start.line(), span.start.col() + 1), what: what.to_owned() }
}

struct Reading<'t> {
    parser: Parser<'t, saphyr_parser::StrInput<'t>>,
    depth: usize,
}

impl<'t> Reading<'t> {
    fn new(text: &'t str) -> Self {
        Self { parser: Parser::new_from_str(text), depth: 0 }
    }

    fn next(&mut self) -> Result<(Event<'t>, Span), NoYaml> {
        match self.parser.next() {
            Some(Ok(event)) => Ok(event),
            Some(Err(error)) => Err(NoYaml {
                at: (error.marker().line(), error.marker().col() + 1),
                what: format!("no YAML: {}", error.info()),
            }),
            None => Err(NoYaml { at: (1, 1), what: "the document ends too early".to_owned() }),
        }
    }

    /// The value that begins with an event.
    fn value(&mut self, event: Event<'t>, span: &Span) -> Result<Value, NoYaml> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(at(span, &format!("nested deeper than {MAX_DEPTH} levels")));
        }
        let value = match event {
            Event::Scalar(_, _, _, Some(_)) | Event::SequenceStart(_, Some(_)) | Event::MappingStart(_, Some(_)) => {
                Err(at(span, "a tag, which is not read here; write the value without it"))
            }
            Event::Scalar(text, ScalarStyle::Plain, ..) => Ok(plain(&text)),
            Event::Scalar(text, ..) => Ok(Value::String(text.into_owned())),
            Event::SequenceStart(..) => self.list(),
            Event::MappingStart(..) => self.object(),
            Event::Alias(_) => Err(at(span, "an alias, which is not read here; write the value out")),
            _ => Err(at(span, "a value is missing")),
        };
        self.depth -= 1;
        value
    }

    fn list(&mut self) -> Result<Value, NoYaml> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Ok(Value::Array(items)),
                (event, span) => items.push(self.value(event, &span)?),
            }
        }
    }

    fn object(&mut self) -> Result<Value, NoYaml> {
        let mut fields = Map::new();
        loop {
            let name = match self.next()? {
                (Event::MappingEnd, _) => return Ok(Value::Object(fields)),
                (Event::Scalar(name, _, _, None), span) => (name.into_owned(), span),
                (_, span) => return Err(at(&span, "a key must be plain text")),
            };
            let (name, span) = name;
            let (event, begins) = self.next()?;
            let value = self.value(event, &begins)?;
            if fields.insert(name.clone(), value).is_some() {
                return Err(at(&span, &format!("the key `{name}` is there twice")));
            }
        }
    }
}

/// A word without quotes: null, a truth value, a number, or text.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => number(text).map_or_else(|| Value::String(text.to_owned()), Value::Number),
    }
}

/// Numbers as JSON writes them; what only YAML takes for one (`0x1f`, `1_000`, `.inf`) stays text.
fn number(text: &str) -> Option<Number> {
    text.starts_with(|c: char| c.is_ascii_digit() || c == '-').then(|| serde_json::from_str(text).ok())?
}

#[cfg(test)]
mod tests {
    use super::read;
    use serde_json::json;

    #[test]
    fn what_is_json_is_read() {
        let text = "a: [1, -2.5, 'x', \"y\\n\"]\nb:\n  - yes: no\n    c: ~\n  - |\n    two\n    lines\nd: {e: true, f: 0x1f}\n";
        assert_eq!(
            read(text).unwrap(),
            json!({"a": [1, -2.5, "x", "y\n"], "b": [{"yes": "no", "c": null}, "two\nlines\n"], "d": {"e": true, "f": "0x1f"}})
        );
        assert_eq!(read("").unwrap(), json!(null));
    }

    #[test]
    fn what_surprises_is_refused_with_its_line() {
        for (text, what) in [
            ("a: &x 1\nb: *x\n", "line 2: an alias"),
            ("a: !!str 1\n", "line 1: a tag"),
            ("a: 1\n---\nb: 2\n", "a second document"),
            ("a: 1\na: 2\n", "line 2: the key `a` is there twice"),
            ("? [a]\n: 1\n", "a key must be plain text"),
            ("a: [1\n", ""),
        ] {
            let error = read(text).unwrap_err();
            let said = format!("line {}: {}", error.at.0, error.what);
            assert!(said.contains(what), "{text}: {said}");
        }
        assert!(read(&"[".repeat(100_000)).is_err());
    }
}
