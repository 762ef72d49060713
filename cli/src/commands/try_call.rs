//! `hookweave try`: what the policy says of a call, as people write calls.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use hookweave_host::action::Action;
use hookweave_host::explain::Explanation;
use hookweave_host::hook::FailBehavior;
use hookweave_host::json::from_json;
use hookweave_host::outcome::TraceEntry;
use serde::Serialize;
use serde_json::{Value, json};

use crate::call::{Call, CallArgs, call_text};
use crate::commands::hook::Hook;
use crate::commands::list::left_out;
use crate::commands::run::FAREWELL;
use crate::delegates;
use crate::drive::{Outcome, dispatch, explained};
use crate::failed::{Failed, Result, Verdict};
use crate::hook_command::agent_of;
use crate::input::read_text;
use crate::policy::{Policy, Which, matcher_text, place_text};
use crate::screen::{BAD, BOLD, DIM, GOOD, Screen, WARN, count, is_quiet, json, shown, styled};

/// Ask the policy about a tool call
#[derive(Debug, Args)]
#[command(after_help = "\
The hooks really run; the tool does not. Examples:
  hookweave try 'rm -rf /'
  hookweave try --read .env
  hookweave try --tool deploy --args '{\"to\": \"production\"}'
  hookweave try --lines commands.txt

Exits with 0 if the call passes, with 1 if it is blocked, with 3 if a person is asked; of several calls the first of
1, 3 and 0 that one of them gives.")]
pub(crate) struct Try {
    /// A command line of the shell; or a tool and what its call is about, such as `Read .env`; or a tool of an MCP server
    #[arg(value_name = "LINE", group = "call")]
    line: Vec<String>,

    #[command(flatten)]
    about: CallArgs,

    /// Try to call this tool; needs --args
    #[arg(short, long, value_name = "TOOL", group = "call", requires = "args", help_heading = "The call")]
    tool: Option<String>,

    /// The tool's arguments as a JSON object
    #[arg(short, long, value_name = "JSON", requires = "tool", help_heading = "The call")]
    args: Option<String>,

    /// Try every command line of this file, one a line; `-` is standard input
    #[arg(long, value_name = "FILE", group = "call", help_heading = "The call")]
    lines: Option<PathBuf>,

    /// Print JSON for programs
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    which: Which,
}

/// How an agent asks by default, where none is installed.
const BARE: &str = "hookweave hook --agent claude-code";

/// What came of a call.
#[derive(Debug, Serialize)]
struct Tried {
    #[serde(flatten)]
    call: Call,
    verdict: Word,
    reason: Option<String>,
    /// The hooks that decided so.
    deciders: Vec<Decider>,
    /// The hooks that observe and would have stopped the call, or had a person asked about it.
    observers: Vec<WouldDo>,
    /// The hooks that failed and let the call pass.
    failed: Vec<FailedHook>,
    /// The hooks that looked at the call, in order.
    looked_at_by: Vec<String>,
    /// How many hooks wait for an approval and were not asked.
    #[serde(skip)]
    waiting: usize,
}

impl Tried {
    /// What comes of a call where no hook is asked.
    fn refused(call: Call, why: &str) -> Self {
        Self {
            call,
            verdict: Word::Blocked,
            reason: Some(why.to_owned()),
            deciders: Vec::new(),
            observers: Vec::new(),
            failed: Vec::new(),
            looked_at_by: Vec::new(),
            waiting: 0,
        }
    }
}

/// What the policy says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Word {
    Passes,
    Asks,
    Blocked,
}

impl Word {
    fn of(outcome: &Outcome) -> Self {
        match outcome.decision() {
            _ if outcome.blocked() => Self::Blocked,
            Action::Ask => Self::Asks,
            _ => Self::Passes,
        }
    }

    fn styled(self) -> String {
        match self {
            Self::Passes => styled(GOOD, "passes "),
            Self::Asks => styled(WARN, "asks   "),
            Self::Blocked => styled(BAD, "blocked"),
        }
    }
}

/// A hook that decided, and why it was asked.
#[derive(Debug, Serialize)]
struct Decider {
    hook: String,
    place: String,
    /// Its condition.
    matcher: String,
    /// Which part of its condition the call meets, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    reason: Option<String>,
}

impl Decider {
    fn of(entry: &TraceEntry<'_>, policy: &Policy, which: &Which, explained: &Explanation) -> Self {
        let hooks = policy.registry.list();
        let hook = hooks.iter().find(|hook| hook.id == entry.id);
        let reason = entry.failure.as_ref().map(|failure| failure.message).or(entry.reason);
        Self {
            hook: entry.hook.to_owned(),
            place: hook.map_or_else(String::new, |hook| place_text(hook, &which.directory())),
            matcher: hook.map_or_else(String::new, matcher_text),
            why: explained.hooks.iter().find(|hook| hook.id == entry.id).and_then(|hook| hook.why.clone()),
            reason: reason.map(str::to_owned),
        }
    }
}

/// A hook that failed, which does not stop the call.
#[derive(Debug, Serialize)]
struct FailedHook {
    hook: String,
    message: String,
}

impl FailedHook {
    fn of(entry: &TraceEntry<'_>) -> Option<Self> {
        let failure = entry.failure.as_ref().filter(|failure| failure.became != FailBehavior::Block)?;
        Some(Self { hook: entry.hook.to_owned(), message: failure.message.to_owned() })
    }
}

/// What a hook that observes would do.
#[derive(Debug, Serialize)]
struct WouldDo {
    hook: String,
    would: Action,
    reason: Option<String>,
}

impl WouldDo {
    fn of(entry: &TraceEntry<'_>) -> Option<Self> {
        let observed = entry.observed.filter(|observed| observed.action.refuses() || observed.action == Action::Ask)?;
        Some(Self { hook: entry.hook.to_owned(), would: observed.action, reason: observed.reason.clone() })
    }
}

impl Try {
    /// Runs the command.
    pub(crate) fn run(&self, screen: Screen<'_>) -> Result<Verdict> {
        let calls = self.calls()?;
        // Where every call is refused no hook is asked.
        let policy = match self.refusal() {
            Some(why) => Err(why),
            None => Ok(self.policy()?),
        };
        let is_one = self.lines.is_none();
        let mut tried = Vec::with_capacity(calls.len());
        for call in calls {
            let one = match &policy {
                Ok(policy) => self.one(policy, call)?,
                Err(why) => Tried::refused(call, why),
            };
            match (self.json, is_one) {
                (false, true) => show(screen, &one, policy.as_ref().ok())?,
                (false, false) if !is_quiet() || one.verdict != Word::Passes => in_a_line(screen, &one)?,
                _ => {}
            }
            tried.push(one);
        }
        if let Some(policy) = policy.ok().filter(|policy| !policy.runtime.drain(FAREWELL)) {
            policy.runtime.shutdown(FAREWELL);
        }
        let number = |word: Word| tried.iter().filter(|one| one.verdict == word).count();
        let (blocked, asks, passes) = (number(Word::Blocked), number(Word::Asks), number(Word::Passes));
        if self.json {
            let whole = json!({"calls": tried, "blocked": blocked, "asks": asks, "passes": passes});
            json(screen, &whole)?;
        } else if !is_one {
            writeln!(screen, "{blocked} blocked, {asks} asked about, {passes} passed")?;
        }
        Ok(match (blocked, asks) {
            (0, 0) => Verdict::Fine,
            (0, _) => Verdict::Asks,
            _ => Verdict::Findings,
        })
    }

    fn policy(&self) -> Result<Policy> {
        let (policy, _) = delegates::load(&self.which)?;
        left_out(&policy.report)?;
        let waiting = policy.report.untrusted.len();
        if waiting > 0 {
            let what = format!("warning: {} not approved and not asked", count(waiting, "hook"));
            let fix = "approve them with `hookweave trust approve`, or ask them with --trust all";
            writeln!(anstream::stderr().lock(), "{}; {fix}", styled(WARN, &what))?;
        }
        Ok(policy)
    }

    /// Why every call is refused here: the policy is broken, or is not approved and agents' settings require one. Of agents
    /// beside others that ask the hooks a warning says it. Where only some of the hooks are asked for, they alone are tried.
    fn refusal(&self) -> Option<String> {
        let Which { files, sources, plugins, partial, .. } = &self.which;
        if *partial || !files.is_empty() || !sources.is_empty() || !plugins.is_empty() {
            return None;
        }
        let mut lines = delegates::lines_in(&self.which.directory(), "PreToolUse");
        if lines.is_empty() {
            lines.insert(BARE.to_owned());
        }
        let refused: Vec<(&String, String)> =
            lines.iter().filter_map(|line| Some((line, Hook::refusal(line, &self.which)?))).collect();
        let who = |line: &String| agent_of(line).filter(|_| line != BARE).unwrap_or_else(|| "an agent".to_owned());
        let text = |(line, why): &(&String, String)| format!("every call of {} is refused: {why}", who(line));
        if refused.len() == lines.len() {
            return refused.first().map(text);
        }
        for one in &refused {
            let _ = writeln!(anstream::stderr().lock(), "{} {}", styled(WARN, "warning:"), shown(&text(one)));
        }
        None
    }

    fn calls(&self) -> Result<Vec<Call>> {
        if let Some(call) = self.about.call()? {
            return Ok(vec![call]);
        }
        if let (Some(tool), Some(args)) = (&self.tool, &self.args) {
            let args =
                from_json(args).map_err(|why| Failed::new(format!("--args is no JSON: {why}; write an object")))?;
            let Value::Object(args) = args else { return Err(Failed::new("--args must be a JSON object")) };
            return Ok(vec![Call { tool: tool.clone(), args }]);
        }
        let Some(file) = &self.lines else {
            if self.line.is_empty() {
                return Err(Failed::new("no call is given; write a command line, such as hookweave try 'rm -rf /'"));
            }
            return Ok(vec![Call::of_words(&self.line)?]);
        };
        let text = read_text(file)?;
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let calls: Vec<Call> = lines.map(|line| Call::about("Bash", line)).collect::<Result<_>>()?;
        if calls.is_empty() {
            return Err(Failed::file(file, "has no command lines; write one a line"));
        }
        Ok(calls)
    }

    fn one(&self, policy: &Policy, call: Call) -> Result<Tried> {
        let payload = call.clone().payload();
        let (outcome, _) = dispatch(policy, "PreToolUse", &payload)?;
        let (verdict, decision) = (Word::of(&outcome), outcome.decision());
        let trace = outcome.trace();
        let decided = |entry: &&TraceEntry<'_>| {
            let is_closed = entry.failure.as_ref().is_some_and(|failure| failure.became == FailBehavior::Block);
            let action = if is_closed { Action::Block } else { entry.action };
            entry.observed.is_none() && action == decision && action != Action::Continue
        };
        let explained = explained(policy, "PreToolUse", &payload)?;
        let decider = |entry| Decider::of(entry, policy, &self.which, &explained);
        let deciders = trace.iter().filter(decided).map(decider).collect();
        let observers = trace.iter().filter_map(WouldDo::of).collect();
        let failed = trace.iter().filter_map(FailedHook::of).collect();
        let waiting = policy.report.untrusted.len();
        let looked_at_by = trace.iter().map(|entry| entry.hook.to_owned()).collect();
        let reason = outcome.reason().map(str::to_owned);
        Ok(Tried { call, verdict, reason, deciders, observers, failed, looked_at_by, waiting })
    }
}

fn show(screen: Screen<'_>, one: &Tried, policy: Option<&Policy>) -> Result<()> {
    writeln!(screen, "{}  {}", one.verdict.styled(), shown(&call_text(&one.call.clone().payload())))?;
    if is_quiet() {
        return Ok(());
    }
    for decider in &one.deciders {
        let reason = decider.reason.as_deref().map(|reason| format!(": {}", shown(reason))).unwrap_or_default();
        let place = styled(DIM, &format!("({})", decider.place));
        writeln!(screen, "  {} {place}{reason}", styled(BOLD, &decider.hook))?;
        if !decider.matcher.is_empty() {
            writeln!(screen, "  {}", styled(DIM, &format!("for {}", decider.matcher)))?;
        }
        if let Some(why) = &decider.why {
            writeln!(screen, "  {}", styled(DIM, &shown(why)))?;
        }
    }
    for WouldDo { hook, would, reason } in &one.observers {
        let reason = reason.as_deref().map(|reason| format!(": {}", shown(reason))).unwrap_or_default();
        let what = styled(WARN, &format!("observes and would {}", would.as_str()));
        writeln!(screen, "  {} {what}{reason}", styled(BOLD, hook))?;
    }
    for FailedHook { hook, message } in &one.failed {
        let what = styled(WARN, "failed, and the call passes it by");
        writeln!(screen, "  {} {what}: {}", styled(BOLD, hook), shown(message))?;
    }
    if !one.deciders.is_empty() || !one.observers.is_empty() || !one.failed.is_empty() {
        return Ok(());
    }
    let Some(policy) = policy else {
        return Ok(writeln!(screen, "  {}", shown(one.reason.as_deref().unwrap_or_default()))?);
    };
    let hooks = policy.registry.list().iter().filter(|hook| hook.event == "PreToolUse").count();
    let what = match (one.looked_at_by.is_empty(), hooks) {
        (false, _) => format!("looked at by: {}", one.looked_at_by.join(", ")),
        (true, _) if one.waiting > 0 => {
            let hooks = count(one.waiting, "hook");
            format!("no approved hook is for this call; {hooks} not asked before `hookweave trust approve`")
        }
        (true, 0) => "no hook looks at tool calls here; `hookweave list` shows all hooks".to_owned(),
        (true, _) => "no hook is for this call; `hookweave explain` with the same words says why".to_owned(),
    };
    Ok(writeln!(screen, "  {}", styled(DIM, &what))?)
}

fn in_a_line(screen: Screen<'_>, one: &Tried) -> Result<()> {
    let observers = one.observers.iter().map(|one| format!("{} would {}", one.hook, one.would.as_str()));
    let failed = one.failed.iter().map(|one| format!("{} failed", one.hook));
    let by: Vec<String> =
        one.deciders.iter().map(|decider| decider.hook.clone()).chain(observers).chain(failed).collect();
    let by = if by.is_empty() { String::new() } else { format!("  ({})", by.join(", ")) };
    let line = one.call.args.get("command").and_then(Value::as_str).unwrap_or_default();
    Ok(writeln!(screen, "{}  {}{}", one.verdict.styled(), shown(line), styled(DIM, &by))?)
}
