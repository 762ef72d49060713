//! `hookweave install` and `hookweave uninstall`: an agent's settings entry for `hookweave hook`.

mod servers;

use std::path::{Path, PathBuf};

use clap::Args;

use crate::agent_approval::needed;
use crate::agent_shell;
use crate::agents::{Agent, agent, agents_help};
use crate::auditing::AuditArgs;
use crate::change::{Change, How, can_ask, is_answered_yes, make, read, real_place};
use crate::commands::applies::{Applies, Entry};
use crate::commands::guarding::{Required, Untrusted, has_hooks_of};
use crate::commands::installed::{self, Written};
use crate::commands::trust::store;
use crate::failed::{Failed, Result, Verdict};
use crate::foreign::{ForeignHooks, Permissions};
use crate::hook_command::quoted;
use crate::own_program::on_path;
use crate::plugins::{PluginAgent, package_for, plugin_agent};
use crate::policy::{Policy, Which};
use crate::reach::Reach;
use crate::screen::{BOLD, DIM, Screen, WARN, count, shown, styled};
use crate::settings::Settings;

/// The option by which a project without an approved hook is refused.
const REQUIRES: &str = " --require-policy";

/// The option by which a user without a hook of their own is refused.
const REQUIRES_OWN: &str = " --require-policy=user";

/// The option by which a machine without a hook of its administrator is refused.
const REQUIRES_MANAGED: &str = " --require-policy=managed";

/// What this program is called.
const NAME: &str = "hookweave";

/// How often an installation is repeated because another process wrote the file meanwhile.
const MAX_TRIES: usize = 20;

/// Make hookweave an agent's hook command, in the agent's own settings
#[derive(Debug, Args)]
#[command(after_help = format!("\
The change is shown first. Comments and layout of the file stay, and so do all other hooks in it.
{}", agents_help()))]
pub(crate) struct Install {
    #[command(flatten)]
    target: Target,

    /// Install for this event, by the agent's name, instead of the usual ones; may be repeated
    #[arg(long = "event", value_name = "NAME", conflicts_with = "mcp")]
    events: Vec<String>,

    /// Also run hooks of this dialect or scope, beside hookweave.toml; may be repeated. By default those of other
    /// systems that are found; `hookweave` alone leaves them out
    #[arg(long = "source", value_name = "NAME")]
    sources: Vec<String>,

    /// What hooks without an approval do
    #[arg(long, value_enum, default_value_t)]
    untrusted: Untrusted,

    /// Seconds that the agent waits for a hook; by default the agent's own limit
    #[arg(long, value_name = "SECONDS", conflicts_with = "mcp")]
    timeout: Option<f64>,

    /// How the agent starts this program; by default its name if that is on PATH, else its path
    #[arg(long, value_name = "COMMAND")]
    program: Option<String>,

    #[command(flatten)]
    audit: AuditArgs,

    #[command(flatten)]
    how: How,
}

/// Remove hookweave's entries from an agent's settings
#[derive(Debug, Args)]
#[command(after_help = format!("\
The change is shown first. What is empty without the entries goes with them; all else stays as it is, to the byte.
{}", agents_help()))]
pub(crate) struct Uninstall {
    #[command(flatten)]
    target: Target,

    #[command(flatten)]
    how: How,
}

#[derive(Debug, Args)]
struct Target {
    /// The agent: claude-code, codex, gemini-cli, cursor, …
    #[arg(value_name = "AGENT", required_unless_present_any = ["agent", "mcp"])]
    named: Option<String>,

    /// In place of an agent the servers in an MCP client's configuration: .mcp.json, .cursor/mcp.json, …
    #[arg(long, value_name = "FILE", conflicts_with_all = ["named", "agent", "scope"])]
    mcp: Option<PathBuf>,

    /// The agent, as an option
    #[arg(long, value_name = "AGENT", conflicts_with = "named")]
    agent: Option<String>,

    /// Which settings file
    #[arg(long, value_enum, default_value_t)]
    scope: Reach,

    /// The project's directory
    #[arg(short = 'C', long = "cwd", value_name = "DIR", default_value = ".")]
    cwd: PathBuf,
}

impl Target {
    /// The agent's name.
    fn name(&self) -> &str {
        // One of the two is there.
        self.named.as_ref().or(self.agent.as_ref()).map_or("", String::as_str)
    }

    /// The agent, its file, and the file's content.
    fn open(&self) -> Result<Opened<&'static Agent>> {
        let agent = agent(self.name())?;
        self.opened(agent, |project| agent.file(self.scope, project))
    }

    /// The same of an agent that loads plugins, if it is one.
    fn open_plugin(&self) -> Result<Option<Opened<&'static PluginAgent>>> {
        let Some(agent) = plugin_agent(self.name()) else { return Ok(None) };
        self.opened(agent, |project| agent.file(self.scope, project)).map(Some)
    }

    fn opened<A>(&self, agent: A, place: impl Fn(&Path) -> Result<(PathBuf, PathBuf)>) -> Result<Opened<A>> {
        if !self.cwd.is_dir() {
            return Err(Failed::file(&self.cwd, "is no directory; name the project with --cwd"));
        }
        let (file, within) = place(&self.cwd)?;
        if self.scope == Reach::User && !within.exists() {
            std::fs::create_dir_all(&within).map_err(|error| Failed::file(&within, error))?;
        }
        let file = real_place(&file, &within)?;
        let before = read(&file)?;
        Ok(Opened { agent, file, within, before })
    }
}

/// An agent's settings file as it is.
struct Opened<A> {
    agent: A,
    file: PathBuf,
    /// The directory that it belongs to.
    within: PathBuf,
    before: Option<String>,
}

impl Install {
    /// Runs the command.
    pub(crate) fn run(&self, screen: Screen<'_>) -> Result<Verdict> {
        agent_shell::refuse("install", self.how)?;
        if let Some(file) = &self.target.mcp {
            return self.servers(screen, file);
        }
        if let Some(opened) = self.target.open_plugin()? {
            return self.run_plugin(screen, opened);
        }
        let Opened { agent, .. } = self.target.open()?;
        let events = self.events(agent)?;
        let sources = if self.sources.is_empty() { self.found_sources(screen, agent)? } else { self.sources.clone() };
        let command = self.command(agent, &sources)?;
        let entries: Vec<Entry> = events.iter().map(|event| (event.clone(), command.clone())).collect();
        self.warn_of_refusal(screen, agent, &entries)?;
        let (mut written, mut is_as_wanted) = (PathBuf::new(), false);
        let is_made = again_if_changed(self.how, || {
            let Opened { file, before, .. } = self.target.open()?;
            written.clone_from(&file);
            let refuse = |why: String| Failed::file(&file, why);
            let mut settings = Settings::read(before.as_deref().unwrap_or_default()).map_err(refuse)?;
            for event in &events {
                settings.add(agent, event, &agent.entry(event, &command, self.timeout)).map_err(refuse)?;
            }
            let after = Some(settings.text());
            let change = Change { file, before, after, executable: false, is_ours: false };
            is_as_wanted = change.is_empty();
            let made = make(screen, std::slice::from_ref(&change), self.how);
            Ok((made, change))
        })?;
        if is_made || is_as_wanted && !self.how.dry_run {
            let commands = entries.iter().cloned().collect();
            keep(screen, agent.name, &written, Some(&commands))?;
        }
        if is_made {
            self.say_next(screen, agent, &entries)?;
        }
        Ok(Verdict::Fine)
    }

    /// Writes the plugin of an agent that loads one.
    fn run_plugin(&self, screen: Screen<'_>, opened: Opened<&PluginAgent>) -> Result<Verdict> {
        let Opened { agent, file, before, .. } = opened;
        self.refuse_options_of_commands(agent)?;
        if before.as_deref().is_some_and(|text| !agent.is_asked_by(text)) {
            return Err(Failed::file(&file, "is a plugin of another kind; move it away"));
        }
        let change = Change { file, before, after: Some(agent.text.to_owned()), executable: false, is_ours: true };
        if make(screen, std::slice::from_ref(&change), self.how)? {
            if package_for(&change.file).is_none() {
                warn(screen, &agent.how_to_have_the_package(&change.file))?;
            }
            keep(screen, agent.name, &change.file, Some(&Written::new()))?;
            writeln!(screen, "{} asks hookweave from its next session.", agent.name)?;
        }
        Ok(Verdict::Fine)
    }

    /// What a command line in an agent's settings says, no plugin does.
    fn refuse_options_of_commands(&self, agent: &PluginAgent) -> Result<()> {
        let given = [
            ("--event", !self.events.is_empty()),
            ("--source", !self.sources.is_empty()),
            ("--untrusted", self.untrusted == Untrusted::Block),
            ("--timeout", self.timeout.is_some()),
            ("--program", self.program.is_some()),
            ("--audit", !self.audit.option().is_empty()),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            None => Ok(()),
            Some((option, _)) => {
                let why = format!("{option} is for agents that run a command; {} loads a plugin", agent.name);
                Err(Failed::new(format!("{why}, whose file takes options: docs/plugins.md")))
            }
        }
    }

    /// The other systems whose hooks the agent is to run too: all that are found, unless a person who can be asked says no.
    fn found_sources(&self, screen: Screen<'_>, agent: &Agent) -> Result<Vec<String>> {
        let asks = !self.how.yes && !self.how.dry_run && can_ask();
        let mut taken = Vec::new();
        for hooks in ForeignHooks::find(agent, &self.target.cwd)? {
            let what = hooks.text();
            if asks {
                if !is_answered_yes(&format!("Found {what}. Let {} run them too?", agent.name))? {
                    continue;
                }
            } else {
                let note = "--source hookweave leaves them out";
                writeln!(screen, "{} also runs {}; {}", agent.name, shown(&what), styled(DIM, note))?;
            }
            taken.push(hooks.dialect.to_owned());
        }
        Ok(taken)
    }

    fn events(&self, agent: &Agent) -> Result<Vec<String>> {
        if self.events.is_empty() {
            return Ok(agent.events.iter().map(|event| (*event).to_owned()).collect());
        }
        let known = hookweave_host::dialects::named(agent.name)?.events();
        for event in &self.events {
            if !known.contains(&event.as_str()) {
                let hint = hookweave_host::error::did_you_mean(event, known.iter().copied());
                let known = known.join(", ");
                return Err(Failed::new(format!("{} has no event `{event}`{hint}; it has {known}", agent.name)));
            }
        }
        Ok(self.events.clone())
    }

    fn command(&self, agent: &Agent, sources: &[String]) -> Result<String> {
        let options = self.options(sources, self.target.scope)?;
        let mut command = format!("{} hook --agent {}{options}", self.program(), agent.name);
        if let Some(seconds) = self.timeout {
            if !(seconds.is_finite() && seconds > 0.0) {
                return Err(Failed::new("--timeout must be a number of seconds greater than 0"));
            }
            // A little less than the agent waits: a hook that is killed decides nothing.
            command = format!("{command} --deadline {}", (seconds * 900.0).round() / 1000.0);
        }
        Ok(command)
    }

    /// Which hooks decide, and what is refused without them, as a command line has it.
    fn options(&self, sources: &[String], reach: Reach) -> Result<String> {
        let mut options = String::new();
        if !sources.is_empty() {
            // Said outright, because a source that is named takes the place of all that is usual.
            let others = sources.iter().map(String::as_str).filter(|source| *source != "hookweave");
            for source in std::iter::once("hookweave").chain(others) {
                if !source.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-') {
                    return Err(Failed::new(format!("--source `{source}` is neither a dialect nor a scope")));
                }
                options = format!("{options} --source {source}");
            }
        }
        if self.untrusted == Untrusted::Block {
            options += " --untrusted block";
        }
        options += &self.audit.option();
        // Who is set up for a policy and has none lost it to somebody; nothing tells that from the files.
        let mut read = vec!["hookweave".to_owned()];
        read.extend(sources.iter().cloned());
        let which = Which { cwd: Some(self.target.cwd.clone()), sources: read, ..Which::default() };
        options.push_str(requires(reach, &Policy::load(&which.to_look_at())?).unwrap_or_default());
        Ok(options)
    }

    /// How the agent starts this program.
    fn program(&self) -> String {
        self.program.clone().unwrap_or_else(|| own_program().map_or_else(|| NAME.to_owned(), |own| quoted(&own)))
    }

    /// Says before anything is written that without a policy every call would be refused.
    fn warn_of_refusal(&self, screen: Screen<'_>, agent: &Agent, entries: &[Entry]) -> Result<()> {
        let applies = Applies::of(agent, entries, &self.target.cwd, None)?;
        if !requires_policy(entries) || !applies.is_none() || applies.waiting > 0 {
            return Ok(());
        }
        let own = ForeignHooks::all(&self.target.cwd)?.into_iter().find(|hooks| hooks.dialect == agent.name);
        let own = own.map(|own| format!(", {}", own.conversion())).unwrap_or_default();
        let what = "no hook applies, so every call will be refused: `hookweave init` writes a policy";
        warn(screen, &format!("{}: {what}{own}", agent.name))
    }

    fn say_next(&self, screen: Screen<'_>, agent: &Agent, entries: &[Entry]) -> Result<()> {
        if self.program.is_none() && !on_path(NAME) {
            let what = format!(
                "`{NAME}` is not on your PATH, so the entries name {}; where it stands elsewhere, put it on PATH and install again",
                self.program()
            );
            warn(screen, &what)?;
        }
        if entries.iter().any(|(_, line)| line.contains(REQUIRES_MANAGED)) {
            writeln!(screen, "{} is blocked in every project if this machine's policy goes", agent.name)?;
        } else if entries.iter().any(|(_, line)| line.contains(REQUIRES_OWN)) {
            let what = "is blocked in every project if your own policy goes";
            writeln!(screen, "{} {what}; with `hookweave uninstall {0} --scope user` it no longer is", agent.name)?;
        } else if entries.iter().any(|(_, line)| line.contains(REQUIRES)) {
            let what = format!("In a fresh clone {} is blocked until its hooks are approved there:", agent.name);
            writeln!(screen, "{what} {}", styled(BOLD, "hookweave trust approve"))?;
        }
        let project = &self.target.cwd;
        let applies = Applies::of(agent, entries, project, None)?;
        if !applies.is_none() {
            writeln!(screen, "{}", shown(&applies.text(project)))?;
        } else if applies.waiting == 0 && !requires_policy(entries) {
            warn(screen, "no hook applies, so nothing is guarded; `hookweave init` writes a policy")?;
        }
        if applies.waiting > 0 {
            let what = format!("{} will not run until you approve:", count(applies.waiting, "hook"));
            writeln!(screen, "{} {}", styled(WARN, &what), styled(BOLD, "hookweave trust approve"))?;
        }
        let which = Which { cwd: Some(project.clone()), ..Which::default() };
        for permissions in Permissions::of(&Policy::load(&which.to_look_at())?) {
            if permissions.dialect != agent.name {
                warn(screen, &permissions.text(project))?;
            }
        }
        writeln!(screen, "{} runs hookweave from its next session.", agent.name)?;
        needed(agent, self.target.scope).map_or(Ok(()), |needed| warn(screen, needed))
    }
}

fn requires_policy(entries: &[Entry]) -> bool {
    entries.iter().any(|(_, line)| line.contains(REQUIRES))
}

/// The option by which an entry requires a policy: that of the user or the machine where there is one, and otherwise the
/// project's, except of a user who has none.
pub(crate) fn requires(reach: Reach, policy: &Policy) -> Option<&'static str> {
    match reach {
        Reach::User => has_hooks_of(policy, Required::User).then_some(REQUIRES_OWN),
        Reach::Managed if has_hooks_of(policy, Required::Managed) => Some(REQUIRES_MANAGED),
        Reach::Project | Reach::Local | Reach::Managed => Some(REQUIRES),
    }
}

/// Repeats a change as long as another process writes its file between the look and the write: two installations at
/// once both count. Where a person was asked, they are shown what is different now by running the command again.
fn again_if_changed(how: How, mut attempt: impl FnMut() -> Result<(Result<bool>, Change)>) -> Result<bool> {
    for _ in 1..MAX_TRIES {
        match attempt()? {
            (Err(_), change) if how.yes && read(&change.file)? != change.before => {}
            (made, _) => return made,
        }
    }
    attempt()?.0
}

/// This program, if it is not found by its name.
fn own_program() -> Option<PathBuf> {
    std::env::current_exe().ok().filter(|_| !on_path(NAME))
}

/// Keeps where hookweave is installed; without the record a loss of the entries is not missed, and a warning says so.
fn keep(screen: Screen<'_>, agent: &str, file: &Path, written: Option<&Written>) -> Result<()> {
    installed::keep(agent, file, written)
        .or_else(|why| warn(screen, &format!("`doctor` will not miss lost entries: {why}")))
}

fn warn(screen: Screen<'_>, what: &str) -> Result<()> {
    Ok(writeln!(screen, "{} {}", styled(WARN, "warning:"), shown(what))?)
}

impl Uninstall {
    /// Runs the command.
    pub(crate) fn run(&self, screen: Screen<'_>) -> Result<Verdict> {
        agent_shell::refuse("uninstall", self.how)?;
        if let Some(file) = &self.target.mcp {
            return self.servers(screen, file);
        }
        if let Some(opened) = self.target.open_plugin()? {
            return self.run_plugin(screen, opened);
        }
        let Opened { agent, file, within, before } = self.target.open()?;
        let Some(text) = &before else {
            self.forget(screen, agent.name, &file)?;
            writeln!(screen, "Nothing to change: {} is not there.", shown(&file.display().to_string()))?;
            return Ok(Verdict::Fine);
        };
        let refuse = |why: String| Failed::file(&file, why);
        let mut settings = Settings::read(text).map_err(refuse)?;
        let taken = settings.remove(agent).map_err(refuse)?;
        if taken == 0 {
            self.forget(screen, agent.name, &file)?;
            writeln!(screen, "Nothing to change: {} has no entry for hookweave.", shown(&file.display().to_string()))?;
            return Ok(Verdict::Fine);
        }
        let after = Some(settings.text()).filter(|_| !settings.is_bare(agent));
        writeln!(screen, "{} of {}", count(taken, "entry"), agent.name)?;
        let is_gone = after.is_none();
        let change = Change { file, before, after, executable: false, is_ours: false };
        if make(screen, std::slice::from_ref(&change), self.how)? {
            self.forget(screen, agent.name, &change.file)?;
            if is_gone {
                take_empty_folders_away(&change.file, &within);
            }
            self.say_approvals(screen)?;
        }
        Ok(Verdict::Fine)
    }

    /// Takes the plugin of an agent away.
    fn run_plugin(&self, screen: Screen<'_>, opened: Opened<&PluginAgent>) -> Result<Verdict> {
        let Opened { agent, file, within, before } = opened;
        if !before.as_deref().is_some_and(|text| agent.is_asked_by(text)) {
            self.forget(screen, agent.name, &file)?;
            writeln!(screen, "Nothing to change: {} is no plugin of hookweave.", shown(&file.display().to_string()))?;
            return Ok(Verdict::Fine);
        }
        let change = Change { file, before, after: None, executable: false, is_ours: true };
        if make(screen, std::slice::from_ref(&change), self.how)? {
            self.forget(screen, agent.name, &change.file)?;
            take_empty_folders_away(&change.file, &within);
            self.say_approvals(screen)?;
        }
        Ok(Verdict::Fine)
    }

    /// Keeps that a file is to have no entries.
    fn forget(&self, screen: Screen<'_>, agent: &str, file: &Path) -> Result<()> {
        if self.how.dry_run { Ok(()) } else { keep(screen, agent, file, None) }
    }

    /// Approvals are given to hooks, which other agents may run too: they stay, and this says so.
    fn say_approvals(&self, screen: Screen<'_>) -> Result<()> {
        let Ok(project) = std::fs::canonicalize(&self.target.cwd) else { return Ok(()) };
        let Ok(approved) = store(&Which::default()).and_then(|store| Ok(store.approved()?)) else { return Ok(()) };
        let number = approved.values().filter(|approval| project.starts_with(&approval.project)).count();
        if number > 0 {
            let what = format!("{} of this project stay:", count(number, "approval"));
            writeln!(screen, "{what} {}", styled(BOLD, "hookweave trust revoke --project"))?;
        }
        Ok(())
    }
}

/// The folders that held only a file which is gone, up to the directory that it belonged to.
fn take_empty_folders_away(file: &Path, within: &Path) {
    let Ok(within) = std::fs::canonicalize(within) else { return };
    let below = file.ancestors().skip(1).take_while(|folder| folder.starts_with(&within) && *folder != within);
    // One with anything in it stays, and so do those above it.
    for folder in below {
        if std::fs::remove_dir(folder).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use hookweave_host::hook::Scope;

    use super::*;

    #[test]
    fn a_managed_installation_requires_the_policy_of_the_machine_where_there_is_one() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("hookweave.toml");
        std::fs::write(&file, "hookweave = 1\npolicies = [\"git\"]\n").unwrap();
        let policy = |scope| Policy::of_file(&file, scope).unwrap();
        let of = |reach, scope| requires(reach, &policy(scope));
        assert_eq!(of(Reach::Managed, Scope::Managed), Some(REQUIRES_MANAGED));
        assert_eq!(of(Reach::Managed, Scope::Project), Some(REQUIRES));
        assert_eq!(of(Reach::Project, Scope::Managed), Some(REQUIRES));
        assert_eq!((of(Reach::User, Scope::User), of(Reach::User, Scope::Project)), (Some(REQUIRES_OWN), None));
        assert!(has_hooks_of(&policy(Scope::Managed), Required::Managed));
        assert!(
            !has_hooks_of(&policy(Scope::Project), Required::Managed),
            "the policy of a project is not the machine's"
        );
    }
}
