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

use super::load::{Configuration, LoadOptions, refused, unreadable};
use super::places::{project_of, scope_of};
use super::recognise::{Format, recognise};
use super::scripts::Roots;
use super::tree::read_text;
use super::variables::{plugin_of, refuse_unfilled};
use super::{Declared, Fix, Problem, Source, readers};
use hookweave_machine::error::Error;
use hookweave_machine::event::Catalogue;
use hookweave_machine::hook::Scope;
use hookweave_machine::pattern::PatternCache;
use standing::Standing;

/// One thing that will surprise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// The rule's name, for example `timeout-unit`.
    pub rule: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What, where, and the fix.
    #[serde(flatten)]
    pub problem: Problem,
}

impl Finding {
    fn new(name: &'static str, problem: Problem) -> Self {
        let severity = rule(name).map_or(Severity::Warning, |rule| rule.severity);
        Self { rule: name, severity, problem }
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} [{}]", self.problem, self.rule)
    }
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Good to know; nothing has to be fixed.
    Note,
    /// A likely mistake.
    Warning,
    /// A hook that does not work.
    Error,
}

impl Severity {
    /// Its word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One rule of the linter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Rule {
    /// Its name, for example `timeout-unit`.
    #[serde(rename = "rule")]
    pub name: &'static str,
    /// How bad its findings are.
    pub severity: Severity,
    /// What it finds.
    pub finds: &'static str,
    /// Why that matters, and the fix.
    pub explains: &'static str,
}

/// Every rule.
pub const RULES: &[Rule] = &[
    Rule {
        name: "invalid",
        severity: Severity::Error,
        finds: "a rejected entry, or a file that cannot be read",
        explains: "The entry is left out, so its hook never runs; most agents refuse the whole file. The message names the key and what it takes.",
    },
    Rule {
        name: "remark",
        severity: Severity::Warning,
        finds: "an entry that is left out without harm to the others, or loaded with a changed meaning",
        explains: "The file loads, and something in it means less or something else than it says. Take it out, or write what the message asks for.",
    },
    Rule {
        name: "ambiguous-file",
        severity: Severity::Warning,
        finds: "a file that fits several systems",
        explains: "Name the format with --dialect, or keep the file where its system looks for it.",
    },
    Rule {
        name: "unknown-key",
        severity: Severity::Warning,
        finds: "a key that no system reads",
        explains: "A misspelt key has no effect: `timout` sets no timeout. Correct it, or take it out.",
    },
    Rule {
        name: "timeout-unit",
        severity: Severity::Warning,
        finds: "seconds where milliseconds are meant, or the reverse",
        explains: "Systems count timeouts in different units: `timeout: 30` is 30 s for Claude Code and 30 ms for Gemini CLI.",
    },
    Rule {
        name: "matcher-never",
        severity: Severity::Warning,
        finds: "a matcher that never matches",
        explains: "No event satisfies it, so the hook never runs: `mcp__memory` alone is no tool, `mcp__memory__.*` is every tool of that server.",
    },
    Rule {
        name: "matcher-ignored",
        severity: Severity::Warning,
        finds: "a matcher on an event that has nothing to match",
        explains: "The hook runs for every such event. Take the matcher out, or look at the event in the hook.",
    },
    Rule {
        name: "star-regex",
        severity: Severity::Warning,
        finds: "a `*` that means something else in a regular expression",
        explains: "In a regular expression `Edit*` is `Edi` and any number of `t`. Write `Edit.*`.",
    },
    Rule {
        name: "one-command",
        severity: Severity::Note,
        finds: "a guard for a command without further words",
        explains: "`Bash(git push)` is for `git push` alone, and `git push origin` passes. Write `Bash(git push *)` for both.",
    },
    Rule {
        name: "unknown-tool",
        severity: Severity::Warning,
        finds: "a tool that the system does not have",
        explains: "The matcher holds only for a tool that the host calls so. Correct the name, or leave it if the host has such a tool.",
    },
    Rule {
        name: "script-missing",
        severity: Severity::Error,
        finds: "a script that is not there",
        explains: "The hook cannot run, and a shell's answer to that lets the call continue. Write the script's path, or take the hook out.",
    },
    Rule {
        name: "program-missing",
        severity: Severity::Error,
        finds: "a program that `PATH` does not find",
        explains: "The hook cannot run, and a shell's answer to that lets the call continue. Install the program, or write its path.",
    },
    Rule {
        name: "script-not-executable",
        severity: Severity::Error,
        finds: "a script that cannot be started",
        explains: "The hook cannot run, and a shell's answer to that lets the call continue. Run `chmod +x` on the script.",
    },
    Rule {
        name: "exit-one-guard",
        severity: Severity::Warning,
        finds: "a guard that exits with 1, which does not block",
        explains: "Only exit code 2 blocks; every other one is a failure, and the call continues. Exit with 2.",
    },
    Rule {
        name: "switched-off",
        severity: Severity::Note,
        finds: "a hook with `enabled = false`",
        explains: "It never runs. Take the key out to switch it on, or take the hook out if it is not wanted.",
    },
    Rule {
        name: "guard-fails-open",
        severity: Severity::Warning,
        finds: "a hook that may refuse and lets the action continue when it fails",
        explains: "A hook that crashes refuses nothing. Set fail_behavior = \"block\", or mandatory = true if later hooks must not undo it either.",
    },
    Rule {
        name: "unread-field",
        severity: Severity::Warning,
        finds: "an answer in a field that the system does not read",
        explains: "The hook answers, and the system looks elsewhere: each has its own fields.",
    },
    Rule {
        name: "unknown-variable",
        severity: Severity::Warning,
        finds: "an environment variable that is never set",
        explains: "It is empty wherever the script reads it. Read the event from standard input.",
    },
    Rule {
        name: "foreign-tool-name",
        severity: Severity::Warning,
        finds: "a script that waits for a tool under another system's name",
        explains: "The same tool has another name in each system: `Bash` is `run_shell_command` in Gemini CLI.",
    },
    Rule {
        name: "permissions-not-run",
        severity: Severity::Note,
        finds: "permission rules, which bind their own system alone",
        explains: "Nothing is wrong with them. No hook runs for them, so other agents are not bound: `hookweave convert FILE --permissions` makes guards of them.",
    },
    Rule {
        name: "plain-http",
        severity: Severity::Warning,
        finds: "a webhook that leaves the machine unencrypted",
        explains: "Others on the way can read the event and change the answer. Use https.",
    },
    Rule {
        name: "url-credentials",
        severity: Severity::Warning,
        finds: "a webhook's URL with a password in it",
        explains: "Logs and listings show it. Send it in a header from an environment variable.",
    },
    Rule {
        name: "link-local",
        severity: Severity::Warning,
        finds: "a webhook to a link-local address, such as a cloud's metadata service",
        explains: "Such an address answers with the machine's credentials. Use another one.",
    },
];

/// The rule of a name.
#[must_use]
pub fn rule(name: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.name == name)
}

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
        let finding = Finding::new(rule, problem);
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

/// Refuses files in which something is surely wrong, for a strict load: what a hook starts is not there, or cannot be started.
pub fn refuse_errors(configuration: &Configuration, catalogue: &Catalogue) -> Result<(), Error> {
    let mut errors = Vec::new();
    for found in &configuration.found {
        let options = LoadOptions {
            dialect: Some(found.dialect),
            scope: found.scope,
            project_dir: configuration.project_dir.clone(),
            catalogue: Some(catalogue),
            ..LoadOptions::default()
        };
        let findings = lint(&found.file, &options)?.into_iter();
        errors.extend(findings.filter(|finding| finding.severity == Severity::Error).map(|finding| finding.problem));
    }
    if errors.is_empty() { Ok(()) } else { Err(refused(&errors)) }
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
        claude: options.directories.claude_directory(),
        catalogue: options.catalogue,
    };
    let _patterns = PatternCache::of_file();
    let mut loaded = readers::read(recognised.format, text, &source);
    refuse_unfilled(&mut loaded, source.dialect);
    let mut all: Vec<Finding> = loaded
        .problems
        .into_iter()
        .map(|problem| Finding::new(if problem.fatal { "invalid" } else { "remark" }, problem))
        .collect();
    if let Some(because) = recognised.because {
        all.push(Finding::new("ambiguous-file", Problem::of_file(file.to_path_buf(), because, false)));
    }
    let standing = Standing::of(text, recognised.format);
    // hookweave's own files refuse every key that they do not know.
    if matches!(recognised.format, Format::HookweaveToml | Format::HookweaveJson) {
        failing::check(&loaded.hooks, &standing, &mut all);
        failing::note_switched_off(&loaded.hooks, &standing, &mut all);
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
