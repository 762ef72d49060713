//! Says what will surprise in a configuration file before it does.
//!
//! Everything that loading reports is reported here too. The rest are rules of thumb about what people mean: a finding is
//! no proof, and no finding is no warrant.

mod content;
mod entries;
mod failing;
mod keys;
mod matchers;
mod permissions;
mod standing;

use std::path::Path;

use serde::Serialize;

use super::load::{LoadOptions, read_text, unreadable};
use super::places::{project_of, scope_of};
use super::recognise::{Format, recognise};
use super::scripts::Roots;
use super::variables::{plugin_of, refuse_unfilled};
use super::{Declared, Fix, Problem, Source, readers};
use hookweave_machine::error::Error;
use hookweave_machine::hook::Scope;
use hookweave_machine::pattern::PatternCache;
use standing::Standing;

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
    ("remark", "an entry that is left out without harm to the others, or loaded with a changed meaning"),
    ("ambiguous-file", "a file that fits several systems"),
    ("unknown-key", "a key that no system reads"),
    ("timeout-unit", "seconds where milliseconds are meant, or the reverse"),
    ("matcher-never", "a matcher that never matches"),
    ("matcher-ignored", "a matcher on an event that has nothing to match"),
    ("star-regex", "a `*` that means something else in a regular expression"),
    ("unknown-tool", "a tool that the system does not have"),
    ("script-missing", "a script that is not there"),
    ("program-missing", "a program that `PATH` does not find"),
    ("script-not-executable", "a script that cannot be started"),
    ("exit-one-guard", "a guard that exits with 1, which does not block"),
    ("guard-fails-open", "a hook that may refuse and lets the action continue when it fails"),
    ("unread-field", "an answer in a field that the system does not read"),
    ("unknown-variable", "an environment variable that is never set"),
    ("foreign-tool-name", "a script that waits for a tool under another system's name"),
    ("permissions-not-run", "permission rules, which bind their own system alone"),
    ("plain-http", "a webhook that leaves the machine unencrypted"),
    ("url-credentials", "a webhook's URL with a password in it"),
    ("link-local", "a webhook to a link-local address, such as a cloud's metadata service"),
];

/// What rules look at.
struct Hook<'l> {
    declared: &'l Declared,
    roots: Roots<'l>,
}

/// Gathers findings of one hook.
struct Findings<'l> {
    declared: &'l Declared,
    standing: &'l Standing<'l>,
    all: &'l mut Vec<Finding>,
}

impl Findings<'_> {
    /// Whether a rule already found something in this hook.
    fn has(&self, rule: &str) -> bool {
        let place = self.declared.spec.origin.as_ref().map(|origin| origin.place.as_str());
        self.all.iter().any(|finding| finding.rule == rule && Some(finding.problem.place.as_str()) == place)
    }

    /// Of the first of some fields that the entry has, or of the entry.
    fn add_at(&mut self, rule: &'static str, fields: &[&str], message: impl Into<String>) {
        let place = self.declared.spec.origin.as_ref().map(|origin| origin.place.as_str()).unwrap_or_default();
        self.add_there(rule, self.standing.of_fields(place, fields), message, None);
    }

    /// Of a key of the entry.
    fn add_key(&mut self, rule: &'static str, key: &str, meant: Option<&str>, message: impl Into<String>) {
        let place = self.declared.spec.origin.as_ref().map(|origin| origin.place.clone()).unwrap_or_default();
        let fix = meant.and_then(|meant| self.standing.rename(&place, key, meant));
        self.add_there(rule, self.standing.of_key(&place, key), message, fix);
    }

    fn add_there(
        &mut self,
        rule: &'static str,
        position: Option<(usize, usize)>,
        message: impl Into<String>,
        fix: Option<Fix>,
    ) {
        let Some(origin) = &self.declared.spec.origin else { return };
        let mut problem = Problem { fix, ..Problem::of_hook(origin, message, false) };
        if let Some((line, column)) = position {
            (problem.line, problem.column) = (Some(line), Some(column));
        }
        let finding = Finding { rule, problem };
        if !self.all.contains(&finding) {
            self.all.push(finding);
        }
    }
}

/// Checks a file and the scripts that it names; [`InvalidConfig`](hookweave_machine::error::Code::InvalidConfig) when it cannot be opened or its format is
/// unknown.
pub fn lint(file: &Path, options: &LoadOptions<'_>) -> Result<Vec<Finding>, Error> {
    let refuse = |error: std::io::Error| unreadable(file, &error);
    let text = read_text(file).map_err(refuse)?;
    lint_text(&std::path::absolute(file).map_err(refuse)?, &text, options)
}

/// Checks a file as if it held this text.
pub fn lint_text(file: &Path, text: &str, options: &LoadOptions<'_>) -> Result<Vec<Finding>, Error> {
    let recognised = recognise(file, text, options.dialect)?;
    let project = options.project_dir.clone().or_else(|| project_of(file, options.directories.home.as_deref()));
    // A file of the administrator or of the user may say more than one that comes with a project.
    let is_of_project = options.scope == Scope::Project;
    let source = Source {
        file: file.to_path_buf(),
        scope: scope_of(file, &options.directories).filter(|_| is_of_project).unwrap_or(options.scope),
        dialect: recognised.format.dialect()?,
        project_dir: project.clone(),
        plugin: plugin_of(file),
        catalogue: options.catalogue,
    };
    let _patterns = PatternCache::of_file();
    let mut loaded = readers::read(recognised.format, text, &source);
    refuse_unfilled(&mut loaded, source.dialect);
    let mut all: Vec<Finding> = loaded
        .problems
        .into_iter()
        .map(|problem| Finding { rule: if problem.fatal { "invalid" } else { "remark" }, problem })
        .collect();
    if let Some(because) = recognised.because {
        all.push(Finding { rule: "ambiguous-file", problem: Problem::of_file(file.to_path_buf(), because, false) });
    }
    let standing = Standing::of(text, recognised.format);
    // hookweave's own files refuse every key that they do not know.
    if matches!(recognised.format, Format::HookweaveToml | Format::HookweaveJson) {
        failing::check(&loaded.hooks, &standing, &mut all);
    } else {
        keys::check(&standing, &source, &mut all);
        permissions::check(&standing, recognised.format, &source, &mut all);
    }
    for declared in &loaded.hooks {
        let roots = Roots { project: project.as_deref(), home: options.directories.home.as_deref() };
        let hook = Hook { declared, roots };
        let mut findings = Findings { declared, standing: &standing, all: &mut all };
        entries::check(&hook, &mut findings);
        matchers::check(&hook, &mut findings);
        content::check(&hook, &mut findings);
    }
    all.sort_by(|a, b| {
        let position = |finding: &Finding| (finding.problem.line, finding.problem.column);
        position(a).cmp(&position(b)).then_with(|| a.rule.cmp(b.rule))
    });
    Ok(all)
}
