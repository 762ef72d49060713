//! The command line.

use clap::{CommandFactory as _, Parser, Subcommand};

use crate::commands::{
    Audit, Completion, Convert, Doctor, Explain, Hook, Init, Install, Lint, List, Man, Record, Replay, Run, Schema,
    Test, Trust, Uninstall,
};
use crate::failed::Result;
use crate::screen::Screen;

const CODES: &str = "\
Exit codes:
  0  success
  1  negative result: findings, a blocked event, a failed test
  2  wrong usage, or input that cannot be read
  `hookweave hook` exits as its agent expects, `hookweave record` as the program that it runs.

Documentation: https://github.com/hookweave/hookweave/blob/main/docs/command.md";

/// See, test, explain and install hooks for AI agents.
#[derive(Debug, Parser)]
#[command(
    name = "hookweave",
    version,
    after_help = CODES,
    max_term_width = 100,
    propagate_version = false,
    arg_required_else_help = true
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Init(Init),
    List(List),
    Lint(Lint),
    Explain(Explain),
    Run(Run),
    Test(Test),
    Record(Record),
    Replay(Replay),
    Trust(Trust),
    Convert(Convert),
    Install(Install),
    Uninstall(Uninstall),
    Hook(Hook),
    Audit(Audit),
    Doctor(Doctor),
    Schema(Schema),
    Completion(Completion),
    Man(Man),
}

impl Cli {
    /// Runs the command; gives the exit code.
    pub(crate) fn run(self, screen: Screen<'_>) -> Result<u8> {
        let verdict = match self.command {
            Command::Init(init) => init.run(screen)?,
            Command::List(list) => list.run(screen)?,
            Command::Lint(lint) => lint.run(screen)?,
            Command::Explain(explain) => explain.run(screen)?,
            Command::Run(run) => run.run(screen)?,
            Command::Test(test) => test.run(screen)?,
            Command::Replay(replay) => replay.run(screen)?,
            Command::Convert(convert) => convert.run(screen)?,
            Command::Trust(trust) => trust.run(screen)?,
            Command::Install(install) => install.run(screen)?,
            Command::Uninstall(uninstall) => uninstall.run(screen)?,
            Command::Audit(audit) => audit.run(screen)?,
            Command::Doctor(doctor) => doctor.run(screen)?,
            Command::Schema(schema) => schema.run(screen)?,
            Command::Completion(completion) => completion.run(screen, Self::command())?,
            Command::Man(man) => man.run(screen, Self::command())?,
            Command::Hook(hook) => return hook.run(),
            Command::Record(record) => return record.run(),
        };
        Ok(verdict.code())
    }
}
