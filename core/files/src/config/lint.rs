//! Says what will surprise in a configuration file before it does.
//!
//! Everything that loading reports is reported here too. The rest are rules of thumb about what people mean: a finding is
//! no proof, and no finding is no warrant.

mod content;
mod entries;
mod matchers;

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::load::{LoadOptions, read_text};
use super::places::project_of;
use super::recognise::recognise;
use super::scripts::Roots;
use super::variables::{plugin_of, refuse_unfilled};
use super::{Declared, Problem, Source, readers};
use hookweave_machine::error::{Code, Error};
use hookweave_machine::pattern::PatternCache;

/// One thing that will surprise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// The rule's name, for example `timeout-unit`.
    pub rule: &'static str,
    /// What, where, and the fix.
    #[serde(flatten)]
    pub problem: Problem,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} [{}]", self.problem, self.rule)
    }
}

/// Every rule with what it finds.
pub const RULES: &[(&str, &str)] = &[
    ("invalid", "a rejected entry, or a file that cannot be read"),
    ("remark", "an entry that is loaded with a changed meaning"),
    ("ambiguous-file", "a file that fits several systems"),
    ("unknown-key", "a key of a handler that no system reads"),
    ("timeout-unit", "seconds where milliseconds are meant, or the reverse"),
    ("matcher-never", "a matcher that never matches"),
    ("matcher-ignored", "a matcher on an event that has nothing to match"),
    ("star-regex", "a `*` that means something else in a regular expression"),
    ("unknown-tool", "a tool that the system does not have"),
    ("script-missing", "a script that is not there"),
    ("program-missing", "a program that `PATH` does not find"),
    ("script-not-executable", "a script that cannot be started"),
    ("exit-one-guard", "a guard that exits with 1, which does not block"),
    ("unread-field", "an answer in a field that the system does not read"),
    ("unknown-variable", "an environment variable that is never set"),
    ("foreign-tool-name", "a script that waits for a tool under another system's name"),
    ("plain-http", "a webhook that leaves the machine unencrypted"),
];

/// What rules look at.
struct Hook<'l> {
    declared: &'l Declared,
    roots: Roots<'l>,
}

/// Gathers findings of one hook.
struct Findings<'l> {
    declared: &'l Declared,
    all: &'l mut Vec<Finding>,
}

impl Findings<'_> {
    /// Whether a rule already found something in this hook.
    fn has(&self, rule: &str) -> bool {
        let place = self.declared.spec.origin.as_ref().map(|origin| origin.place.as_str());
        self.all.iter().any(|finding| finding.rule == rule && Some(finding.problem.place.as_str()) == place)
    }

    fn add(&mut self, rule: &'static str, message: impl Into<String>) {
        let Some(origin) = &self.declared.spec.origin else { return };
        let problem = Problem {
            file: origin.file.clone(),
            place: origin.place.clone(),
            line: origin.line,
            message: message.into(),
            fatal: false,
        };
        let finding = Finding { rule, problem };
        if !self.all.contains(&finding) {
            self.all.push(finding);
        }
    }
}

/// Checks a file and the scripts that it names; [`Code::InvalidConfig`] when it cannot be opened or its format is
/// unknown.
pub fn lint(file: &Path, options: &LoadOptions<'_>) -> Result<Vec<Finding>, Error> {
    let refuse =
        |error: std::io::Error| Error::new(Code::InvalidConfig, format!("{}: cannot be read: {error}", file.display()));
    let file: PathBuf = std::path::absolute(file).map_err(refuse)?;
    let text = read_text(&file).map_err(refuse)?;
    let recognised = recognise(&file, &text, options.dialect)?;
    let project = options.project_dir.clone().or_else(|| project_of(&file, options.directories.home.as_deref()));
    let source = Source {
        file: file.clone(),
        scope: options.scope,
        dialect: recognised.format.dialect()?,
        project_dir: project.clone(),
        plugin: plugin_of(&file),
        catalogue: options.catalogue,
    };
    let _patterns = PatternCache::of_file();
    let mut loaded = readers::read(recognised.format, &text, &source);
    refuse_unfilled(&mut loaded);
    let mut all: Vec<Finding> = loaded
        .problems
        .into_iter()
        .map(|problem| Finding { rule: if problem.fatal { "invalid" } else { "remark" }, problem })
        .collect();
    if let Some(because) = recognised.because {
        let problem = Problem { file, place: String::new(), line: None, message: because, fatal: false };
        all.push(Finding { rule: "ambiguous-file", problem });
    }
    for declared in &loaded.hooks {
        let roots = Roots { project: project.as_deref(), home: options.directories.home.as_deref() };
        let hook = Hook { declared, roots };
        let mut findings = Findings { declared, all: &mut all };
        entries::check(&hook, &mut findings);
        matchers::check(&hook, &mut findings);
        content::check(&hook, &mut findings);
    }
    all.sort_by(|a, b| a.problem.line.cmp(&b.problem.line).then_with(|| a.rule.cmp(b.rule)));
    Ok(all)
}
