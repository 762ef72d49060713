//! `hookweave hook`: an agent's one hook command.
//!
//! The event comes on standard input in the agent's words, the policy decides, and the answer goes out in the agent's
//! words. Any error on the way blocks a gate.

use std::ffi::OsString;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use clap::{Args, Parser};
use hookweave_host::dialects::described::system;
use hookweave_host::dialects::{self, Dialect, RunKind, WireAnswer, WireEvent};
use serde_json::Value;

use crate::auditing::{self, AuditArgs};
use crate::commands::guarding::{Guarding, refuse_brought_along, weakened, with_own_files};
use crate::commands::run::FAREWELL;
use crate::drive::{DECIDING_STACK, Deadline, dispatch_for, outcome_values};
use crate::failed::{BROKEN, Failed, Result};
use crate::hook_command::words_behind_program;
use crate::input::read_stdin_within;
use crate::left_variables::LeftVariables;
use crate::policy::{Policy, TrustChoice, Which};
use crate::recording::RecordArgs;
use crate::screen::shown;

/// How much of the time that an agent waits for a hook is left for everything but the policy's hooks.
const MARGIN: f64 = 0.1;

/// How long is waited at least before it is looked again.
const LAST_LOOK: Duration = Duration::from_millis(5);

/// Act as an agent's hook command: read its event, answer in its format
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
`hookweave install --agent NAME` writes the agent's settings so that it runs this.

The hooks of hookweave.toml decide; --source adds those of other systems. If the event cannot be read, the policy is
invalid or the hooks take too long, the agent's action is refused with the reason.")]
pub(crate) struct Hook {
    /// The agent that runs this: claude-code, codex, gemini-cli, cursor, copilot, factory, …
    #[arg(long, value_name = "AGENT")]
    agent: String,

    #[command(flatten)]
    guarding: Guarding,

    /// Time limit for all hooks together; by default a tenth less than the agent waits
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    deadline: Option<Duration>,

    #[command(flatten)]
    which: Which,

    #[command(flatten)]
    record: RecordArgs,

    #[command(flatten)]
    audit: AuditArgs,
}

/// The policy whose hooks may run, as soon as there is one: also the thread that is left behind may have started some.
type Asked = Arc<OnceLock<Policy>>;

fn seconds(text: &str) -> std::result::Result<Duration, String> {
    let number = text.parse::<f64>().ok().filter(|number| *number > 0.0);
    let limit = number.and_then(|number| Duration::try_from_secs_f64(number).ok());
    limit.ok_or_else(|| "write a number of seconds greater than 0, such as 30 or 0.5".to_owned())
}

/// A command line after the program's name.
#[derive(Debug, Parser)]
struct Alone {
    #[command(flatten)]
    hook: Hook,
}

impl Hook {
    /// This command, when the process was started for it. An agent waits: the other commands' options are not made ready.
    /// An invalid command line is left to the parser of all commands, which reports it.
    pub(crate) fn of_this_process() -> Option<Self> {
        Self::of_words(std::env::args_os().skip(1))
    }

    fn of_words(words: impl Iterator<Item = OsString>) -> Option<Self> {
        let mut words = words.peekable();
        words.next_if(|word| word == "hook")?;
        let program = std::iter::once("hookweave".into());
        Alone::try_parse_from(program.chain(words)).ok().map(|alone| alone.hook)
    }

    /// What a command line of an agent's settings says.
    pub(crate) fn of_line(line: &str) -> Option<Self> {
        Self::of_words(words_behind_program(line)?.into_iter().map(OsString::from))
    }

    /// The hooks that a command line of an agent's settings asks when the agent works in a project.
    pub(crate) fn asked_by(line: &str, project: &Path) -> Option<Which> {
        Some(Self::of_line(line)?.which_below(project))
    }

    /// Whether every gate is refused without a policy, or without the file that is named.
    pub(crate) fn requires_policy(&self) -> bool {
        self.guarding.requires_policy() || !self.which.files.is_empty()
    }

    /// What it says by which less is guarded than its project's policy would.
    pub(crate) fn weakened(&self, is_of_project: bool, asked: &Which) -> Vec<String> {
        let mut faults = weakened(&self.which, is_of_project, asked);
        let is_relative = |file: &&PathBuf| file.is_relative() && self.which.cwd.is_none();
        // Settings of a project name its own files where the agent says which folder that is.
        let is_told =
            is_of_project && dialects::named(&self.agent).is_ok_and(|agent| project_variable(agent).is_some());
        faults.extend(self.which.files.iter().find(is_relative).filter(|_| !is_told).map(|file| {
            let file = file.display();
            format!(
                "`--file {file}` is looked for in the folder that the agent works in, whose own file of that name then \
                 decides; write the whole path"
            )
        }));
        faults
    }

    /// Whether a command line says what another one says, by any program. A shorter time limit is no difference: it
    /// only refuses sooner.
    pub(crate) fn is_same(line: &str, written: &str) -> bool {
        let longest = |line: &str| Self::of_line(line).map(|hook| hook.longest());
        without_deadline(line) == without_deadline(written) && longest(line) <= longest(written)
    }

    /// The longest time after which it has answered about a tool call.
    pub(crate) fn longest(&self) -> Option<Duration> {
        self.deadline.or_else(|| usual_limit(dialects::named(&self.agent).ok()?, "PreToolUse"))
    }

    /// Runs the command; gives the exit code that the agent expects.
    pub(crate) fn run(self) -> Result<u8> {
        let dialect = dialects::named(&self.agent)?;
        // What a panic prints would reach the model; the answer says what matters.
        std::panic::set_hook(Box::new(|_| ()));
        let deadline = self.deadline.map(|limit| Deadline::within(Some(limit)));
        let read = read_stdin_within(self.deadline);
        let text = read.as_deref().unwrap_or_default();
        let asked = Asked::default();
        let decided = match &read {
            Ok(text) => self.decide_in_time(dialect, text, deadline, &asked),
            Err(why) => Err(Failed::new(why.to_string())),
        };
        let is_decided = decided.is_ok();
        let answer = match decided {
            Ok(answer) => answer,
            Err(why) => {
                let why = format!("hookweave could not decide: {}", shown(&why.to_string()));
                dialects::unable_to_wire(dialect.name(), text, &why)?
            }
        };
        print_answer(&answer)?;
        // The process has no later: what runs in the background is waited for, though not for ever. What was being started
        // when the time was up is killed, which would live on.
        if let Some(policy) = asked.get().filter(|policy| !(is_decided && policy.runtime.drain(FAREWELL))) {
            policy.runtime.shutdown(FAREWELL);
        }
        Ok(u8::try_from(answer.exit_code).unwrap_or(BROKEN))
    }

    /// Decides on a thread of its own, which is left behind when the time is up: patterns over a large text take long, and
    /// nothing else would end them. A deadline that was given began before the event was read.
    fn decide_in_time(
        &self,
        dialect: &'static dyn Dialect,
        text: &str,
        deadline: Option<Deadline>,
        asked: &Asked,
    ) -> Result<WireAnswer> {
        let broken = || Failed::new("internal error; please report it");
        let event = catch_unwind(AssertUnwindSafe(|| dialects::event_from_wire(dialect.name(), text)))
            .map_err(|_| broken())??;
        let deadline = deadline.unwrap_or_else(|| Deadline::within(usual_limit(dialect, event.event)));
        if deadline.left().is_some_and(|left| left.is_zero()) {
            return Err(too_late());
        }
        let (hook, own, asked, (sender, decided)) = (self.clone(), deadline.clone(), Arc::clone(asked), channel());
        let thread = std::thread::Builder::new().stack_size(DECIDING_STACK).spawn(move || {
            let decided = catch_unwind(AssertUnwindSafe(|| hook.decide(dialect, &event, &own, &asked)));
            let _ = sender.send(decided.unwrap_or_else(|_| Err(Failed::new("internal error; please report it"))));
        });
        thread.map_err(|why| Failed::new(format!("the system has no thread to decide on: {why}")))?;
        loop {
            let Some(left) = deadline.left() else { return decided.recv().map_err(|_| broken())? };
            match decided.recv_timeout(left.max(LAST_LOOK)) {
                Ok(decided) => return decided,
                Err(RecvTimeoutError::Timeout) if deadline.waits_for_hooks() => {}
                Err(RecvTimeoutError::Timeout) => return Err(too_late()),
                Err(RecvTimeoutError::Disconnected) => return Err(broken()),
            }
        }
    }

    /// Decides about an event.
    fn decide(
        &self,
        dialect: &'static dyn Dialect,
        event: &WireEvent,
        deadline: &Deadline,
        asked: &Asked,
    ) -> Result<WireAnswer> {
        let which = self.which_of(dialect)?;
        if let Some(cwd) = event.payload.get("cwd").and_then(Value::as_str) {
            refuse_brought_along(&which, Path::new(cwd))?;
        }
        let (policy, waiting) = self.guarding.load(&which)?;
        let policy = asked.get_or_init(|| policy);
        // Its name in an agent's settings is the project's too.
        let audit = self.audit.below(&which.directory()).open()?;
        let mut left = LeftVariables::of_agent(dialect.name());
        let (mut outcome, envelope) = dispatch_for(policy, event.event, &event.payload, deadline, &mut left)?;
        auditing::record(audit.as_deref(), &mut outcome)?;
        // A recording that fails changes nothing of what was decided.
        if let Err(why) = self.record.add(Some(dialect.name()), &which, &event.payload, &outcome) {
            let _ = writeln!(std::io::stderr().lock(), "hookweave: {}", shown(&why.to_string()));
        }
        let waiting = waiting.filter(|_| event.event == "SessionStart");
        let mut values = outcome_values(&outcome, &envelope);
        let lost = left.hand_on(&mut values.ext);
        let warnings = waiting.into_iter().chain(lost).map(|warning| format!("hookweave: {warning}")).collect();
        Ok(dialects::encode_outcome(dialect.name(), &outcome, &values, warnings)?)
    }

    /// Why every gate is refused where a command line asks; `None` where the hooks decide. Trust and its
    /// store are those of the one who wants to know, unless the line names its own.
    pub(crate) fn refusal(line: &str, asked: &Which) -> Option<String> {
        let hook = Self::of_line(line)?;
        let mut which = hook.which_below(&asked.directory());
        which.trust_store = which.trust_store.or_else(|| asked.trust_store.clone());
        if asked.trust == TrustChoice::All {
            which.trust = TrustChoice::All;
        }
        hook.guarding.load(&which).err().map(|why| why.to_string())
    }

    /// The hooks that decide: hookweave's own files of the project that the agent works in, by default.
    fn which_of(&self, dialect: &dyn Dialect) -> Result<Which> {
        if self.which.cwd.is_some() {
            Ok(self.which_below(Path::new(".")))
        } else {
            Ok(self.which_below(&project_of(dialect)?))
        }
    }

    /// The same where the project is known.
    fn which_below(&self, project: &Path) -> Which {
        let mut which = self.which.clone();
        which.cwd.get_or_insert_with(|| project.to_path_buf());
        // What an agent's settings name is the project's, wherever the agent works just now.
        let project = which.directory();
        for named in which.files.iter_mut().chain(&mut which.plugins) {
            *named = project.join(&named);
        }
        with_own_files(which)
    }
}

/// The project's directory, which stays when the agent works elsewhere for a while.
fn project_of(dialect: &dyn Dialect) -> Result<PathBuf> {
    let variable = project_variable(dialect).unwrap_or("HOOKWEAVE_PROJECT_DIR");
    let project_dir = std::env::var_os(variable).map(PathBuf::from).filter(|dir| dir.is_absolute() && dir.is_dir());
    match project_dir {
        Some(project) => Ok(project),
        None => std::env::current_dir().map_err(|error| Failed::new(format!("the working directory is gone: {error}"))),
    }
}

/// The variable by which an agent names the project's folder.
fn project_variable(dialect: &dyn Dialect) -> Option<&'static str> {
    match dialect.name() {
        "claude-code" => Some("CLAUDE_PROJECT_DIR"),
        "gemini-cli" => Some("GEMINI_PROJECT_DIR"),
        "cursor" => Some("CURSOR_PROJECT_DIR"),
        name => system(name)?.variables.project.first().copied(),
    }
}

/// The time for a decision is up, and no hook is to blame.
fn too_late() -> Failed {
    Failed::new(
        "the time limit was over before a hook ran: reading the event or matching it against patterns took too long; give a \
         longer --deadline, or make the patterns simpler",
    )
}

/// The words of a command line behind the program, but for its time limit.
fn without_deadline(line: &str) -> Vec<String> {
    let mut words = words_behind_program(line).unwrap_or_default();
    if let Some(at) = words.iter().position(|word| word == "--deadline") {
        words.drain(at..words.len().min(at + 2));
    }
    words
}

/// A little less than the agent waits for a hook of its own.
fn usual_limit(dialect: &dyn Dialect, event: &str) -> Option<Duration> {
    dialect.timeout(event, RunKind::Command).map(|limit| limit.mul_f64(1.0 - MARGIN))
}

/// Leaves the answer for the agent, as it is: no colours, nothing written out.
fn print_answer(answer: &WireAnswer) -> Result<()> {
    if !answer.stdout.is_empty() {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{}", answer.stdout)?;
        out.flush()?;
    }
    if !answer.stderr.is_empty() {
        let _ = writeln!(std::io::stderr().lock(), "{}", answer.stderr);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[derive(Debug, clap::Parser)]
    struct Line {
        #[command(flatten)]
        hook: Hook,
    }

    #[test]
    fn a_limit_that_is_over_refuses_before_anything_is_matched() {
        let line = Line::parse_from(["hook", "--agent", "claude-code"]);
        let claude = dialects::named("claude-code").unwrap();
        let event = r#"{"session_id": "s", "cwd": "/", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}}"#;
        let over = Deadline::within(Some(Duration::ZERO));
        let failed = line.hook.decide_in_time(claude, event, Some(over), &Asked::default()).map(|_| ()).unwrap_err();
        assert!(failed.to_string().contains("time limit was over before a hook ran"), "{failed}");
    }
}
