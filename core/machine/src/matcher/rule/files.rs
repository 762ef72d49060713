//! Calls that read or change the files of a rule in other ways than by the tools that it names.

use std::sync::Arc;

use super::{EDITING, READING};
use crate::match_input::{ArgumentText, MatchInput};
use crate::matcher::writes::{Access, FileSet, NamedFiles, join, lines_touch};
use crate::path::PathForms;
use crate::payload::Host;
use crate::tool::usual::SHELLS;

/// The files that a rule names, and what is done with them.
#[derive(Debug, Clone)]
pub(super) struct Files {
    named: Arc<NamedFiles>,
    access: Access,
}

impl Files {
    pub(super) fn new(tool: &str, content: &str) -> Result<Self, String> {
        let access = if EDITING.contains(&tool) { Access::Write } else { Access::Read };
        Ok(Self { named: Arc::new(NamedFiles::new(&[content.to_owned()])?), access })
    }

    /// Whether a tool may touch files as the rule means.
    pub(super) fn speaks_of(&self, names: &[&str]) -> bool {
        let is_one_of = |tools: &[&str]| names.iter().any(|name| tools.contains(name));
        is_one_of(SHELLS) || is_one_of(if self.access == Access::Write { EDITING } else { READING })
    }

    /// Whether a call reads or changes one of the files.
    pub(super) fn touches<H: Host>(&self, names: &[&str], input: &MatchInput<'_, H>) -> bool {
        let is_one_of = |tools: &[&str]| names.iter().any(|name| tools.contains(name));
        if is_one_of(SHELLS) && lines_touch(&*self.named, self.access, input) {
            return true;
        }
        match self.access {
            Access::Write => is_one_of(EDITING) && self.is_named(input),
            _ => names.contains(&"Grep") && self.is_searched(input),
        }
    }

    fn has(&self, path: &PathForms) -> bool {
        path.forms().any(|form| self.named.has(form))
    }

    fn is_named<H: Host>(&self, input: &MatchInput<'_, H>) -> bool {
        let paths = input.paths();
        paths.indeterminate || paths.items.iter().any(|path| self.has(path))
    }

    /// Whether a search is limited to files of which this is one.
    fn is_searched<H: Host>(&self, input: &MatchInput<'_, H>) -> bool {
        let text = |name: &str| match input.argument_text(name) {
            ArgumentText::Text(text) => Some(text),
            ArgumentText::Missing | ArgumentText::Unknown => None,
        };
        let Some(glob) = text("glob").filter(|glob| !glob.starts_with('!')) else { return false };
        let path = join(&text("path").unwrap_or_default(), glob.trim_start_matches("**/"));
        input.place(&path).iter().any(|path| self.has(path))
    }
}
