//! `hookweave replay`: recorded dispatches against the current hooks.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use hookweave_host::audit::recording::{Came, Recorded};
use hookweave_host::json::Json;
use serde_json::{Value, json};

use crate::commands::list::left_out;
use crate::commands::run::FAREWELL;
use crate::delegates;
use crate::drive::dispatch;
use crate::failed::{Failed, Result, Verdict};
use crate::policy::{Policy, Which};
use crate::progress::Progress;
use crate::recording::read;
use crate::screen::{BAD, BOLD, DIM, GOOD, Screen, WARN, clipped, count, json, shown, styled};

/// Dispatch recorded events to the current hooks and show what differs
#[derive(Debug, Args)]
#[command(after_help = "\
Record with `hookweave record -- PROGRAM`, or with `hookweave hook --record FILE` and `hookweave run --record FILE`.
Each event is asked of the hooks of the sources that it was asked of; --source and --file choose others.
Hooks from files really run. A dispatch that a hook of the recorded program itself affected is not replayed.
Exits with 1 when anything differs.")]
pub(crate) struct Replay {
    /// The recorded dispatches
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Print JSON for programs
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    which: Which,
}

/// The current hooks of the sources that a dispatch was asked of, each loaded once.
struct Policies<'w> {
    which: &'w Which,
    loaded: Vec<(Vec<String>, Policy)>,
}

impl<'w> Policies<'w> {
    const fn new(which: &'w Which) -> Self {
        Self { which, loaded: Vec::new() }
    }

    /// Sources of the command line take the place of those that were recorded. Files are not taken from a recording:
    /// naming a file is what makes it trusted.
    fn of(&mut self, file: &Path, line: usize, recorded: &Recorded) -> Result<&Policy> {
        let is_chosen = !self.which.sources.is_empty() || !self.which.files.is_empty();
        if let Some(first) = recorded.files.first().filter(|_| !is_chosen) {
            let what = format!("was recorded with --file {first}; name the same: hookweave replay --file {first} …");
            return Err(Failed::new(format!("{}:{line}: {what}", file.display())));
        }
        let sources = recorded.sources.clone().filter(|_| !is_chosen).unwrap_or_else(|| self.which.sources.clone());
        let known = self.loaded.iter().position(|(loaded, _)| *loaded == sources);
        let at = if let Some(at) = known {
            at
        } else {
            let (policy, _) = delegates::load(&Which { sources: sources.clone(), ..self.which.to_act() })?;
            left_out(&policy.report)?;
            self.loaded.push((sources, policy));
            self.loaded.len() - 1
        };
        self.loaded.get(at).map(|(_, policy)| policy).ok_or_else(|| Failed::new("no hooks are loaded"))
    }

    /// Waits for what runs in the background; gives how many hooks were not asked.
    fn end(self) -> usize {
        let drain = |(_, policy): &(Vec<String>, Policy)| {
            if !policy.runtime.drain(FAREWELL) {
                policy.runtime.shutdown(FAREWELL);
            }
            policy.report.untrusted.len()
        };
        self.loaded.iter().map(drain).max().unwrap_or_default()
    }
}

/// What became of the file.
#[derive(Default)]
struct Tally {
    same: usize,
    different: usize,
    redacted: usize,
    /// Hooks of the recorded program itself that affected dispatches, and how many.
    in_code: (BTreeSet<String>, usize),
    /// What else cannot be replayed, and why.
    left_out: Vec<(usize, String)>,
}

impl Replay {
    /// Runs the command.
    pub(crate) fn run(&self, screen: Screen<'_>) -> Result<Verdict> {
        let mut policies = Policies::new(&self.which);
        let mut tally = Tally::default();
        let mut rows = Vec::new();
        let mut progress = Progress::new("replaying", self.json);
        let whole = std::fs::metadata(&self.file).map_or(0, |meta| meta.len());
        for read in read(&self.file)? {
            let (at, recorded) = read?;
            progress.part(at.end, whole);
            if !tally.takes(at.line, &recorded) {
                continue;
            }
            let policy = policies.of(&self.file, at.line, &recorded)?;
            let (outcome, _) = match dispatch(policy, &recorded.event, &recorded.payload) {
                Ok(dispatched) => dispatched,
                // An event of the program's own, for one.
                Err(why) => {
                    tally.left_out.push((at.line, why.to_string()));
                    continue;
                }
            };
            let then = recorded.came.clone().of_files();
            let now = Came { in_code: Vec::new(), answered_in_code: Vec::new(), ..Came::of(&Json, &outcome) };
            let differences = differences(&then, &now);
            let redacted = recorded.is_redacted();
            tally.redacted += usize::from(redacted);
            if differences.is_empty() {
                tally.same += 1;
                continue;
            }
            tally.different += 1;
            if self.json {
                let row = json!({
                    "number": at.line, "event": recorded.event, "payload": recorded.payload, "redacted": redacted,
                    "recorded": then, "now": now,
                });
                rows.push(row);
            } else {
                progress.wipe();
                show(screen, at.line, &recorded, &differences, redacted)?;
            }
        }
        drop(progress);
        if tally.is_empty() {
            let what = "has no dispatch to replay; record some with `hookweave record`";
            return Err(Failed::file(&self.file, what));
        }
        let waiting = policies.end();
        if self.json {
            tally.json(screen, &rows)?;
        } else {
            tally.show(screen)?;
            if waiting > 0 && tally.different > 0 {
                let what = format!("{} not approved and not asked; --trust all asks them too", count(waiting, "hook"));
                writeln!(screen, "{}", styled(WARN, &what))?;
            }
        }
        Ok(Verdict::of(tally.different == 0))
    }
}

impl Tally {
    /// Whether the file was empty.
    fn is_empty(&self) -> bool {
        self.same + self.different + self.in_code.1 + self.left_out.len() == 0
    }

    /// Whether a dispatch can be replayed; one that cannot is counted here.
    fn takes(&mut self, line: usize, recorded: &Recorded) -> bool {
        if let Some(why) = &recorded.left_out {
            self.left_out.push((line, format!("its event was left out: {why}")));
            return false;
        }
        if recorded.came.answered_in_code.is_empty() {
            return true;
        }
        self.in_code.0.extend(recorded.came.answered_in_code.iter().cloned());
        self.in_code.1 += 1;
        false
    }

    fn json(&self, screen: Screen<'_>, differences: &[Value]) -> Result<()> {
        let left_out = self.left_out.iter().map(|(line, why)| json!({"number": line, "why": why}));
        let whole = json!({
            "same": self.same, "different": self.different, "redacted": self.redacted, "differences": differences,
            "not_replayed": {
                "in_code": self.in_code.1, "hooks": self.in_code.0, "left_out": left_out.collect::<Vec<_>>(),
            },
        });
        json(screen, &whole)
    }

    fn show(&self, screen: Screen<'_>) -> Result<()> {
        let total = format!("{} the same, {} different", self.same, self.different);
        writeln!(screen, "{}", styled(if self.different > 0 { BAD } else { GOOD }, &total))?;
        if self.redacted > 0 {
            let what = format!("secrets were redacted in {}", count(self.redacted, "event"));
            writeln!(screen, "{}", styled(WARN, &what))?;
        }
        let (hooks, number) = &self.in_code;
        if *number > 0 {
            let names = hooks.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
            let what = format!("{number} not replayed: hooks of the program itself affected it ({names})");
            writeln!(screen, "{}", styled(WARN, &what))?;
        }
        for (line, why) in &self.left_out {
            writeln!(screen, "{}", styled(WARN, &format!("#{line} not replayed: {why}")))?;
        }
        Ok(())
    }
}

/// What is other than it was: the name, then, now.
fn differences(then: &Came, now: &Came) -> Vec<(&'static str, Value, Value)> {
    let mut found = Vec::new();
    let mut compare = |name: &'static str, then: Value, now: Value| {
        if then != now {
            found.push((name, then, now));
        }
    };
    compare("decision", json!(then.decision), json!(now.decision));
    compare("reason", json!(then.reason), json!(now.reason));
    compare("modified", json!(then.modified), json!(now.modified));
    compare("context", json!(then.context), json!(now.context));
    compare("hooks", json!(then.hooks), json!(now.hooks));
    found
}

fn show(
    screen: Screen<'_>,
    number: usize,
    recorded: &Recorded,
    differences: &[(&'static str, Value, Value)],
    redacted: bool,
) -> Result<()> {
    let tool = recorded.payload.get("tool").and_then(Value::as_str).unwrap_or_default();
    let args = recorded.payload.get("args").map(Value::to_string).unwrap_or_default();
    let note = if redacted { styled(WARN, " (secrets redacted)") } else { String::new() };
    let event = styled(BOLD, &recorded.event);
    writeln!(screen, "#{number} {event} {} {}{note}", shown(tool), styled(DIM, &clipped(&args)))?;
    for (name, then, now) in differences {
        let (then, now) = (shown(&clipped(&then.to_string())), shown(&clipped(&now.to_string())));
        writeln!(screen, "  {name}: {} {then} {} {now}", styled(DIM, "was"), styled(DIM, "is"))?;
    }
    Ok(())
}
