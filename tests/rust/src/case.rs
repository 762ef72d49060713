//! The cases as they stand in the files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

/// A file of cases.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Topic {
    hookweave: u32,
    #[expect(dead_code, reason = "the file's name says it too; tests/vectors/compare.py holds them together")]
    #[serde(rename = "topic")]
    name: String,
    #[expect(dead_code, reason = "what a published attack is; docs/attacks.md shows it")]
    #[serde(default)]
    advisory: Value,
    cases: Vec<Value>,
}

/// One case.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are explained in tests/vectors/README.md")]
pub struct Case {
    pub id: String,
    pub rule: String,
    pub why: String,
    pub style: Option<Kind>,
    #[serde(default)]
    pub client: Map<String, Value>,
    #[serde(default)]
    pub events: Vec<Map<String, Value>>,
    #[serde(default)]
    pub tools: Vec<Map<String, Value>>,
    #[serde(default)]
    pub server: Map<String, Value>,
    #[serde(default)]
    pub files: Vec<Map<String, Value>>,
    #[serde(default)]
    pub load: Vec<Map<String, Value>>,
    #[serde(default)]
    pub lint: Vec<Map<String, Value>>,
    pub judge: Option<Value>,
    pub tool_caller: Option<Value>,
    pub listener: Option<Map<String, Value>>,
    /// How an audit log is kept, whose records are looked at.
    #[serde(default)]
    pub audit: Option<Value>,
    #[serde(default)]
    pub hooks: Vec<Hook>,
    #[serde(default)]
    pub dispatch: Many<Dispatch>,
    pub concurrent: Option<usize>,
    #[serde(default)]
    pub explain: bool,
    #[serde(default)]
    pub expect: Many<Map<String, Value>>,
    #[serde(default)]
    pub not: BTreeMap<String, String>,
    /// The case as it is written.
    #[serde(skip)]
    pub written: Value,
}

impl Case {
    /// Reads a case.
    pub fn read(written: Value) -> Result<Self, serde_json::Error> {
        let case = Self::deserialize(&written)?;
        Ok(Self { written, ..case })
    }

    /// Who answers hooks that only the host can run, by the names under which their runs are counted.
    pub fn answerers(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        let both = [("judge", &self.judge), ("tool_caller", &self.tool_caller)];
        both.into_iter().filter_map(|(part, answerer)| Some((part, answerer.as_ref()?)))
    }

    /// Whether the case is about hooks from files, which have a style of their own.
    #[must_use]
    pub fn has_file_hooks(&self) -> bool {
        !self.files.is_empty() || !self.load.is_empty()
    }

    /// The case with its places filled in: every text's `{project}`, `{server}`, ….
    #[must_use]
    pub fn at(&self, places: &[(&str, &str)]) -> Self {
        let mut written = self.written.clone();
        fill(&mut written, places);
        Self::read(written).unwrap()
    }
}

pub(crate) fn fill(value: &mut Value, places: &[(&str, &str)]) {
    match value {
        Value::String(text) => {
            for (name, place) in places {
                *text = text.replace(name, place);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| fill(item, places)),
        Value::Object(fields) => fields.values_mut().for_each(|field| fill(field, places)),
        _ => {}
    }
}

/// Which handlers a case is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Functions that answer at once.
    Sync,
    /// Functions that can wait.
    Async,
}

/// One, or a list.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum Many<T> {
    /// A list.
    List(Vec<T>),
    /// A single one, not in a list.
    One(T),
}

impl<T> Default for Many<T> {
    fn default() -> Self {
        Self::List(Vec::new())
    }
}

impl<T> Many<T> {
    /// All of them.
    pub fn all(&self) -> &[T] {
        match self {
            Self::List(items) => items,
            Self::One(item) => std::slice::from_ref(item),
        }
    }
}

/// A dispatch and what comes before it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are explained in tests/vectors/README.md")]
pub struct Dispatch {
    #[serde(default)]
    pub event: String,
    pub from_wire: Option<Value>,
    #[serde(default = "empty")]
    pub payload: Value,
    pub cancel_after_ms: Option<u64>,
    pub cancel_when: Option<String>,
    #[serde(default)]
    pub before: Vec<Map<String, Value>>,
}

impl Dispatch {
    /// Whether it is cancelled before its end.
    #[must_use]
    pub const fn is_cancelled(&self) -> bool {
        self.cancel_after_ms.is_some() || self.cancel_when.is_some()
    }
}

fn empty() -> Value {
    Value::Object(Map::new())
}

/// A hook and what it does.
#[derive(Debug, Clone, Deserialize)]
#[expect(missing_docs, reason = "the fields are explained in tests/vectors/README.md")]
pub struct Hook {
    pub name: Option<String>,
    #[serde(default)]
    pub event: String,
    /// It is registered by its rule alone, to refuse.
    pub guard: Option<Value>,
    /// The same, to have a person asked.
    pub ask_before: Option<Value>,
    /// A ready-made hook: its name as `use`, and its options.
    pub ready_made: Option<Value>,
    #[serde(default)]
    pub does: Value,
    #[serde(default)]
    pub sees: Vec<Value>,
    pub error: Option<Value>,
    pub repeat: Option<usize>,
    #[serde(default)]
    pub temporary: bool,
    /// The options of its registration.
    #[serde(flatten)]
    pub options: Map<String, Value>,
}

impl Hook {
    /// The options as the core reads them, with durations in milliseconds.
    #[must_use]
    pub fn settings(&self, name: Option<&str>) -> Value {
        let mut settings = Map::new();
        for (option, value) in &self.options {
            let option = if option == "timeout_ms" { "timeout" } else { option };
            settings.insert(option.to_owned(), value.clone());
        }
        if let Some(name) = name {
            settings.insert("name".to_owned(), name.into());
        }
        if self.temporary {
            settings.insert("temporary".to_owned(), true.into());
        }
        Value::Object(settings)
    }
}

/// Where the vectors are.
#[must_use]
pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../vectors")
}

/// The vector files of a folder, by name.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.ends_with(".json") && name != "schema.json" && name != "rules.json"
    });
    paths.sort();
    paths
}

/// Every case of every file, by file name and then as they stand there; those of the folder `attacks` come last, and of
/// these the published ones.
#[must_use]
pub fn read_all() -> Vec<Case> {
    let mut paths = files(&folder());
    paths.extend(files(&folder().join("attacks")));
    paths.extend(files(&folder().join("attacks/published")));
    let mut cases = Vec::new();
    for path in paths {
        let topic: Topic = serde_json::from_str(&std::fs::read_to_string(&path).unwrap())
            .unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        assert_eq!(topic.hookweave, 1, "{}: unknown version", path.display());
        for written in topic.cases {
            let id = written["id"].clone();
            cases.push(Case::read(written).unwrap_or_else(|why| panic!("{id}: {why}")));
        }
    }
    cases
}
