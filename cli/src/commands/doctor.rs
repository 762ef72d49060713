//! `hookweave doctor`: whether what should guard here guards.

use std::path::{Path, PathBuf};

use clap::Args;
use hookweave_host::config::Problem;
use hookweave_host::config::lint::{Severity, lint};
use hookweave_host::config::load::{FoundFile, LoadOptions};
use hookweave_host::exec::command::forgets_children;
use hookweave_host::files::LoadReport;
use hookweave_host::hook::Enforcement;
use serde::Serialize;

use crate::agent_approval::{needed, unapproved_by_codex};
use crate::agents::{AGENTS, Agent, Reach};
use crate::commands::applies::{Applies, Entry};
use crate::commands::install::on_path;
use crate::commands::trust::store;
use crate::delegates::{self, Delegate};
use crate::failed::{Failed, Result, Verdict};
use crate::foreign::{ForeignHooks, Permissions};
use crate::policy::{Policy, Which, relative};
use crate::screen::{BAD, BOLD, GOOD, Screen, WARN, count, folded, is_quiet, json, styled};
use crate::settings::{Own, Settings};

/// Check files, approvals and agents' settings, and show what to fix
#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Print JSON for programs
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    which: Which,
}

/// How something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Level {
    Fine,
    Note,
    Wrong,
}

/// One thing that was looked at.
#[derive(Debug, Serialize)]
struct Finding {
    level: Level,
    about: &'static str,
    what: String,
}

impl Finding {
    fn new(level: Level, about: &'static str, what: impl Into<String>) -> Self {
        Self { level, about, what: what.into() }
    }
}

impl Doctor {
    /// Runs the command.
    pub(crate) fn run(&self, screen: Screen<'_>) -> Result<Verdict> {
        let mut findings = program();
        match delegates::load(&self.which.to_look_at()) {
            Ok((policy, delegates)) => self.policy(&policy, &delegates, &mut findings),
            Err(why) => findings.push(Finding::new(Level::Wrong, "hooks", why.to_string())),
        }
        findings.push(match store(&self.which).and_then(|store| Ok((store.approved()?.len(), store))) {
            Ok((approved, store)) => {
                let what = format!("{} kept in {}", count(approved, "approval"), store.path().display());
                Finding::new(Level::Fine, "trust", what)
            }
            Err(why) => Finding::new(Level::Wrong, "trust", why.to_string()),
        });
        self.agents(&mut findings);
        if self.json {
            json(screen, &findings)?;
        } else {
            for finding in findings.iter().filter(|finding| !is_quiet() || finding.level != Level::Fine) {
                let (style, word) = match finding.level {
                    Level::Fine => (GOOD, "fine "),
                    Level::Note => (WARN, "note "),
                    Level::Wrong => (BAD, "WRONG"),
                };
                write!(screen, "{} {} ", styled(style, word), styled(BOLD, finding.about))?;
                let before = word.len() + finding.about.len() + 2;
                let lines = folded(&finding.what, before);
                writeln!(screen, "{}", lines.join(&format!("\n{}", " ".repeat(before))))?;
            }
        }
        let number = |level: Level| findings.iter().filter(|finding| finding.level == level).count();
        let (wrong, notes) = (number(Level::Wrong), number(Level::Note));
        if !self.json {
            let (wrong, notes) = (count(wrong, "problem"), count(notes, "warning"));
            writeln!(screen, "{wrong}, {notes}")?;
        }
        Ok(Verdict::of(wrong == 0))
    }

    fn policy(&self, policy: &Policy, delegates: &[Delegate], findings: &mut Vec<Finding>) {
        let report = &policy.report;
        let below = self.which.directory();
        let closed = report.lost.iter().filter(|lost| lost.closed.is_some()).count();
        let hooks = policy.declared().saturating_sub(closed);
        let what = format!("{} in force, {} read", count(hooks, "hook"), count(report.found.len(), "file"));
        findings.push(Finding::new(if hooks > 0 { Level::Fine } else { Level::Note }, "hooks", what));
        for hook in policy.registry.list().iter().filter(|hook| hook.enforcement == Enforcement::Observe) {
            let what =
                format!("{} on {} observes: what it decides is recorded and not acted on", hook.name, hook.event);
            findings.push(Finding::new(Level::Note, "hooks", what));
        }
        let is_told = |problem: &&Problem| {
            report.lost.iter().any(|lost| {
                lost.is_gone && Path::new(&lost.approval.file) == problem.file && lost.approval.place == problem.place
            })
        };
        for problem in report.problems.iter().filter(|problem| !is_told(problem)) {
            let level = if problem.fatal { Level::Wrong } else { Level::Note };
            findings.push(Finding::new(level, "hooks", problem.to_string()));
        }
        for found in &report.found {
            // How many of them wait is printed below, as is that hookweave's own entries need no approval.
            let note = found.note.as_deref().filter(|note| !note.ends_with("not approved"));
            let Some(note) = note else { continue };
            findings.push(Finding::new(Level::Note, "hooks", format!("{}: {note}", relative(&found.file, &below))));
        }
        self.lint(report, delegates, &below, findings);
        let permissions = Permissions::of(&report.found);
        findings.extend(permissions.iter().map(|found| Finding::new(Level::Note, "hooks", found.text(&below))));
        for lost in &report.lost {
            findings.push(Finding::new(Level::Wrong, "trust", &lost.why));
        }
        // One that changed is told above.
        let changed = report.lost.iter().filter(|lost| !lost.is_gone).count();
        let waiting = report.untrusted.len().saturating_sub(changed);
        if waiting > 0 {
            let hooks = count(waiting, "hook");
            let what = format!("{hooks} left out until approved; see `hookweave list`");
            findings.push(Finding::new(Level::Note, "trust", what));
        }
    }

    /// Likely mistakes in the files, and what prevents their hooks from running.
    fn lint(&self, report: &LoadReport, delegates: &[Delegate], below: &Path, findings: &mut Vec<Finding>) {
        // What loading itself has reported is printed above, permission rules below.
        const SAID: &[&str] = &["invalid", "remark", "ambiguous-file", "permissions-not-run"];
        let project = std::path::absolute(self.which.directory()).ok();
        // The files in which agents are set to ask hookweave are checked with the agents.
        let is_delegated =
            |found: &FoundFile| delegates.iter().any(|delegate| delegate.is_all_of(&found.file, found.hooks));
        for found in report.found.iter().filter(|found| !found.broken && !is_delegated(found)) {
            let options = LoadOptions {
                dialect: Some(found.dialect),
                scope: found.scope,
                project_dir: project.clone().filter(|_| self.which.files.is_empty()),
                ..LoadOptions::default()
            };
            let Ok(found_here) = lint(&found.file, &options) else { continue };
            for finding in found_here.iter().filter(|finding| !SAID.contains(&finding.rule)) {
                let level = if finding.severity == Severity::Error { Level::Wrong } else { Level::Note };
                let problem = &finding.problem;
                let line = problem.line.map(|line| format!(":{line}")).unwrap_or_default();
                let what = format!("{}{line}: {} [{}]", relative(&problem.file, below), problem.message, finding.rule);
                findings.push(Finding::new(level, "hooks", what));
            }
        }
    }

    fn agents(&self, findings: &mut Vec<Finding>) {
        let project = self.which.directory();
        let before = findings.len();
        for agent in AGENTS {
            for reach in [Reach::Managed, Reach::User, Reach::Project, Reach::Local] {
                let Ok((file, _)) = agent.file(reach, &project) else { continue };
                let entries = match entries_of(agent, &file) {
                    Ok(entries) => entries,
                    Err(why) => {
                        findings.push(Finding::new(Level::Wrong, "agents", format!("{}: {why}", agent.name)));
                        continue;
                    }
                };
                if entries.is_empty() {
                    continue;
                }
                let finding = installed(agent, &file, &entries);
                let is_found = finding.level == Level::Fine;
                findings.push(finding);
                if is_found {
                    self.applies(agent, &entries, findings);
                    findings.extend(approval(agent, reach, &file, &entries));
                }
            }
        }
        if findings.len() == before {
            let what = "no agent runs hookweave here; `hookweave install --agent NAME` sets one up";
            findings.push(Finding::new(Level::Note, "agents", what));
        }
    }

    /// Which hooks apply when an agent asks hookweave.
    fn applies(&self, agent: &Agent, entries: &[Own], findings: &mut Vec<Finding>) {
        let project = self.which.directory();
        let lines: Vec<Entry> = entries.iter().map(|entry| (entry.event.clone(), entry.command.clone())).collect();
        let mut add = |level, what: String| {
            findings.push(Finding::new(level, "agents", format!("{}: {what}", agent.name)));
        };
        let applies = match Applies::of(agent, &lines, &project, self.which.trust_store.as_ref()) {
            Ok(applies) => applies,
            Err(why) => return add(Level::Wrong, why.to_string()),
        };
        if !applies.is_none() {
            add(Level::Fine, applies.text(&project));
        } else if applies.waiting > 0 {
            let what =
                format!("no hook applies, {} for an approval; `hookweave trust approve`", waits(applies.waiting));
            add(Level::Wrong, what);
        } else {
            let found = ForeignHooks::find(agent, &project).unwrap_or_default();
            let options: Vec<String> = found.iter().map(|hooks| format!("--source {}", hooks.dialect)).collect();
            let texts: Vec<String> = found.iter().map(ForeignHooks::text).collect();
            let fix = if found.is_empty() {
                "`hookweave init` writes a policy".to_owned()
            } else {
                let options = options.join(" ");
                format!("`hookweave install --agent {} {options}` lets it run {}", agent.name, texts.join(", "))
            };
            add(Level::Wrong, format!("no hook applies, so nothing is guarded; {fix}"));
        }
        if let Some(never) = applies.never() {
            add(Level::Note, never);
        }
    }
}

fn waits(number: usize) -> String {
    let verb = if number == 1 { "waits" } else { "wait" };
    format!("{} {verb}", count(number, "hook"))
}

/// What an agent wants of a person before it runs the entries of a file.
fn approval(agent: &Agent, reach: Reach, file: &Path, entries: &[Own]) -> Option<Finding> {
    let needed = needed(agent, reach)?;
    if agent.name != "codex" {
        return Some(Finding::new(Level::Note, "agents", needed));
    }
    let missing = unapproved_by_codex(file, entries);
    Some(if missing == 0 {
        let what = "codex: its entries are approved there; it asks again when one of them changes";
        Finding::new(Level::Fine, "agents", what)
    } else {
        let of_all = format!("{missing} of {}", count(entries.len(), "entry"));
        Finding::new(Level::Wrong, "agents", format!("{needed} ({of_all} not approved)"))
    })
}

fn program() -> Vec<Finding> {
    let version = env!("CARGO_PKG_VERSION");
    let program = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("hookweave"));
    let mut findings =
        vec![Finding::new(Level::Fine, "command", format!("hookweave {version}, {}", program.display()))];
    if !on_path("hookweave") {
        let what =
            "`hookweave` is not on your PATH, so agents do not find it; add its folder, or install with --program";
        findings.push(Finding::new(Level::Note, "command", what));
    }
    if forgets_children() {
        let what = "SIGCHLD is ignored here, so the system discards exit statuses; commands run below a shell that reports them";
        findings.push(Finding::new(Level::Note, "command", what));
    }
    findings
}

/// The entries of an agent's settings that run this command.
fn entries_of(agent: &Agent, file: &Path) -> Result<Vec<Own>> {
    // Bounded, and no pipe without a writer: the project's files are not trusted.
    let Ok(text) = crate::document::read_text(file) else { return Ok(Vec::new()) };
    match Settings::read(&text) {
        Ok(settings) => Ok(settings.own(agent)),
        // A file of other things is the agent's own affair.
        Err(_) if !text.contains("hookweave") => Ok(Vec::new()),
        Err(why) => Err(Failed::file(file, why)),
    }
}

/// Whether an agent finds the command that its settings name.
fn installed(agent: &Agent, file: &Path, entries: &[Own]) -> Finding {
    let command = entries.first().map(|entry| entry.command.as_str()).unwrap_or_default();
    let program = command.split_whitespace().next().unwrap_or_default();
    let found = if program.contains(['/', '\\']) { Path::new(program).is_file() } else { on_path(program) };
    let where_to = file.strip_prefix(".").unwrap_or(file).display();
    if found {
        let what = format!("{} runs hookweave on {} ({where_to})", agent.name, count(entries.len(), "event"));
        Finding::new(Level::Fine, "agents", what)
    } else {
        let what = format!(
            "{} is set to run `{command}`, but `{program}` is not found ({where_to}); no event is guarded",
            agent.name
        );
        Finding::new(Level::Wrong, "agents", what)
    }
}
