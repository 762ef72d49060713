//! `hookweave schema`, `completion` and `man`: what editors, shells and readers want to know of the command.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Command, ValueEnum};
use clap_complete::Shell;
use hookweave_host::config::discover::SCOPES as SOURCES;
use hookweave_host::config::lint::RULES;
use hookweave_host::dialects::ALL;
use hookweave_host::event::BUILT_IN;

use crate::agents::AGENTS;
use crate::failed::{Failed, Result, Verdict};
use crate::screen::Screen;

/// Print a JSON Schema, for editors and other programs
#[derive(Debug, Args)]
pub(crate) struct Schema {
    /// Which schema
    #[arg(value_enum, default_value_t)]
    of: SchemaOf,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum SchemaOf {
    /// hookweave.toml and hookweave.json.
    #[default]
    Hooks,
    /// Files of test cases.
    Test,
    /// What a hook of `hookweave.toml` reads.
    Event,
    /// What a hook of `hookweave.toml` answers.
    Answer,
    /// What commands print with --json.
    Output,
}

impl Schema {
    /// Runs the command.
    pub(crate) fn run(&self, screen: Screen<'_>) -> Result<Verdict> {
        let text = match self.of {
            SchemaOf::Hooks => include_str!("../../schemas/hookweave.schema.json"),
            SchemaOf::Test => include_str!("../../schemas/hooktest.schema.json"),
            SchemaOf::Event => include_str!("../../schemas/event.schema.json"),
            SchemaOf::Answer => include_str!("../../schemas/answer.schema.json"),
            SchemaOf::Output => include_str!("../../schemas/output.schema.json"),
        };
        screen.write_all(text.as_bytes())?;
        Ok(Verdict::Fine)
    }
}

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(after_help = "Example: hookweave completion bash > ~/.local/share/bash-completion/completions/hookweave")]
pub(crate) struct Completion {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

impl Completion {
    /// Runs the command.
    pub(crate) fn run(&self, screen: Screen<'_>, mut command: Command) -> Result<Verdict> {
        command = knowing(command);
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, "hookweave", &mut script);
        screen.write_all(&script)?;
        Ok(Verdict::Fine)
    }
}

/// The command with the words that its options take: they are not refused there, because files may define others.
fn knowing(command: Command) -> Command {
    let words = |id: &str, command: &str| -> Option<Vec<&'static str>> {
        let dialects = || ALL.iter().map(|dialect| dialect.name()).collect::<Vec<_>>();
        match id {
            "agent" if matches!(command, "install" | "uninstall") => {
                Some(AGENTS.iter().map(|agent| agent.name).collect())
            }
            "agent" | "dialect" => Some(dialects()),
            "to" => Some(AGENTS.iter().map(|agent| agent.name).chain(["hookweave"]).collect()),
            "event" | "events" => Some(BUILT_IN.iter().map(|event| event.name).collect()),
            "sources" => Some(SOURCES.iter().map(|(word, _)| *word).chain(dialects()).collect()),
            "allowed" => Some(RULES.iter().map(|rule| rule.name).collect()),
            _ => None,
        }
    };
    let name = command.get_name().to_owned();
    let ids: Vec<String> = command.get_arguments().map(|arg| arg.get_id().to_string()).collect();
    let command = ids.into_iter().fold(command, |command, id| match words(&id, &name) {
        Some(words) => command.mut_arg(id, |arg| arg.value_parser(PossibleValuesParser::new(words))),
        None => command,
    });
    let names: Vec<String> = command.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    names.into_iter().fold(command, |command, name| command.mut_subcommand(name, knowing))
}

/// Print the manual page, or write all of them into a directory
#[derive(Debug, Args)]
#[command(after_help = "Example: hookweave man | man -l -")]
pub(crate) struct Man {
    /// Write a page for each command into this directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Man {
    /// Runs the command.
    pub(crate) fn run(&self, screen: Screen<'_>, command: Command) -> Result<Verdict> {
        match &self.out {
            Some(folder) => {
                let written = std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(command, folder));
                written.map_err(|error| Failed::file(folder, format!("cannot be written to: {error}")))?;
            }
            None => clap_mangen::Man::new(command).render(&mut *screen)?,
        }
        Ok(Verdict::Fine)
    }
}
