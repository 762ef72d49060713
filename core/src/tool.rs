//! Tools that a host has under names of its own.

use rustc_hash::FxHashMap;

use crate::error::{Code, Error};
use crate::payload::Host;
use crate::read::Reader;

/// What `define_tool` was asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolDefinition {
    /// The host's name for the tool.
    pub name: String,
    /// The known tool that it is the same as.
    pub same_as: Option<String>,
    /// The argument that holds its command.
    pub command: Option<String>,
    /// The arguments that hold file paths.
    pub paths: Vec<String>,
}

impl ToolDefinition {
    /// Reads `{name, same_as?, command?, paths?}` from a host's object.
    pub fn read<'v, H: Host>(host: &'v H, view: &H::View<'v>) -> Result<Self, Error> {
        let reader = Reader::new(host, view, Code::InvalidToolDefinition, "tool definition")?;
        reader.only(&["name", "same_as", "command", "paths"])?;
        Ok(Self {
            name: reader.required_text("name")?,
            same_as: reader.text("same_as")?,
            command: reader.text("command")?,
            paths: reader.texts("paths")?.unwrap_or_default(),
        })
    }
}

/// A defined tool as matchers see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tool {
    /// The names that it also goes by, nearest first.
    pub(crate) same_as: Vec<String>,
    pub(crate) command: Option<String>,
    pub(crate) paths: Vec<String>,
}

/// The tools that a host has defined.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tools {
    by_name: FxHashMap<String, Tool>,
}

impl Tools {
    pub(crate) fn get(&self, name: &str) -> Option<&Tool> {
        self.by_name.get(name)
    }

    /// Adds a tool. The same definition twice is no error.
    pub(crate) fn define(&mut self, definition: ToolDefinition) -> Result<(), Error> {
        let ToolDefinition { name, same_as, command, paths } = definition;
        let refuse = |why: &str| Err(Error::new(Code::InvalidToolDefinition, format!("tool `{name}`: {why}")));
        if name.trim().is_empty() {
            return refuse("a tool needs a name");
        }
        if same_as.is_none() && command.is_none() && paths.is_empty() {
            return refuse("says nothing; give same_as, command or paths");
        }
        if command.as_ref().is_some_and(String::is_empty) || paths.iter().any(String::is_empty) {
            return refuse("an argument name is empty");
        }
        let mut names = Vec::new();
        if let Some(other) = same_as {
            if other == name || other.is_empty() {
                return refuse("same_as must name another tool");
            }
            let further = self.by_name.get(&other).map(|tool| tool.same_as.clone()).unwrap_or_default();
            if further.contains(&name) {
                return refuse("same_as leads back to the tool itself");
            }
            names.push(other);
            names.extend(further);
        }
        let tool = Tool { same_as: names, command, paths };
        if self.by_name.get(&name).is_some_and(|known| *known != tool) {
            return refuse("is already defined differently");
        }
        self.by_name.insert(name, tool);
        Ok(())
    }
}
