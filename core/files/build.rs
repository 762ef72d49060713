//! Writes the policies as tables of Rust: a process that starts for one call has no time to read their text.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pack {
    about: String,
    rules: Vec<Rule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    id: String,
    answer: String,
    #[serde(default = "standard")]
    level: String,
    reason: String,
    suggest: String,
    #[serde(default)]
    rules: Vec<String>,
    #[serde(default)]
    unless: Vec<String>,
    #[serde(default)]
    in_doubt: bool,
    #[serde(default)]
    reads: Vec<String>,
    #[serde(default)]
    writes: Vec<String>,
    flow: Option<String>,
    #[serde(default)]
    code: Vec<String>,
    #[serde(default)]
    statements: bool,
    #[serde(default)]
    unread: bool,
    #[serde(default)]
    nameless: bool,
    #[serde(default)]
    nameless_as: Vec<String>,
}

fn standard() -> String {
    "standard".to_owned()
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("policies");
    println!("cargo::rerun-if-changed={}", folder.display());
    let entries =
        fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>, Box<dyn Error>>>()?;
    let mut files: Vec<PathBuf> =
        entries.into_iter().filter(|file| file.extension().is_some_and(|end| end == "toml")).collect();
    files.sort();
    let (mut tables, mut packs) = (String::new(), String::new());
    for (at, file) in files.iter().enumerate() {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let pack: Pack =
            toml::from_str(&fs::read_to_string(file)?).map_err(|why| format!("{}: {why}", file.display()))?;
        writeln!(tables, "static RULES_{at}: [Rule; {}] = [", pack.rules.len())?;
        for rule in &pack.rules {
            write_rule(&mut tables, &name, rule)?;
        }
        writeln!(tables, "];")?;
        writeln!(packs, "    Pack {{ name: {name:?}, about: {:?}, rules: &RULES_{at} }},", pack.about)?;
    }
    let text = format!("{tables}static PACKS: [Pack; {}] = [\n{packs}];\n", files.len());
    Ok(fs::write(Path::new(&env::var("OUT_DIR")?).join("policies.rs"), text)?)
}

fn write_rule(tables: &mut String, pack: &str, rule: &Rule) -> std::fmt::Result {
    let (answer, level) = (variant(&rule.answer), variant(&rule.level));
    let flow = rule.flow.as_ref().map_or("None".to_owned(), |flow| format!("Some(Flow::{})", variant(flow)));
    writeln!(
        tables,
        "    Rule {{ id: {:?}, answer: Answer::{answer}, level: Level::{level}, reason: {:?}, suggest: {:?},",
        format!("{pack}.{}", rule.id),
        rule.reason,
        rule.suggest,
    )?;
    writeln!(
        tables,
        "        parts: Parts {{ rules: &{:?}, unless: &{:?}, in_doubt: {}, reads: &{:?}, writes: &{:?}, flow: {flow}, \
         code: &{:?}, statements: {}, unread: {}, nameless: {}, nameless_as: &{:?} }}, \
         compiled: OnceLock::new() }},",
        rule.rules,
        rule.unless,
        rule.in_doubt,
        rule.reads,
        rule.writes,
        rule.code,
        rule.statements,
        rule.unread,
        rule.nameless,
        rule.nameless_as,
    )
}

/// The variant of a word: `FilesToNetwork` of `files-to-network`. One that is none does not compile.
fn variant(word: &str) -> String {
    let capital = |part: &str| part.chars().next().map(|first| first.to_ascii_uppercase().to_string() + &part[1..]);
    word.split('-').filter_map(capital).collect()
}
