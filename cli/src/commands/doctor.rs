//! `hookweave doctor`: whether what should guard here guards.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use hookweave_host::config::Problem;
use hookweave_host::config::lint::{Severity, lint};
use hookweave_host::config::load::{FoundFile, LoadOptions, SwitchedOff};
use hookweave_host::config::trust::TrustStore;
use hookweave_host::dialects::described::system;
use hookweave_host::exec::command::forgets_children;
use hookweave_host::files::LoadReport;
use hookweave_host::hook::{Enforcement, Origin};
use hookweave_host::registry::HookInfo;
use serde::Serialize;

use crate::agent_approval::{needed, unapproved_by_codex};
use crate::agents::{AGENTS, Agent};
use crate::commands::applies::{Applies, Entry};
use crate::commands::hook::Hook;
use crate::commands::install::requires;
use crate::commands::installed::{self, Written};
use crate::commands::mcp_proxy::McpProxy;
use crate::commands::trust::{lost_texts, store};
use crate::delegates::{self, Delegate};
use crate::entry_faults::{self, Fault, Said};
use crate::failed::{Failed, Result, Verdict};
use crate::foreign::{ForeignHooks, Permissions};
use crate::hook_command::{program_of, split};
use crate::mcp_servers::{Judged, Servers};
use crate::own_program::{Misleading, is_started_by, is_there, on_path, other_on_path, own_file};
use crate::plugins::{PLUGIN_AGENTS, package_for};
use crate::policy::{Policy, Which, relative};
use crate::reach::Reach;
use crate::screen::{BAD, BOLD, GOOD, Screen, WARN, count, folded, is_quiet, json, styled};
use crate::settings::{Own, Settings};

/// Configurations of MCP clients below a project.
const CLIENT_FILES: &[&str] = &[".cursor/mcp.json", ".mcp.json", ".vscode/mcp.json"];

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
        let loaded = delegates::load(&self.which.to_look_at());
        match &loaded {
            Ok((policy, delegates)) => self.policy(policy, delegates, &mut findings),
            Err(why) => findings.push(Finding::new(Level::Wrong, "hooks", why.to_string())),
        }
        let kept = |store: TrustStore| Ok((store.approved()?.len(), store.given_without_terminal()?.len(), store));
        findings.push(match store(&self.which).and_then(kept) {
            Ok((approved, unasked, store)) => {
                let how = if unasked > 0 { format!(", {unasked} approved without a terminal") } else { String::new() };
                let what = format!("{} kept in {}{how}", count(approved, "approval"), store.path().display());
                Finding::new(Level::Fine, "trust", what)
            }
            Err(why) => Finding::new(Level::Wrong, "trust", why.to_string()),
        });
        self.agents(loaded.ok().map(|(policy, _)| policy).as_ref(), &mut findings);
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
        let closed: BTreeSet<&str> =
            report.lost.iter().filter_map(|lost| Some(lost.closed.as_ref()?.fingerprint.as_str())).collect();
        // What closes a gate in place of a lost hook is told with the approvals.
        let is_closed =
            |origin: &Origin| origin.fingerprint.as_deref().is_some_and(|fingerprint| closed.contains(fingerprint));
        let listed = policy.registry.list();
        let of_files = listed.iter().filter(|hook| hook.origin.as_deref().is_some_and(|origin| !is_closed(origin)));
        let (on, off): (Vec<&HookInfo>, Vec<&HookInfo>) = of_files.partition(|hook| hook.enabled);
        let hooks = on.len();
        let mut what = format!("{} in force, {} read", count(hooks, "hook"), count(report.found.len(), "file"));
        // What observes, or is on an event that cannot be blocked, stops nothing.
        let is_gate =
            |hook: &&&HookInfo| !hook.detached && policy.registry.resolve(&hook.event).is_ok_and(|event| event.gate());
        let all = on.iter().filter(is_gate).count();
        let is_enforced = |hook: &&&HookInfo| is_gate(hook) && hook.enforcement == Enforcement::Enforce;
        let enforced = on.iter().filter(is_enforced).count();
        if enforced < all {
            what = format!("{what}; {enforced} of {all} that can block enforced");
        }
        let switch = report.found.iter().find_map(|found| Some((found.switched_off.as_ref()?, &found.file)));
        if let Some((SwitchedOff { switch, .. }, file)) = switch.filter(|_| hooks == 0) {
            let file = relative(file, &below);
            let what =
                format!("{what}: `{switch}` in {file} switches every hook off, so nothing is guarded; take it out");
            findings.push(Finding::new(Level::Wrong, "hooks", what));
        } else if hooks == 0 && !off.is_empty() {
            let what = format!("{what}: every hook is switched off, so nothing is guarded; take out `enabled = false`");
            findings.push(Finding::new(Level::Wrong, "hooks", what));
        } else if enforced == 0 && all > 0 {
            let what = format!("{what}, so nothing is stopped; take out `enforcement = \"observe\"` to guard");
            findings.push(Finding::new(Level::Wrong, "hooks", what));
        } else {
            findings.push(Finding::new(if hooks > 0 { Level::Fine } else { Level::Note }, "hooks", what));
        }
        let observing: Vec<&HookInfo> = listed.iter().filter(|hook| hook.enforcement == Enforcement::Observe).collect();
        match observing.as_slice() {
            [] => {}
            [hook] => {
                let what =
                    format!("{} on {} observes: what it decides is recorded and not acted on", hook.name, hook.event);
                findings.push(Finding::new(Level::Note, "hooks", what));
            }
            [first, others @ ..] => {
                let (name, others) = (&first.name, count(others.len(), "other hook"));
                let what = format!("{name} and {others} observe: what they decide is recorded and not acted on");
                findings.push(Finding::new(Level::Note, "hooks", what));
            }
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
        let permissions = Permissions::of(policy);
        findings.extend(permissions.iter().map(|found| Finding::new(Level::Note, "hooks", found.text(&below))));
        let lost = lost_texts(&report.lost.iter().collect::<Vec<_>>());
        findings.extend(lost.into_iter().map(|text| Finding::new(Level::Wrong, "trust", text)));
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

    fn agents(&self, policy: Option<&Policy>, findings: &mut Vec<Finding>) {
        let project = self.which.directory();
        let before = findings.len();
        let mut silent = Vec::new();
        for agent in AGENTS.iter() {
            let (mut off, mut files) = (Vec::new(), Vec::new());
            for reach in [Reach::Managed, Reach::User, Reach::Project, Reach::Local] {
                let Ok((file, _)) = agent.file(reach, &project) else { continue };
                let written = installed::written(agent.name, &file);
                let lacks = policy.and_then(|policy| requires(reach, policy));
                let (entries, faults) = match entries_of(agent, reach, &file, lacks, &self.which) {
                    Ok(found) => found,
                    Err(why) => {
                        findings.push(Finding::new(Level::Wrong, "agents", format!("{}: {why}", agent.name)));
                        continue;
                    }
                };
                off.extend(faults.switches.iter().map(|fault| told(agent, &file, &[fault])));
                let mut of_entries = faults.of_entries;
                let changed = changed(agent, &entries, written.as_ref(), &of_entries, &project);
                of_entries.extend(changed);
                findings.extend(each_fault(&of_entries).iter().map(|same| told(agent, &file, same)));
                if !entries.is_empty() {
                    files.push((reach, file, entries));
                } else if written.is_some() {
                    findings.push(lost(agent.name, reach, &file));
                }
            }
            // What another file asks about is asked about.
            let is_asked =
                |event: &&&str| files.iter().any(|(_, _, entries)| entries.iter().any(|entry| entry.event == **event));
            let unasked: Vec<&str> = agent.events.iter().filter(|event| !is_asked(event)).copied().collect();
            for (reach, file, entries) in &files {
                let finding = runs(agent, file, entries, &project);
                let is_found = finding.level == Level::Fine;
                findings.push(finding);
                if is_found {
                    self.applies(agent, entries, &unasked, policy, findings);
                    findings.extend(approval(agent, *reach, file, entries));
                }
            }
            if files.is_empty() {
                // Where only hooks of its own apply it runs all of them itself.
                let is_own = |hook: &HookInfo| hook.origin.as_ref().is_none_or(|at| agent.has(&at.file));
                if policy.is_some_and(|policy| policy.registry.list().iter().all(is_own)) {
                    continue;
                }
                silent.extend(agent.trace(&project).map(|trace| (agent.name, trace)));
                continue;
            }
            // Without hookweave they are the agent's own affair.
            findings.extend(off);
            if system(agent.name).is_some_and(|system| !system.proved) {
                let what = format!(
                    "{}: unproved: its documentation says how it runs hooks, no program of it was tried; see that it refuses \
                     a call that a hook refuses",
                    agent.name
                );
                findings.push(Finding::new(Level::Note, "agents", what));
            }
        }
        if let Err(why) = installed::all("") {
            findings.push(Finding::new(Level::Wrong, "agents", why.to_string()));
        }
        plugins(&project, findings);
        servers(&self.which, &project, findings);
        let is_one_asked = findings.iter().skip(before).any(|finding| finding.level == Level::Fine);
        if is_one_asked {
            let silent: Vec<Finding> =
                silent.iter().filter_map(|(agent, trace)| not_asked(agent, trace, findings)).collect();
            findings.extend(silent);
        }
        if findings.len() == before {
            let approved = self.approved_here();
            let what = "no agent runs hookweave here; `hookweave install --agent NAME` sets one up";
            findings.push(if approved == 0 {
                Finding::new(Level::Note, "agents", what)
            } else {
                // Its entry was there when the hooks were approved, or should have been.
                let what = format!("{} of this project, but {what}", count(approved, "approval"));
                Finding::new(Level::Wrong, "agents", what)
            });
        }
    }

    /// How many hooks of this project are approved.
    fn approved_here(&self) -> usize {
        let Ok(project) = std::fs::canonicalize(self.which.directory()) else { return 0 };
        let approved = store(&self.which).and_then(|store| Ok(store.approved()?)).unwrap_or_default();
        approved.values().filter(|approval| project.starts_with(&approval.project)).count()
    }

    /// Which hooks apply when an agent asks hookweave.
    fn applies(
        &self,
        agent: &Agent,
        entries: &[Own],
        unasked: &[&str],
        policy: Option<&Policy>,
        findings: &mut Vec<Finding>,
    ) {
        let project = self.which.directory();
        let lines: Vec<Entry> = entries.iter().map(|entry| (entry.event.clone(), entry.command.clone())).collect();
        let mut add = |level, what: String| {
            let what = format!("{}: {what}", agent.name);
            // Of two files with entries each one lacks the same.
            if !findings.iter().any(|finding| finding.what == what) {
                findings.push(Finding::new(level, "agents", what));
            }
        };
        let applies = match Applies::of(agent, &lines, &project, self.which.trust_store.as_ref()) {
            Ok(applies) => applies,
            Err(why) => return add(Level::Wrong, why.to_string()),
        };
        let unguarded = applies.unguarded(agent, unasked);
        let is_refused = lines.iter().any(|(_, line)| Hook::refusal(line, &self.which).is_some());
        let effect = if is_refused { "every call is refused" } else { "nothing is guarded" };
        if !applies.is_none() {
            add(Level::Fine, applies.text(&project));
        } else if applies.waiting > 0 {
            let waits = waits(applies.waiting);
            add(
                Level::Wrong,
                format!("no hook applies, so {effect}; {waits} for an approval: `hookweave trust approve`"),
            );
        } else if unguarded.is_empty() {
            let (own, found): (Vec<ForeignHooks>, Vec<ForeignHooks>) = ForeignHooks::all(&project)
                .unwrap_or_default()
                .into_iter()
                .partition(|hooks| hooks.dialect == agent.name);
            let options: Vec<String> = found.iter().map(|hooks| format!("--source {}", hooks.dialect)).collect();
            let texts: Vec<String> = found.iter().map(ForeignHooks::text).collect();
            let fix = if found.is_empty() {
                let conversion = own.first().map(|hooks| format!(", {}", hooks.conversion())).unwrap_or_default();
                format!("`hookweave init` writes a policy{conversion}")
            } else {
                let options = options.join(" ");
                format!("`hookweave install --agent {} {options}` lets it run {}", agent.name, texts.join(", "))
            };
            add(Level::Wrong, format!("no hook applies, so {effect}; {fix}"));
        }
        for double in twice(agent, policy) {
            add(Level::Note, double);
        }
        for (event, hooks) in &unguarded {
            let verb = if *hooks == 1 { "guards" } else { "guard" };
            let fix = format!("`hookweave install --agent {}` puts it back", agent.name);
            let hooks = count(*hooks, "hook");
            add(Level::Wrong, format!("its settings do not ask hookweave about {event}, which {hooks} {verb}; {fix}"));
        }
        let told: Vec<&str> = unguarded.iter().filter_map(|(event, _)| agent.gate(event)).collect();
        if let Some(never) = applies.never(&told) {
            add(Level::Note, never);
        }
    }
}

/// The hooks of an agent's own settings that hookweave's files have too, so that they run twice.
fn twice(agent: &Agent, policy: Option<&Policy>) -> Vec<String> {
    let hooks = policy.map(|policy| policy.registry.list()).unwrap_or_default();
    let places: Vec<&Origin> =
        hooks.iter().filter_map(|hook| hook.origin.as_deref()).flat_map(Origin::places).collect();
    let (own, others): (Vec<&Origin>, Vec<&Origin>) = places.iter().partition(|at| agent.has(&at.file));
    // A hook that was converted keeps its system's rules, so its file tells whose it is.
    let is_ours = |at: &Origin| !AGENTS.iter().any(|agent| agent.has(&at.file));
    let own = own.iter().filter(|own| others.iter().any(|other| is_ours(other) && other.runs == own.runs));
    let mut lines: Vec<&str> = own.map(|own| own.runs.as_str()).collect();
    lines.dedup();
    let what = |line: &str| {
        format!("`{line}` runs twice, by its own settings and by hookweave's file; take it out of its settings")
    };
    lines.into_iter().map(what).collect()
}

/// The finding of an installation whose entries are gone.
fn lost(agent: &str, reach: Reach, file: &Path) -> Finding {
    let scope = match reach {
        Reach::Project => "",
        Reach::Local => " --scope local",
        Reach::User => " --scope user",
        Reach::Managed => " --scope managed",
    };
    let file = file.strip_prefix(".").unwrap_or(file).display();
    let what = format!(
        "{agent}: hookweave was installed in {file}, and its entries are gone; `hookweave install --agent {agent}{scope}` puts \
         them back, or run `hookweave uninstall --agent {agent}{scope}` if they are to go"
    );
    Finding::new(Level::Wrong, "agents", what)
}

/// The finding of an agent that a project is set up for and that does not ask, unless another finding names it.
fn not_asked(agent: &str, trace: &Path, told: &[Finding]) -> Option<Finding> {
    let is_told = told.iter().any(|finding| finding.what.starts_with(&format!("{agent}: ")));
    let trace = trace.strip_prefix(".").unwrap_or(trace).display();
    let what = format!(
        "{agent}: {trace} is here and does not run hookweave, which does not guard its calls; `hookweave install --agent {agent}`"
    );
    (!is_told).then(|| Finding::new(Level::Note, "agents", what))
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
    let what = format!("hookweave {version}, {}", own_file().display());
    let mut findings = vec![Finding::new(Level::Fine, "command", what)];
    if !on_path("hookweave") {
        let what =
            "`hookweave` is not on your PATH, so agents do not find it; add its folder, or install with --program";
        findings.push(Finding::new(Level::Note, "command", what));
    }
    if let Some(other) = other_on_path() {
        let what = format!(
            "`hookweave` on your PATH is {}, another program, and agents run that one; take it away, or install with --program",
            other.display()
        );
        findings.push(Finding::new(Level::Wrong, "command", what));
    }
    if forgets_children() {
        let what = "SIGCHLD is ignored here, so the system discards exit statuses; commands run below a shell that reports them";
        findings.push(Finding::new(Level::Note, "command", what));
    }
    findings
}

/// What keeps an agent's settings from guarding.
#[derive(Default)]
struct Faults {
    switches: Vec<Fault>,
    of_entries: Vec<Fault>,
}

/// Faults that say the same of several places.
fn each_fault(faults: &[Fault]) -> Vec<Vec<&Fault>> {
    let mut same: Vec<Vec<&Fault>> = Vec::new();
    for fault in faults {
        match same.iter_mut().find(|same| same.first().is_some_and(|first| first.what == fault.what)) {
            Some(same) => same.push(fault),
            None => same.push(vec![fault]),
        }
    }
    same
}

/// The finding of a fault, with its first place.
fn told(agent: &Agent, file: &Path, faults: &[&Fault]) -> Finding {
    let (what, place) = faults.first().map_or(("", ""), |fault| (&fault.what, &fault.place));
    let more = if faults.len() > 1 { format!(" and {} more", faults.len() - 1) } else { String::new() };
    let file = file.strip_prefix(".").unwrap_or(file).display();
    Finding::new(Level::Wrong, "agents", format!("{}: {what} ({file}, {place}{more})", agent.name))
}

/// The entries of an agent's settings that run this command, and what keeps them from guarding.
fn entries_of(
    agent: &Agent,
    reach: Reach,
    file: &Path,
    required: Option<&'static str>,
    asked: &Which,
) -> Result<(Vec<Own>, Faults)> {
    let is_of_project = matches!(reach, Reach::Project | Reach::Local);
    // Bounded, and no pipe without a writer: the project's files are not trusted.
    let Ok(text) = crate::document::read_text(file) else { return Ok((Vec::new(), Faults::default())) };
    match Settings::read(&text) {
        Ok(settings) => {
            let value = settings.value();
            let (switches, of_entries) = (
                entry_faults::switches(agent, &value),
                entry_faults::of_entries(agent, &value, &|line| said_by(line, required, is_of_project, asked)),
            );
            Ok((settings.own(agent), Faults { switches, of_entries }))
        }
        // A file of other things is the agent's own affair.
        Err(_) if !text.contains("hookweave") => Ok((Vec::new(), Faults::default())),
        Err(why) => Err(Failed::file(file, why)),
    }
}

/// The plugins by which agents ask hookweave, and whether they find the package.
fn plugins(project: &Path, findings: &mut Vec<Finding>) {
    for agent in PLUGIN_AGENTS {
        for reach in [Reach::User, Reach::Project] {
            let Ok((file, _)) = agent.file(reach, project) else { continue };
            // One that is not there asks nothing either.
            let text = crate::document::read_text(&file).unwrap_or_default();
            if !agent.is_asked_by(&text) {
                if installed::is_in(agent.name, &file) {
                    findings.push(lost(agent.name, reach, &file));
                }
                continue;
            }
            findings.push(if package_for(&file).is_some() {
                let where_to = file.strip_prefix(".").unwrap_or(&file).display();
                Finding::new(Level::Fine, "agents", format!("{} asks hookweave ({where_to})", agent.name))
            } else {
                Finding::new(Level::Wrong, "agents", agent.how_to_have_the_package(&file))
            });
        }
    }
}

/// The servers of MCP clients that are started through hookweave, in the project's usual files and where they were installed.
fn servers(asked: &Which, project: &Path, findings: &mut Vec<Finding>) {
    let absolute = |file: &PathBuf| std::fs::canonicalize(file).unwrap_or_else(|_| file.clone());
    let usual: Vec<PathBuf> =
        CLIENT_FILES.iter().map(|file| project.join(file)).filter(|file| file.is_file()).collect();
    let known: Vec<PathBuf> = usual.iter().map(absolute).collect();
    let installed = installed::all(installed::MCP).unwrap_or_default();
    // What a client reads in another project is found there.
    let is_elsewhere = |file: &&PathBuf| {
        CLIENT_FILES.iter().any(|name| file.ends_with(name)) && !file.starts_with(absolute(&project.to_path_buf()))
    };
    let further = installed.keys().filter(|file| !known.contains(file) && !is_elsewhere(file)).cloned();
    for file in usual.into_iter().chain(further) {
        let at = relative(&absolute(&file), project);
        let fix = format!("`hookweave install --mcp {at}`");
        let written = installed.get(&absolute(&file));
        let was_installed = written.is_some();
        let mut add = |level, what: String| findings.push(Finding::new(level, "servers", format!("{at}: {what}")));
        let text = if file.exists() {
            crate::document::read_text(&file).map_err(|why| why.to_string())
        } else {
            Err("it is not there".to_owned())
        };
        let (judged, others) = match text.and_then(|text| Servers::read(&text)) {
            Ok(servers) => servers.standing(),
            Err(why) if was_installed => {
                let out = format!("put it back, or run `hookweave uninstall --mcp {at}` if that is right");
                add(
                    Level::Wrong,
                    format!("its servers were started through hookweave, and it is not read: {why}; {out}"),
                );
                continue;
            }
            // What was never set up is the client's own affair.
            Err(_) => continue,
        };
        if judged.is_empty() && was_installed {
            let out = format!("or run `hookweave uninstall --mcp {at}` if that is right");
            add(Level::Wrong, format!("no server is started through hookweave any more; {fix} puts it back, {out}"));
        } else if !judged.is_empty() {
            let is_of_project = absolute(&file).starts_with(absolute(&project.to_path_buf()));
            let mut sound = Vec::new();
            for server in &judged {
                let (faults, notes) = faults_of_server(server, written, is_of_project, project, asked);
                for fault in &faults {
                    add(Level::Wrong, format!("{}: {fault}", server.name));
                }
                for note in &notes {
                    add(Level::Note, format!("{}: {note}", server.name));
                }
                sound.extend(faults.is_empty().then_some(server.name.as_str()));
            }
            if !sound.is_empty() {
                add(Level::Fine, format!("{} through hookweave ({})", count(sound.len(), "server"), sound.join(", ")));
            }
            if !others.is_empty() {
                let others =
                    format!("{} not started through hookweave ({})", count(others.len(), "server"), others.join(", "));
                add(Level::Wrong, format!("{others}, so calls of their tools are not judged; {fix}"));
            }
        }
    }
}

/// The entries that are not what was written when hookweave was installed, where no other fault is known of such a
/// line. One that runs a file of its own may stand beside what was written.
fn changed(agent: &Agent, entries: &[Own], written: Option<&Written>, known: &[Fault], project: &Path) -> Vec<Fault> {
    let place = |entry: &Own| entry_faults::place(agent, &(entry.event.clone(), entry.group, entry.at));
    let is_known = |line: &str| {
        let mut same = entries.iter().filter(|entry| entry.command == line);
        same.any(|entry| known.iter().any(|fault| fault.place == place(entry)))
    };
    // That another program is started, or that a line is not understood, is said of all entries together.
    let is_told = |line: &str| is_known(line) || !is_started_by(line, project) || Hook::of_line(line).is_none();
    let mut faults = Vec::new();
    for (event, line) in written.into_iter().flatten() {
        let own: Vec<&Own> = entries.iter().filter(|entry| entry.event == *event).collect();
        if own.iter().any(|entry| Hook::is_same(&entry.command, line)) {
            continue;
        }
        for entry in own.iter().filter(|entry| !is_told(&entry.command)) {
            let what = format!("`{}` is not what `install` wrote, `{line}`; install it again", entry.command);
            faults.push(Fault { what, place: place(entry) });
        }
    }
    faults
}

/// Whether an agent finds the command that its settings name, and whether that is this program.
fn runs(agent: &Agent, file: &Path, entries: &[Own], project: &Path) -> Finding {
    let where_to = file.strip_prefix(".").unwrap_or(file).display();
    let written = installed::written(agent.name, file).unwrap_or_default();
    let is_written = |entry: &Own| written.get(&entry.event) == Some(&entry.command);
    let is_lost = |entry: &&Own| !is_there(&program_of(&entry.command), project);
    let is_other = |entry: &&Own| !is_started_by(&entry.command, project) && !is_written(entry);
    let wrong = |entry: &Own, why: String| {
        let what = format!("{} is set to run `{}`, but {why}", agent.name, entry.command);
        Finding::new(Level::Wrong, "agents", what)
    };
    let program = |entry: &Own| program_of(&entry.command);
    if let Some(entry) = entries.iter().find(is_lost) {
        wrong(entry, format!("`{}` is not found ({where_to}); no event is guarded", program(entry)))
    } else if let Some(entry) = entries.iter().find(is_other) {
        let events = count(entries.iter().filter(is_other).count(), "event");
        let why = format!(
            "`{}` is another program than this one, {}, and {events} may be unguarded; `hookweave install --agent {}` \
             puts it right ({where_to})",
            program(entry),
            own_file().display(),
            agent.name
        );
        wrong(entry, why)
    } else {
        let what = format!("{} runs hookweave on {} ({where_to})", agent.name, count(entries.len(), "event"));
        Finding::new(Level::Fine, "agents", what)
    }
}

/// What a command line of an agent's settings says of how hookweave decides.
fn said_by(line: &str, required: Option<&'static str>, is_of_project: bool, asked: &Which) -> Option<Said> {
    let hook = Hook::of_line(line)?;
    let lacks = required.map(str::trim).filter(|_| !hook.requires_policy());
    Some(Said { weakened: hook.weakened(is_of_project, asked), lacks, longest: hook.longest() })
}

/// What lets calls of a server's tools pass though it is started through hookweave, and what a person should know.
fn faults_of_server(
    server: &Judged,
    written: Option<&Written>,
    is_of_project: bool,
    project: &Path,
    asked: &Which,
) -> (Vec<String>, Vec<String>) {
    let line = server.line();
    let written = written.and_then(|written| written.get(&server.name));
    let Misleading { mut faults, loaders } = Misleading::of(server.env.as_ref());
    if !is_started_by(&line, project) && written != Some(&line) {
        let own = own_file();
        faults.push(format!(
            "`{}` is another program than this one, {}; install it again",
            program_of(&line),
            own.display()
        ));
    }
    faults.extend(McpProxy::faults(&server.words, is_of_project, asked));
    let words = |line: &str| split(line).into_iter().skip(1).collect::<Vec<_>>();
    if let Some(written) = written.filter(|written| faults.is_empty() && words(written) != words(&line)) {
        faults.push(format!("`{line}` is not what `install` wrote, `{written}`; install it again"));
    }
    (faults, loaders)
}
