//! The command line.

use std::ffi::OsString;

use anstyle::{AnsiColor, Effects};
use clap::builder::Styles;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ColorChoice, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::commands::{
    Approvals, Audit, Completion, Convert, Doctor, Explain, Hook, Init, Install, Lint, List, Man, McpProxy, Policies,
    Record, Replay, Run, Scan, Schema, Test, Trust, Try, Uninstall,
};
use crate::failed::Result;
use crate::screen::{Loudness, Screen, set_loudness};

/// Help and errors of the command line in the colours of everything else.
const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().effects(Effects::BOLD))
    .usage(AnsiColor::Green.on_default().effects(Effects::BOLD))
    .literal(AnsiColor::Cyan.on_default().effects(Effects::BOLD))
    .placeholder(AnsiColor::Cyan.on_default());

const CODES: &str = "\
Exit codes:
  0  success
  1  negative result: findings, a blocked event, a failed test
  2  wrong usage, or input that cannot be read
  3  `hookweave try`: a person is asked
  `hookweave hook` exits as its agent expects, `hookweave record` and `hookweave mcp-proxy` as the program that they run.

Documentation: https://github.com/hookweave/hookweave/blob/main/docs/command.md";

/// See, test, explain and install hooks for AI agents.
#[derive(Debug, Parser)]
#[command(
    name = "hookweave",
    version,
    after_help = CODES,
    max_term_width = 100,
    styles = STYLES,
    propagate_version = false,
    arg_required_else_help = true
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,

    #[command(flatten)]
    output: Output,
}

/// How results are shown.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Output")]
struct Output {
    /// When to use colours; `auto` uses them on terminals, unless `NO_COLOR` is set
    #[arg(long, value_enum, value_name = "WHEN", default_value_t, global = true, hide_possible_values = true)]
    color: ColorChoice,

    /// Print results only
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,

    /// Print everything, uncut
    #[arg(short, long, global = true)]
    verbose: bool,
}

/// The colours that a command line asks for, also one that cannot be parsed.
fn colours_of(words: &[OsString]) -> ColorChoice {
    let words: Vec<&str> = words.iter().map_while(|word| word.to_str().filter(|word| *word != "--")).collect();
    let apart =
        words.windows(2).filter(|pair| pair.first() == Some(&"--color")).filter_map(|pair| pair.last().copied());
    let joined = words.iter().filter_map(|word| word.strip_prefix("--color="));
    joined.chain(apart).last().and_then(|word| word.parse().ok()).unwrap_or_default()
}

/// The command line with `-C DIR` behind the command's own words, where the commands take it: many programs take it first.
fn directory_last(words: Vec<OsString>) -> Vec<OsString> {
    let mut rest = words.into_iter().peekable();
    let (mut sorted, mut directory): (Vec<OsString>, Vec<OsString>) = (rest.next().into_iter().collect(), Vec::new());
    while let Some(option) = rest.next_if(|word| word.to_string_lossy().starts_with('-') && word != "--") {
        let name = option.to_string_lossy().into_owned();
        let list = if name.starts_with("-C") || name == "--cwd" || name.starts_with("--cwd=") {
            &mut directory
        } else {
            &mut sorted
        };
        list.push(option);
        if matches!(name.as_str(), "-C" | "--cwd" | "--color") {
            list.extend(rest.next());
        }
    }
    let rest: Vec<OsString> = rest.collect();
    let end = rest.iter().position(|word| word == "--").unwrap_or(rest.len());
    let (own, others) = rest.split_at(end);
    sorted.extend(own.iter().cloned().chain(directory).chain(others.iter().cloned()));
    sorted
}

/// An error with the way out where a line's options were taken for those of the command.
fn with_tip(mut error: clap::Error, words: &[OsString]) -> clap::Error {
    let words: Vec<&str> = words.iter().skip(1).filter_map(|word| word.to_str()).collect();
    if let ([command @ ("try" | "explain"), line @ ..], ErrorKind::UnknownArgument) = (words.as_slice(), error.kind()) {
        let is_line = line.first().is_some_and(|word| !word.starts_with('-')) && !line.concat().contains('\'');
        let line = if is_line { line.join(" ") } else { "rm -rf build".to_owned() };
        let tip = format!("options of a line stand in quotes with it: hookweave {command} '{line}'");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

fn use_colours(choice: ColorChoice) {
    match choice {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    }
    .write_global();
}

#[derive(Debug, Subcommand)]
enum Command {
    Init(Init),
    List(List),
    Policies(Policies),
    Lint(Lint),
    Try(Try),
    Explain(Explain),
    Scan(Scan),
    Run(Run),
    Test(Test),
    Record(Record),
    Replay(Replay),
    Trust(Trust),
    Approvals(Approvals),
    Convert(Convert),
    Install(Install),
    Uninstall(Uninstall),
    Hook(Hook),
    McpProxy(McpProxy),
    Audit(Audit),
    Doctor(Doctor),
    Schema(Schema),
    Completion(Completion),
    Man(Man),
}

impl Cli {
    /// The command line of this process; ends the process when it cannot be parsed, or asks for help.
    pub(crate) fn of_this_process() -> Self {
        let words = directory_last(std::env::args_os().collect());
        let choice = colours_of(&words);
        use_colours(choice);
        let parsed = Self::command().color(choice).try_get_matches_from(&words);
        let matches = parsed.unwrap_or_else(|error| with_tip(error, &words).exit());
        let cli = Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
        use_colours(cli.output.color);
        set_loudness(match (cli.output.quiet, cli.output.verbose) {
            (true, _) => Loudness::Quiet,
            (_, true) => Loudness::Verbose,
            _ => Loudness::Usual,
        });
        cli
    }

    /// Runs the command; gives the exit code.
    pub(crate) fn run(self, screen: Screen<'_>) -> Result<u8> {
        let verdict = match self.command {
            Command::Init(init) => init.run(screen)?,
            Command::List(list) => list.run(screen)?,
            Command::Policies(policies) => policies.run(screen)?,
            Command::Lint(lint) => lint.run(screen)?,
            Command::Explain(explain) => explain.run(screen)?,
            Command::Try(call) => call.run(screen)?,
            Command::Scan(scan) => scan.run(screen)?,
            Command::Run(run) => run.run(screen)?,
            Command::Test(test) => test.run(screen)?,
            Command::Replay(replay) => replay.run(screen)?,
            Command::Convert(convert) => convert.run(screen)?,
            Command::Trust(trust) => trust.run(screen)?,
            Command::Approvals(approvals) => approvals.run(screen)?,
            Command::Install(install) => install.run(screen)?,
            Command::Uninstall(uninstall) => uninstall.run(screen)?,
            Command::Audit(audit) => audit.run(screen)?,
            Command::Doctor(doctor) => doctor.run(screen)?,
            Command::Schema(schema) => schema.run(screen)?,
            Command::Completion(completion) => completion.run(screen, Self::command())?,
            Command::Man(man) => man.run(screen, Self::command())?,
            Command::Hook(hook) => return hook.run(),
            Command::McpProxy(proxy) => return proxy.run(),
            Command::Record(record) => return record.run(),
        };
        Ok(verdict.code())
    }
}
