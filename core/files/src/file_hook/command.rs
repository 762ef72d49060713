//! A hook's command: what it is given, where it runs, and what it leaves behind.

use std::borrow::Cow;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::env_file::EnvFile;
use super::environment::{self, Environment};
use super::{FileHook, Surroundings};
use crate::config::PLUGIN_DATA;
use hookweave_dialects::{self, CommandOutput, Encoded, Invocation};
use hookweave_exec::cancel::Cancel;
use hookweave_exec::command::{self, CommandError, CommandLine, CommandRun, CommandSpec};
use hookweave_exec::outside::OutsideHook as _;
use hookweave_machine::dispatch::{FailureKind, HandlerResult, HookFailure};

impl FileHook {
    /// Runs a command to its end, on this thread.
    pub(super) fn run_command(
        &self,
        spec: &CommandSpec,
        invocation: &Invocation,
        Surroundings { environment, left }: &Surroundings,
        cancel: &Cancel,
    ) -> Result<HandlerResult<Value>, HookFailure<Value>> {
        let dialect = self.declared.dialect;
        let limit = self.limit();
        let Encoded { body, env, env_file } = self.encode(invocation);
        let env_file = env_file.map(EnvFile::new).transpose().map_err(|why| {
            // A full disk, or no descriptor left: nothing that the hook itself is to blame for.
            let why = format!("no file for environment variables could be made: {why}");
            HookFailure { meant_to_restrict: true, ..HookFailure::new(FailureKind::NotStarted, why) }
        })?;
        let scrub = self.runtime.settings.scrub_environment;
        let mut variables = environment.inherited(dialect.inherits(), scrub);
        variables.add(left, environment, scrub);
        if let Some(trace) = environment.trace() {
            // Also where a dialect passes on nothing of the environment: it says where the command is, not what it may know.
            variables = variables.in_trace(Some(trace));
        }
        for (name, value) in env.iter().chain(&spec.env) {
            if name == PLUGIN_DATA && names(&spec.line, PLUGIN_DATA) {
                make_folder(value);
            }
            variables.set(name, value);
        }
        variables.set("HOOKWEAVE_DEPTH", invocation.depth.to_string());
        if let Some((name, file)) = env_file.as_ref().map(EnvFile::variable) {
            variables.set(name, file);
        }
        let spec = &placed(spec, &variables);
        let env_file = env_file.map(|file| (file, variables.clone()));
        let run = CommandRun {
            spec,
            stdin: standard_input(&body),
            env: variables.into_entries(),
            directories: Self::directories(invocation),
            timeout: limit,
            output_cap: self.runtime.settings.output_cap,
            leave_children: self.declared.spec.detached,
        };
        let exited: CommandOutput = command::run(&run, cancel).map_err(|error| broken_command(&error, limit))?;
        let handler_result = hookweave_dialects::answer_of_command(dialect, invocation, &exited);
        let Some(left) = env_file.map(|(file, given)| file.read(&given)) else { return Ok(handler_result) };
        let variables = Some(left.variables).filter(|variables| !variables.is_empty()).map(Value::Object);
        let text = Some(left.text).filter(|text| self.runtime.settings.env_text && !text.is_empty()).map(Value::String);
        let left = [("env", variables), ("env_text", text)];
        let left = left.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
        Ok(with_own(handler_result, dialect.name(), left))
    }

    /// Where the command runs, unless it names a directory of its own: where the event happens. Only for an event that
    /// names no directory it is the project's, or the user's home.
    pub(super) fn directories(invocation: &Invocation) -> Vec<PathBuf> {
        match invocation.text("cwd").filter(|cwd| !cwd.is_empty()) {
            Some(cwd) => vec![PathBuf::from(cwd)],
            None => invocation.project_dir.clone().into_iter().chain(std::env::home_dir()).collect(),
        }
    }
}

/// Whether a command's own line names a variable.
fn names(line: &CommandLine, variable: &str) -> bool {
    match line {
        CommandLine::Shell { text, .. } => text.contains(variable),
        CommandLine::Exec { program, args } => std::iter::once(program).chain(args).any(|text| text.contains(variable)),
    }
}

/// Makes the folder in which a plugin keeps its data; a hook that needs it and does not find it says so itself.
fn make_folder(path: &str) {
    if let Err(why) = std::fs::create_dir_all(path) {
        tracing::warn!(path, "the folder for a plugin's data could not be made: {why}");
    }
}

/// The event as one line: `read` of a shell fails for a line that does not end.
fn standard_input(body: &Value) -> Vec<u8> {
    if body.is_null() { Vec::new() } else { format!("{body}\n").into_bytes() }
}

fn broken_command(error: &CommandError, limit: Option<Duration>) -> HookFailure<Value> {
    match (error, limit) {
        (CommandError::TimedOut { .. }, Some(limit)) => HookFailure::timeout(limit),
        (CommandError::OutputOverCap { .. }, _) => HookFailure::new(FailureKind::InvalidAnswer, error.to_string()),
        (CommandError::Cancelled { .. }, _) => HookFailure::new(FailureKind::Cancelled, error.to_string()),
        // The cause lies around the hook and not in it: an attacker who brings it about must not get past the hook.
        (CommandError::Lost { .. }, _) => restricting(FailureKind::Lost, error),
        (CommandError::NoDirectory { .. } | CommandError::NoRoom { .. }, _) => {
            restricting(FailureKind::NotStarted, error)
        }
        _ => HookFailure::new(FailureKind::NotStarted, error.to_string()),
    }
}

fn restricting(kind: FailureKind, error: &CommandError) -> HookFailure<Value> {
    HookFailure { meant_to_restrict: true, ..HookFailure::new(kind, error.to_string()) }
}

/// The command with its placeholders filled: in the exec form no shell does it, so that `${CLAUDE_PROJECT_DIR}` in a
/// program or an argument stands for the variable's value as it is.
fn placed<'a>(spec: &'a CommandSpec, variables: &Environment) -> Cow<'a, CommandSpec> {
    let CommandLine::Exec { program, args } = &spec.line else { return Cow::Borrowed(spec) };
    if !std::iter::once(program).chain(args).any(|text| text.contains("${")) {
        return Cow::Borrowed(spec);
    }
    let filled = |text: &String| environment::filled(text, |name| variables.text(name));
    let line = CommandLine::Exec { program: filled(program), args: args.iter().map(filled).collect() };
    Cow::Owned(CommandSpec { line, ..spec.clone() })
}

/// Adds what a hook left for later commands to its answer.
fn with_own(handler_result: HandlerResult<Value>, dialect: &str, left: Map<String, Value>) -> HandlerResult<Value> {
    if left.is_empty() {
        return handler_result;
    }
    let mut answer = match handler_result {
        HandlerResult::Nothing => Map::new(),
        HandlerResult::Answer(Value::Object(answer)) => answer,
        other => return other,
    };
    let ext = answer.entry("ext").or_insert_with(|| json!({}));
    if let Some(own) = ext.as_object_mut().map(|ext| ext.entry(dialect).or_insert_with(|| json!({})))
        && let Some(own) = own.as_object_mut()
    {
        own.extend(left);
    }
    HandlerResult::Answer(Value::Object(answer))
}
