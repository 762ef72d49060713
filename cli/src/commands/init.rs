//! `hookweave init`: a policy to begin with, and tests that hold it.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;
use hookweave_host::config::load::UntrustedHook;
use hookweave_host::config::trust::TrustedHook;

use super::trust::{approve, store};
use crate::agent_shell;
use crate::change::{Change, How, make, read, real_place};
use crate::failed::{Failed, Result, Verdict};
use crate::hook_command::quoted;
use crate::policy::{Policy, Which};
use crate::screen::{BOLD, Cell, DIM, GOOD, Room, Screen, Table, WARN, count, shown, styled};

/// Write an initial policy and its tests
#[derive(Debug, Args)]
pub(crate) struct Init {
    /// A policy that comes with hookweave, or `context`: the date when a session starts; by default all policies, at their
    /// level standard. May be repeated; beside a hookweave.toml it is added to it
    #[arg(short, long = "policy", value_name = "NAME", value_parser = PossibleValuesParser::new(STARTERS.map(|starter| starter.name)))]
    policies: Vec<String>,

    /// The project's directory
    #[arg(short = 'C', long = "cwd", value_name = "DIR", default_value = ".")]
    cwd: PathBuf,

    #[command(flatten)]
    how: How,
}

/// What a policy begins with: its name, the hooks of its own, and the cases that hold it.
#[derive(Debug, Clone, Copy)]
struct Starter {
    name: &'static str,
    hooks: &'static str,
    cases: &'static str,
}

macro_rules! packs {
    ($($name:literal)*) => {
        [$(Starter { name: $name, hooks: "", cases: include_str!(concat!("init/", $name, ".yaml")) },)* CONTEXT]
    };
}

/// The only one that is no pack of rules.
const CONTEXT: Starter =
    Starter { name: "context", hooks: include_str!("init/context.toml"), cases: include_str!("init/context.yaml") };

/// All that can be named. The pack `lines` is used with each of them.
const STARTERS: [Starter; 14] = packs! {
    "agent-files" "cloud" "containers" "databases" "download-and-run" "exfiltration" "filesystem" "git" "interpreters"
    "packages" "permissions" "processes" "secrets"
};

impl Starter {
    /// Whether it is a pack of rules that comes with hookweave.
    fn is_pack(&self) -> bool {
        self.name != CONTEXT.name
    }
}

/// The policies that come with hookweave and that `init` uses by default: all.
pub(super) fn usual_policies() -> Vec<String> {
    STARTERS.iter().filter(|starter| starter.is_pack()).map(|starter| starter.name.to_owned()).collect()
}

const HOOKS: &str = "# The policy of every agent that works here. `hookweave list` shows it, `hookweave policies` what each name stands for.\nhookweave = 1\n";
const CASES: &str = "# `hookweave test` runs these cases.\nhooktest: 1\nfiles: [hookweave.toml]\ncases:\n";

/// A policy that uses more policies, and has more hooks at its end.
fn added(file: &Path, before: &str, uses: &[&str], hooks: &str) -> Result<String> {
    let read = |text: &str| -> Result<toml::Table> {
        toml::from_str(text.trim_start_matches('\u{FEFF}')).map_err(|why| {
            Failed::file(file, format!("cannot take more hooks: {}; write them as [[hooks]]", why.message()))
        })
    };
    let names = |top: &toml::Table| -> Vec<String> {
        let hooks = top.get("hooks").and_then(toml::Value::as_array).into_iter().flatten();
        hooks.filter_map(|hook| hook.get("name")?.as_str().map(str::to_owned)).collect()
    };
    let top = read(before)?;
    let known = names(&top);
    if let Some(name) = names(&read(hooks)?).iter().find(|name| known.contains(name)) {
        return Err(Failed::file(file, format!("has a hook `{name}` already; leave out the policy that brings it")));
    }
    let mut after = before.trim_end().to_owned();
    if !uses.is_empty() {
        after = with_policies(file, &after, &top, uses)?;
    }
    if !hooks.is_empty() {
        after = format!("{after}\n\n{hooks}");
    }
    if !after.ends_with('\n') {
        after.push('\n');
    }
    read(&after)?;
    Ok(after)
}

/// The lines that use policies.
fn line_of(uses: &[&str]) -> String {
    format!("policies = [{}]", uses.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", "))
}

/// A file that uses more policies: in its list if that is one line, else in a new line behind the version.
fn with_policies(file: &Path, before: &str, top: &toml::Table, uses: &[&str]) -> Result<String> {
    let pack = |name: &str| name.split(':').next().unwrap_or_default().to_owned();
    let Some(given) = top.get("policies") else {
        let is_version = |line: &&str| line.split('=').next().is_some_and(|key| key.trim() == "hookweave");
        let version = before.lines().find(is_version);
        let version = version.ok_or_else(|| Failed::file(file, "has no line `hookweave = 1`; add it"))?;
        return Ok(before.replacen(version, &format!("{version}\n{}", line_of(uses)), 1));
    };
    let used: Vec<&str> = given.as_array().into_iter().flatten().filter_map(toml::Value::as_str).collect();
    if let Some(name) = uses.iter().find(|name| used.iter().any(|used| pack(used) == **name)) {
        return Err(Failed::file(file, format!("uses the policy `{name}` already; leave out what brings it")));
    }
    let whole = line_of(&used);
    if !before.lines().any(|line| line.trim() == whole) {
        let more = uses.join(", ");
        return Err(Failed::file(file, format!("has a list of policies of its own form; add these to it: {more}")));
    }
    let all: Vec<&str> = used.iter().chain(uses).copied().collect();
    Ok(before.replacen(&whole, &line_of(&all), 1))
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
            approve(&store, &new)?;
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
    fn changes(&self) -> Result<(bool, Vec<Change>)> {
        let policies = self.policies.as_slice();
        let file = real_place(&self.cwd.join("hookweave.toml"), &self.cwd)?;
        let before = read(&file)?;
        if before.is_some() && policies.is_empty() {
            return Err(Failed::file(&file, "is there already; name what to add to it, such as --policy packages"));
        }
        let is_wanted = |starter: &&Starter| match policies {
            [] => starter.is_pack(),
            named => named.iter().any(|name| name == starter.name),
        };
        let starters: Vec<&Starter> = STARTERS.iter().filter(is_wanted).collect();
        let names: Vec<&str> = starters.iter().map(|starter| starter.name).collect();
        let uses: Vec<&str> = starters.iter().filter(|starter| starter.is_pack()).map(|starter| starter.name).collect();
        let hooks = starters.iter().map(|starter| starter.hooks).collect::<String>();
        let cases = format!("{CASES}{}", starters.iter().map(|starter| starter.cases).collect::<String>());
        let after = added(&file, before.as_deref().unwrap_or(HOOKS), &uses, &hooks)?;
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
        let (is_there, changes) = self.changes()?;
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

#[cfg(test)]
mod tests {
    use hookweave_host::config::policies::packs;

    use super::usual_policies;

    #[test]
    fn every_policy_is_used() {
        let all: Vec<&str> = packs().iter().map(|pack| pack.name).filter(|name| *name != "lines").collect();
        assert_eq!(usual_policies(), all);
    }
}
