//! `hookweave convert`: a hooks file of one system for another one.
//!
//! Systems read exit codes, output and matchers in ways of their own, so that a command that is copied does not mean the
//! same any more. Nothing is copied here: `hookweave.toml` says of each hook whose dialect it speaks, and another agent
//! gets entries by which hookweave runs the file as it stands.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use clap::builder::ArgPredicate;
use hookweave_host::config::lint::lint_text;
use hookweave_host::config::load::{LoadOptions, load};
use hookweave_host::config::permissions::{PermissionList, Ruling, permissions};
use hookweave_host::config::{Declared, Run};
use hookweave_host::dialects::{Dialect, RunKind, named};
use hookweave_host::hook::Timeout;
use serde::Serialize;
use serde_json::json;

use crate::agents::{Agent, agent};
use crate::change::{Change, How, make, read, real_place};
use crate::failed::{Failed, Result, Verdict};
use crate::hook_command::{is_this_command, quoted};
use crate::hook_file::{guard, table};
use crate::screen::{BAD, Cell, DIM, GOOD, Room, Screen, Table, WARN, count, json, shown, styled};
use crate::settings::Settings;

/// Convert a hooks file to another system's format, and report what cannot be converted
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hookweave convert .claude/settings.json --to hookweave --out hookweave.toml
  hookweave convert .claude/settings.json --to gemini-cli --out .gemini/settings.json
  hookweave convert .claude/settings.json --permissions --out hookweave.toml

Other contents of the target file stay. Exits with 1 if something cannot be converted.")]
pub(crate) struct Convert {
    /// The hooks file
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// `hookweave` for hookweave.toml, or an agent
    #[arg(
        long,
        value_name = "SYSTEM",
        required_unless_present = "permissions",
        default_value_if("permissions", ArgPredicate::IsPresent, "hookweave")
    )]
    to: Option<String>,

    /// Make guards of permission rules too, in hookweave.toml
    #[arg(long)]
    permissions: bool,

    /// The file's format, if it is not recognised
    #[arg(long, value_name = "DIALECT")]
    dialect: Option<String>,

    /// Write to this file; printed otherwise
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Print JSON for programs
    #[arg(long, conflicts_with = "out")]
    json: bool,

    #[command(flatten)]
    how: How,
}

/// What became of one hook.
#[derive(Debug, Serialize)]
struct Carried {
    hook: String,
    event: String,
    to: Option<String>,
    notes: Vec<String>,
}

/// The new text, and what became of each hook.
struct Converted {
    text: String,
    hooks: Vec<Carried>,
}

/// What the new file lacks.
struct LeftOut {
    problems: Vec<String>,
    /// Permission rules, by their lists.
    rules: Vec<PermissionList>,
    /// Entries that run hookweave itself.
    own: usize,
}

impl LeftOut {
    /// Whether nothing of it was to guard.
    fn is_harmless(&self) -> bool {
        self.problems.is_empty() && self.rules.iter().all(|list| list.ruling == Ruling::Allow)
    }

    fn report(&self, screen: Screen<'_>) -> Result<()> {
        for problem in &self.problems {
            writeln!(screen, "{} {}", styled(BAD, "left out"), shown(problem))?;
        }
        for list in &self.rules {
            let fix = if list.can_be_guards() {
                "`--to hookweave --permissions` makes guards of them"
            } else {
                "write hooks for them"
            };
            let what = format!("{} ({}): permission rules are no hooks; {fix}", list.name, list.rules.join(", "));
            writeln!(screen, "{} {}", styled(BAD, "left out"), shown(&what))?;
        }
        if self.own > 0 {
            let what = format!("left out, because hookweave itself runs there: {}", count(self.own, "entry"));
            writeln!(screen, "{}", styled(DIM, &what))?;
        }
        Ok(())
    }
}

impl Convert {
    /// Runs the command.
    pub(crate) fn run(&self, screen: Screen<'_>) -> Result<Verdict> {
        let options = LoadOptions { dialect: self.dialect.as_deref(), ..LoadOptions::default() };
        let configuration = load(&self.file, &options)?;
        let declared: Vec<&Declared> = configuration.hooks.iter().map(|ready| &ready.declared).collect();
        // They ask hookweave itself: in the new file every event would be asked about for ever.
        let (own, hooks): (Vec<&Declared>, Vec<&Declared>) =
            declared.into_iter().partition(|hook| runs_hookweave(hook));
        let to = self.to.as_deref().unwrap_or("hookweave");
        if self.permissions && to != "hookweave" {
            return Err(Failed::new(
                "--permissions writes guards in hookweave's own format; use it with --to hookweave",
            ));
        }
        let (rules, left_rules): (Vec<PermissionList>, Vec<PermissionList>) =
            permissions(&self.file, &options)?.into_iter().partition(|list| self.permissions && list.can_be_guards());
        if hooks.is_empty() && rules.is_empty() {
            let what = if !left_rules.is_empty() {
                "declares no hook that could be converted, only permission rules; --permissions makes guards of them"
            } else if own.is_empty() {
                "declares no hook that could be converted"
            } else {
                "declares only hooks that run hookweave; convert the files with the hooks that it runs"
            };
            return Err(Failed::file(&self.file, what));
        }
        let target = match &self.out {
            Some(out) => {
                Some(real_place(out, out.parent().filter(|dir| dir.is_dir()).unwrap_or_else(|| Path::new(".")))?)
            }
            None => None,
        };
        if let Some(target) = target.as_deref().filter(|target| is_same(target, &self.file)) {
            return Err(Failed::file(target, "is the file to convert; name another one with --out"));
        }
        let before = target.as_deref().map(read).transpose()?.flatten();
        let converted = match to {
            "hookweave" => {
                if let Some(target) = &target {
                    takes_tables(target, before.as_deref())?;
                }
                let mut converted = to_hookweave(&hooks, before.as_deref());
                for list in &rules {
                    add_guards(list, &mut converted);
                }
                converted
            }
            name => self.to_agent(agent(name)?, &hooks, before.as_deref().unwrap_or_default())?,
        };
        let problems = configuration.problems.iter().filter(|problem| problem.fatal).map(ToString::to_string).collect();
        let left = LeftOut { problems, rules: left_rules, own: own.len() };
        let is_kept = |hook: &Carried| hook.to.is_some() && hook.notes.is_empty();
        let whole = left.is_harmless() && converted.hooks.iter().all(is_kept);
        if self.json {
            let LeftOut { problems, rules, .. } = &left;
            let all =
                json!({"text": converted.text, "hooks": converted.hooks, "left_out": problems, "permissions": rules});
            json(screen, &all)?;
            return Ok(Verdict::of(whole));
        }
        if let Some(file) = target {
            let after = Some(converted.text.clone());
            make(screen, &[Change { file, before, after, executable: false, is_ours: false }], self.how)?;
            report(screen, &converted.hooks, &left)?;
            self.say_what_guards_it(screen, to, &hooks)?;
        } else {
            // The text alone, so that it can be piped; the report goes beside it.
            screen.write_all(converted.text.as_bytes())?;
            screen.flush()?;
            let mut errors = anstream::stderr().lock();
            report(&mut errors, &converted.hooks, &left)?;
            self.say_what_guards_it(&mut errors, to, &hooks)?;
        }
        Ok(Verdict::of(whole))
    }

    /// Entries that name a file run what it says, without approvals.
    fn say_what_guards_it(&self, screen: Screen<'_>, to: &str, hooks: &[&Declared]) -> Result<()> {
        let Some(first) = hooks.first().filter(|_| to != "hookweave") else { return Ok(()) };
        let (file, dialect) = (self.file.display(), first.dialect.name());
        let what = format!(
            "{to} runs {file} as it stands then, without approvals; `hookweave install --agent {to} --source {dialect}` runs \
             its hooks with approvals"
        );
        Ok(writeln!(screen, "{} {}", styled(WARN, "warning:"), shown(&what))?)
    }

    /// Entries by which an agent lets hookweave run the file.
    fn to_agent(&self, agent: &Agent, hooks: &[&Declared], before: &str) -> Result<Converted> {
        let refuse =
            |why: String| Failed::new(format!("{}: {why}", self.out.as_deref().unwrap_or(Path::new("-")).display()));
        let target = named(agent.name)?;
        let mut settings = Settings::read(before).map_err(refuse)?;
        // The agent may work in another folder, whose file of the same name would run without an approval.
        let file = quoted(&std::path::absolute(&self.file).map_err(|why| Failed::file(&self.file, why))?);
        let mut carried = Vec::new();
        for hook in hooks {
            let event = home(agent, target, hook.spec.event.as_str());
            let mut notes = Vec::new();
            if let Some(event) = &event {
                // One entry for an event: all hooks of the file together, with time for the slowest.
                let of_event = hooks.iter().filter(|other| other.spec.event == hook.spec.event);
                let seconds = longer(target, event, of_event.copied());
                let deadline = seconds.map_or_else(String::new, |seconds| format!(" --deadline {}", seconds * 0.9));
                let command = format!("hookweave hook --agent {} --file {file}{deadline}", agent.name);
                settings.add(agent, event, &agent.entry(event, &command, seconds)).map_err(refuse)?;
                notes.extend(notes_of(hook));
            } else {
                notes.push(format!("{} has no event for it", agent.name));
            }
            carried.push(Carried {
                hook: hook.label().to_owned(),
                event: hook.declared_event.clone(),
                to: event,
                notes,
            });
        }
        Ok(Converted { text: settings.text(), hooks: carried })
    }
}

/// The agent's own name of an event: the one that is installed, or the first.
fn home(agent: &Agent, target: &dyn Dialect, event: &str) -> Option<String> {
    let is_it = |name: &&&str| matches!(target.place(name, None), Some(Ok(place)) if place.event == event);
    let events = target.events();
    agent.events.iter().find(is_it).or_else(|| events.iter().find(is_it)).map(|name| (*name).to_owned())
}

/// The seconds that an entry has to give when a hook may take longer than the agent waits by itself.
fn longer<'h>(target: &dyn Dialect, event: &str, hooks: impl Iterator<Item = &'h Declared>) -> Option<f64> {
    let usual = target.timeout(event, RunKind::Command)?;
    let limits = hooks.map(|hook| match hook.spec.timeout {
        Timeout::After(limit) => limit,
        Timeout::Never | Timeout::Default => Duration::ZERO,
    });
    let longest = limits.max().unwrap_or_default();
    (longest.mul_f64(1.2) > usual).then(|| (longest.as_secs_f64() * 1.2).ceil())
}

/// What a hook loses when it runs behind another agent.
fn notes_of(hook: &Declared) -> Vec<String> {
    let mut notes = Vec::new();
    if matches!(hook.run, Run::Prompt { .. } | Run::McpTool { .. }) {
        notes.push("it asks a model or calls a tool, which only its own agent can do: it fails".to_owned());
    }
    if hook.spec.detached {
        notes.push("it is waited for, five seconds at most".to_owned());
    }
    if hook.wakes {
        notes.push("its exit code 2 does not wake the model (asyncRewake)".to_owned());
    }
    if hook.spec.once {
        notes.push("`once` means once for each event".to_owned());
    }
    notes
}

/// Whether two names are of one file.
fn is_same(one: &Path, other: &Path) -> bool {
    matches!((std::fs::canonicalize(one), std::fs::canonicalize(other)), (Ok(one), Ok(other)) if one == other)
}

/// Whether tables of hooks can stand in a file behind what is there.
fn takes_tables(file: &Path, before: Option<&str>) -> Result<()> {
    let refuse = |why: String| Err(Failed::file(file, format!("{why}; name another file, such as hookweave.toml")));
    if file.extension().is_none_or(|ending| ending != "toml") {
        return refuse("is not a TOML file; the `hookweave` format is written as TOML".to_owned());
    }
    match before.map(toml::from_str::<toml::Table>) {
        Some(Err(why)) => refuse(format!("cannot be added to: {}", why.to_string().trim_end())),
        Some(Ok(table)) if !table.contains_key("hookweave") => {
            refuse("does not begin with `hookweave = 1`, so no program reads hooks in it".to_owned())
        }
        _ => Ok(()),
    }
}

/// Tables of hookweave's own format, behind what is there; what is there already is not added again.
fn to_hookweave(hooks: &[&Declared], before: Option<&str>) -> Converted {
    let mut text = before.map_or_else(|| "hookweave = 1\n".to_owned(), |before| before.trim_end().to_owned() + "\n");
    let mut carried = Vec::new();
    for hook in hooks {
        let (table, notes) = table(hook);
        if !text.contains(&table) {
            text = format!("{text}\n{table}");
        }
        let to = Some(hook.declared_event.clone());
        carried.push(Carried { hook: hook.label().to_owned(), event: hook.declared_event.clone(), to, notes });
    }
    Converted { text, hooks: carried }
}

/// Adds a guard for each rule of a list; what is there already is not added again.
fn add_guards(list: &PermissionList, converted: &mut Converted) {
    let to = "PreToolUse".to_owned();
    for rule in &list.rules {
        let guard = guard(list, rule);
        let refused = refused(&guard);
        if refused.is_none() && !converted.text.contains(&guard) {
            converted.text = format!("{}\n{guard}", converted.text);
        }
        converted.hooks.push(Carried {
            hook: rule.clone(),
            event: list.name.clone(),
            to: refused.is_none().then(|| to.clone()),
            notes: refused.into_iter().collect(),
        });
    }
}

/// Why the format does not take a guard.
fn refused(guard: &str) -> Option<String> {
    let text = format!("hookweave = 1\n{guard}");
    let found = lint_text(Path::new("hookweave.toml"), &text, &LoadOptions::default());
    found.map_or_else(
        |why| Some(why.to_string()),
        |found| found.into_iter().find(|finding| finding.problem.fatal).map(|finding| finding.problem.message),
    )
}

/// Whether a hook is `hookweave hook` for some agent.
fn runs_hookweave(hook: &Declared) -> bool {
    hook.spec.origin.as_ref().is_some_and(|origin| is_this_command(&origin.runs))
}

fn report(screen: Screen<'_>, hooks: &[Carried], left: &LeftOut) -> Result<()> {
    let mut table = Table::new(&[("hook", Room::CutEnd), ("event", Room::Whole), ("becomes", Room::Wrap)]);
    for hook in hooks {
        let to = match &hook.to {
            Some(event) => Cell::new(if hook.notes.is_empty() { GOOD } else { WARN }, event),
            None => Cell::new(BAD, "left out"),
        };
        table.row([Cell::from(&hook.hook), Cell::from(&hook.event), to]);
    }
    table.write(screen, 0)?;
    for hook in hooks {
        for note in &hook.notes {
            writeln!(screen, "{} {}: {}", styled(WARN, "note"), shown(&hook.hook), shown(note))?;
        }
    }
    left.report(screen)?;
    let over = hooks.iter().filter(|hook| hook.to.is_some()).count();
    Ok(writeln!(screen, "{}", styled(DIM, &format!("{} of {} converted", over, count(hooks.len(), "hook"))))?)
}
