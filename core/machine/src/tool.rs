//! Tools that a host has under names of its own.

use std::fmt;
use std::sync::Arc;

use arc_swap::ArcSwap;
use boon::{CompileError, Compiler, SchemaIndex, Schemas, UrlLoader, ValidationError};
use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::error::{Code, Error, did_you_mean};
use crate::json::{from_json, to_json};
use crate::payload::Host;
use crate::read::Reader;
pub mod names;
pub(crate) mod usual;

/// A tool of the host under a name of its own: what `define_tool` is given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolDefinition {
    /// The host's name for the tool.
    pub name: String,
    /// The known tool that it is the same as.
    pub same_as: Option<String>,
    /// The argument that holds its command.
    pub command: Option<String>,
    /// The arguments that hold file paths.
    pub paths: Vec<String>,
    /// The JSON Schema of its arguments: what hooks make of them has to satisfy it.
    pub schema: Option<Value>,
}

impl ToolDefinition {
    /// A tool by the host's name for it; it needs one of the other settings too.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// The known tool that it is the same as: matchers and rules for that tool hold for this one.
    #[must_use]
    pub fn same_as(self, tool: impl Into<String>) -> Self {
        Self { same_as: Some(tool.into()), ..self }
    }

    /// The argument that holds its command.
    #[must_use]
    pub fn command(self, argument: impl Into<String>) -> Self {
        Self { command: Some(argument.into()), ..self }
    }

    /// Adds an argument that holds a file path or a list of them.
    #[must_use]
    pub fn path(mut self, argument: impl Into<String>) -> Self {
        self.paths.push(argument.into());
        self
    }

    /// The JSON Schema of its arguments: what hooks make of them has to satisfy it.
    #[must_use]
    pub fn schema(self, schema: Value) -> Self {
        Self { schema: Some(schema), ..self }
    }

    /// Reads `{name, same_as?, command?, paths?, schema?}` from a host's object.
    #[doc(hidden)]
    pub fn read<'v, H: Host>(host: &'v H, view: &H::View<'v>) -> Result<Self, Error> {
        let reader = Reader::new(host, view, Code::InvalidToolDefinition, "tool definition")?;
        reader.only(&["name", "same_as", "command", "paths", "schema"])?;
        let schema = match reader.value("schema") {
            Some(view) => {
                let text = to_json(host, &view).map_err(|why| reader.refuse("schema", why))?;
                Some(from_json(&text).map_err(|why| reader.refuse("schema", why))?)
            }
            None => None,
        };
        Ok(Self {
            schema,
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
    /// The arguments that hold its command, beside `command`.
    pub(crate) commands: Vec<String>,
    /// The arguments that hold paths, beside the usual ones.
    pub(crate) paths: Vec<String>,
    /// Its paths stand in the text of a patch.
    pub(crate) is_patch: bool,
    /// It is another tool with other arguments: a hook that is for one of them only cannot allow all.
    pub(crate) is_several: bool,
    schema: Option<Schema>,
}

/// What a tool is to guards whose name says nothing certain: it may be a known one, and it may run a command line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Likeness {
    /// The known tools that it resembles.
    pub(crate) names: &'static [String],
}

/// What some tools cannot do without, and matchers look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// A command line.
    Command,
    /// A file.
    Path,
    /// An address.
    Url,
}

impl Need {
    pub(crate) const ALL: [Self; 3] = [Self::Command, Self::Path, Self::Url];
}

/// What a tool's arguments have to be.
#[derive(Clone)]
struct Schema {
    written: Value,
    compiled: Arc<(Schemas, SchemaIndex)>,
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Schema").field(&self.written).finish()
    }
}

impl PartialEq for Schema {
    fn eq(&self, other: &Self) -> bool {
        self.written == other.written
    }
}

impl Eq for Schema {}

impl Schema {
    /// Compiles a schema; nothing outside of it is read.
    fn new(written: Value) -> Result<Self, String> {
        let refused = |why: &dyn fmt::Display| format!("schema is no JSON Schema: {why}");
        let mut compiler = Compiler::new();
        compiler.use_loader(Box::new(NoLoader));
        compiler.add_resource(PLACE, written.clone()).map_err(|why| refused(&why))?;
        let mut schemas = Schemas::new();
        let index = compiler.compile(PLACE, &mut schemas).map_err(|why| match &why {
            CompileError::ValidationError { src, .. } => {
                let first = innermost(src);
                refused(&format_args!("`{}`: {}", first.instance_location, first.kind))
            }
            _ => refused(&format_args!("{why:#}")),
        })?;
        Ok(Self { written, compiled: Arc::new((schemas, index)) })
    }

    /// Where and why a value does not satisfy it.
    fn refuses(&self, value: &Value) -> Option<String> {
        let (schemas, index) = &*self.compiled;
        let error = schemas.validate(value, *index).err()?;
        let first = innermost(&error);
        Some(format!("`modified.args{}`: {}", first.instance_location.to_string().replace('/', "."), first.kind))
    }
}

/// The dialect whose names are the engine's own.
const NAMING: &str = "claude-code";

/// The name under which a schema refers to itself.
const PLACE: &str = "hookweave:tool";

/// The first of the causes that has no further cause.
fn innermost<'e, 's, 'v>(error: &'e ValidationError<'s, 'v>) -> &'e ValidationError<'s, 'v> {
    error.causes.first().map_or(error, innermost)
}

/// What a schema refers to has to be in it: nothing is fetched, from the network or from files.
struct NoLoader;

impl UrlLoader for NoLoader {
    fn load(&self, url: &str) -> Result<Value, Box<dyn std::error::Error>> {
        Err(format!("{url} is outside of the schema; write it into its `$defs`").into())
    }
}

/// The tools that a host has defined; a holder also sees those defined later.
#[derive(Debug, Default)]
pub struct KnownTools(ArcSwap<Tools>);

impl KnownTools {
    pub(crate) fn set(&self, tools: Tools) {
        self.0.store(Arc::new(tools));
    }

    /// All names that a tool goes by.
    pub fn names(&self, tool: &str) -> Vec<String> {
        self.0.load().names(tool)
    }

    /// Those that are defined now.
    pub(crate) fn now(&self) -> Arc<Tools> {
        self.0.load_full()
    }
}

/// The tools that a host has defined.
#[derive(Debug, Clone, Default)]
pub struct Tools {
    by_name: FxHashMap<String, Tool>,
}

impl Tools {
    /// Why arguments that a hook gave are not what a tool takes; `None` when they are, or when the tool has no schema.
    pub(crate) fn refuses<H: Host>(&self, host: &H, tool: &str, args: &H::Value) -> Option<String> {
        let schema = self.by_name.get(tool)?.schema.as_ref()?;
        let written = to_json(host, &host.view(args)).map_err(|why| why.to_string());
        let value = written.and_then(|text| from_json(&text).map_err(|why| why.to_string()));
        let why = match value {
            Ok(value) => schema.refuses(&value)?,
            Err(why) => format!("`modified.args`: {why}"),
        };
        Some(format!("{why}: not what tool {tool} takes by its schema"))
    }

    /// Whether the program has defined no tools.
    pub(crate) fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    /// All names that a tool goes by: its own, those of the tools that it was defined to be, and those that each of them has had
    /// in its agent (`Task` is `Agent`).
    pub(crate) fn names(&self, tool: &str) -> Vec<String> {
        let defined = self.get(tool).map_or(&[][..], |known| &known.same_as);
        let mut names = vec![tool.to_owned()];
        names.extend(defined.iter().cloned());
        for name in names.clone() {
            let ours = names::from_dialect(NAMING, &name).into_owned();
            names.extend(names::names(NAMING, &ours).map(str::to_owned));
        }
        names
    }

    /// The names of the tools that the host has defined.
    pub(crate) fn defined_names(&self) -> impl Iterator<Item = &String> {
        self.by_name.keys()
    }

    /// What the host said of a tool.
    pub(crate) fn defined(&self, name: &str) -> Option<&Tool> {
        self.by_name.get(name)
    }

    /// What the host said of a tool, or what one with a usual name is.
    pub(crate) fn get(&self, name: &str) -> Option<&Tool> {
        self.defined(name).or_else(|| usual::usual(name))
    }

    /// Whether the engine knows what a tool does.
    pub(crate) fn knows(&self, name: &str) -> bool {
        usual::is_ours(name) || name.starts_with("mcp__") || self.get(name).is_some()
    }

    /// Whether a host that has had these tools may have one of this name: the engine knows it, and the host does not call the same
    /// tool otherwise.
    pub(crate) fn may_come(&self, name: &str, seen: &[String]) -> bool {
        if usual::is_ours(name) || name.starts_with("mcp__") || self.defined(name).is_some() {
            return true;
        }
        let is_same = |tool: &Tool, name: &String| {
            tool.same_as.contains(name) || self.get(name).is_some_and(|other| other.same_as == tool.same_as)
        };
        seen.iter().any(|known| known == name)
            || usual::usual(name).is_some_and(|tool| !seen.iter().any(|known| is_same(tool, known)))
    }

    /// Whether a tool runs command lines.
    pub(crate) fn is_shell(&self, name: &str) -> bool {
        self.needs(name, Need::Command)
    }

    /// Whether a tool cannot do without a command line, a file or an address.
    pub(crate) fn needs(&self, name: &str, need: Need) -> bool {
        let tools = match need {
            Need::Command => usual::SHELLS,
            Need::Path => usual::OF_FILES,
            Need::Url => &["WebFetch"],
        };
        tools.contains(&name)
            || self.get(name).is_some_and(|tool| tool.same_as.iter().any(|name| tools.contains(&name.as_str())))
    }

    /// What a tool is to guards that is none of the known ones; `None` for a known one.
    pub(crate) fn likeness(&self, name: &str) -> Option<Likeness> {
        if usual::is_ours(name) || self.get(name).is_some_and(|tool| !tool.same_as.is_empty()) {
            return None;
        }
        let is_said = self.defined(name).is_some_and(|tool| !tool.commands.is_empty() || !tool.paths.is_empty());
        let alike = usual::alike(name).filter(|_| !is_said);
        Some(Likeness { names: alike.map_or(&[][..], |tool| &tool.same_as) })
    }

    /// Adds a tool. The same definition twice is no error, and one that gives nothing but a schema gives a known tool another one.
    pub(crate) fn define(&mut self, definition: ToolDefinition) -> Result<(), Error> {
        let ToolDefinition { name, same_as, command, paths, schema } = definition;
        let refuse = |why: &str| Err(Error::new(Code::InvalidToolDefinition, format!("tool `{name}`: {why}")));
        if name.trim().is_empty() {
            return refuse("a tool needs a name");
        }
        if same_as.is_none() && command.is_none() && paths.is_empty() && schema.is_none() {
            return refuse("says nothing; give same_as, command, paths or schema");
        }
        if command.as_ref().is_some_and(String::is_empty) || paths.iter().any(String::is_empty) {
            return refuse("an argument name is empty");
        }
        let mut names = Vec::new();
        if let Some(other) = same_as {
            if other == name || other.is_empty() {
                return refuse("same_as must name another tool");
            }
            if !self.knows(&other) {
                let mut known: Vec<&str> = usual::ours().collect();
                known.extend(self.by_name.keys().map(String::as_str));
                let hint = did_you_mean(&other, known);
                return refuse(&format!("same_as names `{other}`, which is no known tool{hint}; define it first"));
            }
            let further = self.get(&other).map(|tool| tool.same_as.clone()).unwrap_or_default();
            if further.contains(&name) {
                return refuse("same_as leads back to the tool itself");
            }
            names.push(other);
            names.extend(further);
        }
        let schema = match schema.map(Schema::new).transpose() {
            Ok(schema) => schema,
            Err(why) => return refuse(&why),
        };
        let is_schema_alone = names.is_empty() && command.is_none() && paths.is_empty();
        if let Some(known) = self.by_name.get_mut(&name).filter(|_| is_schema_alone) {
            known.schema = schema;
            return Ok(());
        }
        let commands = command.into_iter().collect();
        // A schema says nothing of what the tool is.
        let usual = usual::usual(&name).filter(|_| is_schema_alone).cloned();
        let own = Tool { same_as: names, commands, paths, is_patch: false, is_several: false, schema: None };
        let tool = Tool { schema, ..usual.unwrap_or(own) };
        if self.by_name.get(&name).is_some_and(|known| *known != tool) {
            return refuse("is already defined differently");
        }
        self.by_name.insert(name, tool);
        Ok(())
    }
}
