//! Entries by which an agent asks `hookweave hook`: they are no hooks of their own, they are this policy once more.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hookweave_host::dialects;
use serde::Serialize;

use crate::agents::AGENTS;
use crate::document::read_text;
use crate::failed::Result;
use crate::hook_command::is_hook_of;
use crate::policy::{Policy, Which, relative};
use crate::reach::Reach;
use crate::screen::{DIM, Screen, count, shown, styled};
use crate::settings::Settings;

/// An agent's settings file that runs hookweave.
#[derive(Debug, Serialize)]
pub(crate) struct Delegate {
    /// The file.
    file: PathBuf,
    /// How many of its entries say so.
    entries: usize,
}

impl Delegate {
    /// How many of a file's entries run hookweave.
    pub(crate) fn entries_in(&self, file: &Path) -> usize {
        if self.file == file { self.entries } else { 0 }
    }

    /// Whether a file with so many hooks has no others.
    pub(crate) fn is_all_of(&self, file: &Path, hooks: usize) -> bool {
        self.file == file && self.entries == hooks
    }
}

/// Loads the selected hooks, without those that would ask for all of them again.
pub(crate) fn load(which: &Which) -> Result<(Policy, Vec<Delegate>)> {
    Policy::load(which).map(without_own)
}

/// The same for a project, which need not be where the hooks are.
pub(crate) fn load_for(which: &Which, project: &Path) -> Result<(Policy, Vec<Delegate>)> {
    Policy::load_for(which, project).map(without_own)
}

fn without_own(mut policy: Policy) -> (Policy, Vec<Delegate>) {
    let mut files: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for hook in policy.registry.list() {
        if let Some(origin) = hook.origin.as_ref().filter(|origin| asks_hookweave(&origin.runs)) {
            *files.entry(origin.file.clone()).or_default() += 1;
        }
    }
    policy.leave_out(|hook| hook.origin.as_ref().is_some_and(|origin| asks_hookweave(&origin.runs)));
    policy.report.lost.retain(|lost| !asks_hookweave(&lost.approval.runs));
    policy.report.untrusted.retain(|waiting| {
        let is_one = asks_hookweave(&waiting.approval.runs);
        if is_one {
            *files.entry(PathBuf::from(&waiting.approval.file)).or_default() += 1;
        }
        !is_one
    });
    (policy, files.into_iter().map(|(file, entries)| Delegate { file, entries }).collect())
}

/// The command lines by which agents ask hookweave about an event in a project, as far as their settings can be read.
pub(crate) fn lines_in(project: &Path, event: &str) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    for agent in AGENTS.iter() {
        let Ok(dialect) = dialects::named(agent.name) else { continue };
        let is_asked =
            |name: &str| dialect.place(name, None).is_some_and(|place| place.is_ok_and(|place| place.event == event));
        for reach in [Reach::Managed, Reach::User, Reach::Project, Reach::Local] {
            let Ok((file, _)) = agent.file(reach, project) else { continue };
            let Ok(settings) = read_text(&file).map(|text| Settings::read(&text)) else { continue };
            let own = settings.iter().flat_map(|settings| settings.own(agent));
            lines.extend(own.filter(|entry| is_asked(&entry.event)).map(|entry| entry.command));
        }
    }
    lines
}

/// Whether a command line is `hookweave hook` for any agent.
fn asks_hookweave(line: &str) -> bool {
    dialects::ALL.iter().any(|dialect| is_hook_of(line, dialect.name()))
}

/// Says which files let an agent ask hookweave.
pub(crate) fn show(screen: Screen<'_>, delegates: &[Delegate], below: &Path) -> Result<()> {
    for Delegate { file, entries } in delegates {
        let entries = count(*entries, "entry");
        let what = format!("{} runs hookweave itself, in {entries}", shown(&relative(file, below)));
        writeln!(screen, "{}", styled(DIM, &what))?;
    }
    Ok(())
}
