//! Where the values and keys of a file stand, by their places.

use rustc_hash::FxHashMap;

use crate::config::Fix;
use crate::config::reading::step;
use crate::config::recognise::Format;
use crate::config::tree::{Kind, Lines, Node, parse_json, parse_toml};

/// A file's tree, with where everything in it stands.
pub(super) struct Standing<'t> {
    lines: Lines<'t>,
    top: Option<Node>,
    /// By place, the bytes at which a field's name and its value begin; items of lists have no name.
    places: FxHashMap<String, (Option<usize>, usize)>,
}

impl<'t> Standing<'t> {
    /// Of a file's text; empty for one that cannot be parsed, which loading reports.
    pub(super) fn of(text: &'t str, format: Format) -> Self {
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        let is_toml = matches!(format, Format::HookweaveToml | Format::CodexToml | Format::Cocode);
        let top = if is_toml { parse_toml(text) } else { parse_json(text, true) }.ok();
        let mut places = FxHashMap::default();
        if let Some(top) = &top {
            walk(top, "", None, &mut places);
        }
        Self { lines: Lines::new(text), top, places }
    }

    /// The file's content.
    pub(super) const fn top(&self) -> Option<&Node> {
        self.top.as_ref()
    }

    fn position(&self, at: usize) -> (usize, usize) {
        (self.lines.line(at), self.lines.column(at))
    }

    /// Line and column of a field's name.
    pub(super) fn of_key(&self, place: &str, key: &str) -> Option<(usize, usize)> {
        let (name, value) = self.places.get(&step(place, key))?;
        Some(self.position(name.unwrap_or(*value)))
    }

    /// Line and column of the first of some fields that an entry, or the group around it, has; else of the entry.
    pub(super) fn of_fields(&self, place: &str, fields: &[&str]) -> Option<(usize, usize)> {
        let group = place.rsplit_once(".hooks[").map(|(group, _)| group);
        let found = fields.iter().find_map(|field| {
            let places = [Some(place), group];
            places.into_iter().flatten().find_map(|place| self.places.get(&step(place, field)))
        });
        let (_, value) = found.or_else(|| self.places.get(place))?;
        Some(self.position(*value))
    }

    /// The change that renames a field, unless the object has one of the new name.
    pub(super) fn rename(&self, place: &str, key: &str, meant: &str) -> Option<Fix> {
        if self.places.contains_key(&step(place, meant)) {
            return None;
        }
        let (name, _) = self.places.get(&step(place, key))?;
        Some(Fix { range: self.lines.word((*name)?, key)?, text: meant.to_owned() })
    }
}

fn walk(node: &Node, place: &str, name: Option<usize>, places: &mut FxHashMap<String, (Option<usize>, usize)>) {
    places.insert(place.to_owned(), (name, node.at));
    match &node.kind {
        Kind::Object(fields) => {
            for field in fields {
                walk(&field.value, &step(place, &field.name), Some(field.at), places);
            }
        }
        Kind::List(items) => {
            for (at, item) in items.iter().enumerate() {
                walk(item, &format!("{place}[{at}]"), None, places);
            }
        }
        _ => {}
    }
}
