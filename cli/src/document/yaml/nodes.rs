//! YAML with the lines in which its texts stand, as the files of pipelines have it: with anchors, tags and several documents.

use std::collections::HashMap;
use std::rc::Rc;

use saphyr_parser::{Event, ScalarStyle, Span};

use super::{MAX_DEPTH, NoYaml, Reading, at};

/// A value and where it begins.
#[derive(Debug)]
pub(crate) struct Node {
    /// The line, from 1: of a block of text, that of its first line.
    pub(crate) line: usize,
    pub(crate) value: Value,
}

/// What a node is.
#[derive(Debug)]
pub(crate) enum Value {
    /// A text, and whether each of its lines is one of the file.
    Text(String, bool),
    List(Vec<Rc<Node>>),
    /// In the order of the file; a key that is no text is empty.
    Fields(Vec<(String, Rc<Node>)>),
}

impl Node {
    /// The text, if it is one.
    pub(crate) fn text(&self) -> Option<&str> {
        if let Value::Text(text, _) = &self.value { Some(text) } else { None }
    }

    /// The items, if it is a list.
    pub(crate) fn items(&self) -> &[Rc<Self>] {
        if let Value::List(items) = &self.value { items } else { &[] }
    }

    /// The fields, if it has some.
    pub(crate) fn fields(&self) -> &[(String, Rc<Self>)] {
        if let Value::Fields(fields) = &self.value { fields } else { &[] }
    }

    /// A field.
    pub(crate) fn get(&self, name: &str) -> Option<&Rc<Self>> {
        self.fields().iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }
}

/// Reads all documents.
pub(crate) fn read(text: &str) -> Result<Vec<Rc<Node>>, NoYaml> {
    let mut nodes = Nodes { reading: Reading::new(text), anchors: HashMap::new() };
    let mut documents = Vec::new();
    loop {
        let (event, span) = nodes.reading.next()?;
        match event {
            Event::StreamEnd => return Ok(documents),
            Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing => {}
            event => documents.push(nodes.node(event, &span)?),
        }
    }
}

struct Nodes<'t> {
    reading: Reading<'t>,
    anchors: HashMap<usize, Rc<Node>>,
}

impl<'t> Nodes<'t> {
    /// The node that begins with an event.
    fn node(&mut self, event: Event<'t>, span: &Span) -> Result<Rc<Node>, NoYaml> {
        self.reading.depth += 1;
        if self.reading.depth > MAX_DEPTH {
            return Err(at(span, &format!("nested deeper than {MAX_DEPTH} levels")));
        }
        // Of a block of text it is the first line of the text itself.
        let line = span.start.line();
        let (anchor, value) = match event {
            Event::Scalar(text, style, anchor, _) => {
                (anchor, Value::Text(text.into_owned(), style == ScalarStyle::Literal))
            }
            Event::SequenceStart(anchor, tag) => {
                let mut items = Vec::new();
                loop {
                    match self.reading.next()? {
                        // What a program makes of a tag of its own is not known: `!reference [job, script]`.
                        (Event::SequenceEnd, _) if tag.as_ref().is_some_and(|tag| !tag.is_yaml_core_schema()) => {
                            break (anchor, Value::List(Vec::new()));
                        }
                        (Event::SequenceEnd, _) => break (anchor, Value::List(items)),
                        (event, span) => items.push(self.node(event, &span)?),
                    }
                }
            }
            Event::MappingStart(anchor, _) => {
                let mut fields = Vec::new();
                loop {
                    let name = match self.reading.next()? {
                        (Event::MappingEnd, _) => break (anchor, Value::Fields(fields)),
                        (event, span) => self.node(event, &span)?.text().unwrap_or_default().to_owned(),
                    };
                    let (event, span) = self.reading.next()?;
                    fields.push((name, self.node(event, &span)?));
                }
            }
            Event::Alias(anchor) => {
                self.reading.depth -= 1;
                // One that stands within what it names would have no end.
                let unknown = || at(span, "an alias of what is not known yet; write the value out");
                return self.anchors.get(&anchor).map(Rc::clone).ok_or_else(unknown);
            }
            _ => return Err(at(span, "a value is missing")),
        };
        self.reading.depth -= 1;
        let node = Rc::new(Node { line, value });
        if anchor > 0 {
            self.anchors.insert(anchor, Rc::clone(&node));
        }
        Ok(node)
    }
}
