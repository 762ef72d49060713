//! `hookweave init`: a policy to begin with, and tests that hold it.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::change::{Change, How, make, read, real_place};
use crate::failed::{Failed, Result, Verdict};
use crate::screen::{BOLD, Screen, styled};

/// Write an initial policy and its tests
#[derive(Debug, Args)]
pub(crate) struct Init {
    /// What the policy does; may be repeated
    #[arg(short, long = "policy", value_enum, value_name = "NAME", default_values_t = [Starter::Destruction, Starter::Secrets])]
    policies: Vec<Starter>,

    /// The project's directory
    #[arg(short = 'C', long = "cwd", value_name = "DIR", default_value = ".")]
    cwd: PathBuf,

    #[command(flatten)]
    how: How,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
enum Starter {
    /// Refuse commands that delete too much.
    Destruction,
    /// Keep files with credentials from being read and written.
    Secrets,
    /// Ask a person before something is published or pushed with force.
    Publishing,
    /// Tell the model the date when a session starts.
    Context,
}

impl Starter {
    /// The hooks, and the cases that hold them.
    const fn parts(self) -> (&'static str, &'static str) {
        match self {
            Self::Destruction => (include_str!("init/destruction.toml"), include_str!("init/destruction.yaml")),
            Self::Secrets => (include_str!("init/secrets.toml"), include_str!("init/secrets.yaml")),
            Self::Publishing => (include_str!("init/publishing.toml"), include_str!("init/publishing.yaml")),
            Self::Context => (include_str!("init/context.toml"), include_str!("init/context.yaml")),
        }
    }
}

impl Init {
    /// Runs the command.
    pub(crate) fn run(&self, screen: Screen<'_>) -> Result<Verdict> {
        if !self.cwd.is_dir() {
            return Err(Failed::file(&self.cwd, "is no directory; name the project with --cwd"));
        }
        let mut policies = self.policies.clone();
        policies.sort_unstable();
        policies.dedup();
        let mut hooks =
            String::from("# The policy of every agent that works here. `hookweave list` shows it.\nhookweave = 1\n");
        let mut cases =
            String::from("# `hookweave test` runs these cases.\nhooktest: 1\nfiles: [hookweave.toml]\ncases:\n");
        for (hook, case) in policies.iter().map(|policy| policy.parts()) {
            // Writing to a string cannot fail.
            let _ = write!(hooks, "\n{hook}");
            cases.push_str(case);
        }
        let mut changes = Vec::new();
        for (name, text) in [("hookweave.toml", hooks), ("hookweave.hooktest.yaml", cases)] {
            let file = real_place(&self.cwd.join(name), &self.cwd)?;
            let before = read(&file)?;
            if before.is_some() {
                return Err(Failed::file(
                    &file,
                    "is there already; take what you need from `hookweave init --dry-run` elsewhere",
                ));
            }
            changes.push(Change { file, before, after: Some(text), executable: false });
        }
        if make(screen, &changes, self.how)? {
            writeln!(screen, "Next:")?;
            for (command, what) in [
                ("hookweave test", "try it"),
                ("hookweave trust approve", "let it run: a project's hooks need your approval"),
                ("hookweave install --agent claude-code", "let an agent run it (or codex, gemini-cli, cursor, …)"),
            ] {
                writeln!(screen, "  {}  {what}", styled(BOLD, command))?;
            }
        }
        Ok(Verdict::Fine)
    }
}
