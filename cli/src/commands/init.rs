//! `hookweave init`: a policy to begin with, and tests that hold it.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use hookweave_host::config::load::UntrustedHook;
use hookweave_host::config::trust::TrustedHook;

use super::trust::store;
use crate::agent_shell;
use crate::change::{Change, How, make, read, real_place};
use crate::failed::{Failed, Result, Verdict};
use crate::hook_command::quoted;
use crate::policy::{Policy, Which};
use crate::screen::{BOLD, Cell, DIM, GOOD, Room, Screen, Table, WARN, count, shown, styled};

/// Write an initial policy and its tests
#[derive(Debug, Args)]
pub(crate) struct Init {
    /// What the policy does, by default destruction and secrets; may be repeated. Beside a hookweave.toml it is added to it
    #[arg(short, long = "policy", value_enum, value_name = "NAME")]
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
    /// Its name, as the command line has it.
    const fn name(self) -> &'static str {
        match self {
            Self::Destruction => "destruction",
            Self::Secrets => "secrets",
            Self::Publishing => "publishing",
            Self::Context => "context",
        }
    }

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

const HOOKS: &str = "# The policy of every agent that works here. `hookweave list` shows it.\nhookweave = 1\n";
const CASES: &str = "# `hookweave test` runs these cases.\nhooktest: 1\nfiles: [hookweave.toml]\ncases:\n";

/// A policy with more hooks at its end.
fn added(file: &Path, before: &str, hooks: &str) -> Result<String> {
    let after = format!("{}\n\n{hooks}", before.trim_end());
    let names = |text: &str| -> Result<Vec<String>> {
        let top: toml::Table = toml::from_str(text.trim_start_matches('\u{FEFF}')).map_err(|why| {
            Failed::file(file, format!("cannot take more hooks: {}; write them as [[hooks]]", why.message()))
        })?;
        let hooks = top.get("hooks").and_then(toml::Value::as_array).into_iter().flatten();
        Ok(hooks.filter_map(|hook| hook.get("name")?.as_str().map(str::to_owned)).collect())
    };
    let known = names(before)?;
    if let Some(name) = names(hooks)?.iter().find(|name| known.contains(name)) {
        return Err(Failed::file(file, format!("has a hook `{name}` already; leave out the policy that brings it")));
    }
    names(&after)?;
    Ok(after)
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

    /// The files to write, and whether there is a policy already, which gets the hooks at its end.
    fn changes(&self, policies: &[Starter]) -> Result<(bool, Vec<Change>)> {
        let file = real_place(&self.cwd.join("hookweave.toml"), &self.cwd)?;
        let before = read(&file)?;
        if before.is_some() && policies.is_empty() {
            return Err(Failed::file(&file, "is there already; name what to add to it, such as --policy publishing"));
        }
        let usual = [Starter::Destruction, Starter::Secrets];
        let policies = if policies.is_empty() { &usual } else { policies };
        let (hooks, listed): (Vec<&str>, Vec<&str>) = policies.iter().map(|policy| policy.parts()).unzip();
        let (hooks, cases) = (hooks.join("\n"), format!("{CASES}{}", listed.concat()));
        let after = match &before {
            Some(before) => added(&file, before, &hooks)?,
            None => format!("{HOOKS}\n{hooks}"),
        };
        let names: Vec<&str> = policies.iter().map(|policy| policy.name()).collect();
        let name = if before.is_some() { names.join("-") } else { "hookweave".to_owned() };
        let cases_file = real_place(&self.cwd.join(format!("{name}.hooktest.yaml")), &self.cwd)?;
        if read(&cases_file)?.is_some() {
            return Err(Failed::file(
                &cases_file,
                "is there already; move it, so that the new cases do not replace it",
            ));
        }
        let is_there = before.is_some();
        let change = |file, before, text| Change { file, before, after: Some(text), executable: false, is_ours: true };
        Ok((is_there, vec![change(file, before, after), change(cases_file, None, cases)]))
    }

    /// Runs the command.
    pub(crate) fn run(&self, screen: Screen<'_>) -> Result<Verdict> {
        agent_shell::refuse("init", self.how)?;
        if !self.cwd.is_dir() {
            return Err(Failed::file(&self.cwd, "is no directory; name the project with --cwd"));
        }
        let mut policies = self.policies.clone();
        policies.sort_unstable();
        policies.dedup();
        let (is_there, changes) = self.changes(&policies)?;
        if make(screen, &changes, self.how)? {
            // Other hooks of a file that was there may wait for a person's look.
            let is_approved = !is_there && self.approve(screen, &changes)?;
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
