//! `hookweave init`: a policy to begin with, and tests that hold it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use hookweave_host::config::load::UntrustedHook;
use hookweave_host::config::trust::TrustedHook;

use super::trust::store;
use crate::change::{Change, How, make, read, real_place};
use crate::failed::{Failed, Result, Verdict};
use crate::hook_command::quoted;
use crate::policy::{Policy, Which};
use crate::screen::{BOLD, Cell, DIM, GOOD, Room, Screen, Table, WARN, count, shown, styled};

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
    /// The option that names the project, as a shell reads it.
    fn place(&self) -> String {
        if self.cwd == Path::new(".") { String::new() } else { format!(" -C {}", quoted(&self.cwd)) }
    }

    /// Approves the hooks of the files that were just written, for the person who had them written; whether it could.
    fn approve(&self, screen: Screen<'_>, changes: &[Change]) -> Result<bool> {
        let which = Which { cwd: Some(self.cwd.clone()), ..Which::default() }.to_look_at();
        let is_new = |waiting: &UntrustedHook| {
            let file = std::fs::canonicalize(&waiting.approval.file);
            file.is_ok_and(|file| changes.iter().any(|change| change.file == file))
        };
        let approved = store(&which).and_then(|store| {
            let waiting = Policy::load(&which)?.report.untrusted;
            let (able, _): (Vec<_>, Vec<_>) =
                waiting.into_iter().filter(is_new).partition(|waiting| !waiting.approval.fingerprint.is_empty());
            let new: Vec<TrustedHook> = able.into_iter().map(|waiting| waiting.approval).collect();
            store.approve(&new)?;
            Ok(new.len())
        });
        match approved {
            Ok(number) => {
                let what = format!("{} approved for you", count(number, "hook"));
                let note = "(`hookweave trust` lists approvals, `trust revoke` takes them back)";
                writeln!(screen, "{} {}\n", styled(GOOD, &what), styled(DIM, note))?;
                Ok(true)
            }
            Err(why) => {
                writeln!(screen, "{} {}\n", styled(WARN, "Not approved:"), shown(&why.to_string()))?;
                Ok(false)
            }
        }
    }

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
            let is_approved = self.approve(screen, &changes)?;
            let place = self.place();
            let cases = if place.is_empty() { String::new() } else { format!(" {}", quoted(&self.cwd)) };
            let mut steps = Table::bare(&[Room::Whole, Room::Wrap]);
            let approve = format!("hookweave trust approve{place}");
            let install = format!("hookweave install --agent claude-code{place}");
            for (command, what, is_needed) in [
                (format!("hookweave test{cases}"), "try it", true),
                (approve, "let it run: a project's hooks need your approval", !is_approved),
                (format!("hookweave list{place}"), "see it", is_approved),
                (install, "let an agent run it (or codex, gemini-cli, cursor, …)", true),
            ] {
                if is_needed {
                    steps.row([Cell::new(BOLD, command), Cell::from(what)]);
                }
            }
            writeln!(screen, "Next:")?;
            steps.write(screen, 2)?;
        }
        Ok(Verdict::Fine)
    }
}
