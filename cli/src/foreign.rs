//! What a person has for other agents: their hooks, which an agent can be let run too, and their permission rules, which
//! are no hooks.

use std::path::{Path, PathBuf};

use hookweave_host::config::load::{FoundFile, LoadOptions};
use hookweave_host::config::permissions::{PermissionList, permissions};
use hookweave_host::hook::Enforcement;
use hookweave_host::registry::HookInfo;

use crate::agents::Agent;
use crate::delegates;
use crate::failed::Result;
use crate::hook_file::is_guard_of;
use crate::policy::{Policy, Which, relative};
use crate::screen::count;

/// The hooks of one system other than the agent's own.
#[derive(Debug)]
pub(crate) struct ForeignHooks {
    /// The system's dialect.
    pub(crate) dialect: &'static str,
    hooks: usize,
    files: Vec<String>,
}

impl ForeignHooks {
    /// Those of every system but an agent's own that stand at the usual places of a project.
    pub(crate) fn find(agent: &Agent, project: &Path) -> Result<Vec<Self>> {
        Ok(Self::all(project)?.into_iter().filter(|hooks| hooks.dialect != agent.name).collect())
    }

    /// Those of every system.
    pub(crate) fn all(project: &Path) -> Result<Vec<Self>> {
        let which = Which { cwd: Some(project.to_path_buf()), ..Which::default() };
        let (policy, delegates) = delegates::load(&which.to_look_at())?;
        let mut all: Vec<Self> = Vec::new();
        for found in &policy.report.found {
            let own = delegates.iter().map(|delegate| delegate.entries_in(&found.file)).sum();
            let hooks = found.hooks.saturating_sub(own);
            if hooks == 0 || found.dialect == "hookweave" {
                continue;
            }
            let file = relative(&found.file, project);
            match all.iter_mut().find(|other| other.dialect == found.dialect) {
                Some(other) => {
                    other.hooks += hooks;
                    other.files.push(file);
                }
                None => all.push(Self { dialect: found.dialect, hooks, files: vec![file] }),
            }
        }
        Ok(all)
    }

    /// What makes a policy of them: `hookweave convert FILE --to hookweave > hookweave.toml`.
    pub(crate) fn conversion(&self) -> String {
        let text = |file| {
            format!(
                "`hookweave convert {file} --to hookweave > hookweave.toml` makes one of the hooks of {}",
                self.dialect
            )
        };
        self.files.first().map_or_else(String::new, text)
    }

    /// How many, whose, and where: `3 hooks of claude-code (.claude/settings.json)`.
    pub(crate) fn text(&self) -> String {
        format!("{} of {} ({})", count(self.hooks, "hook"), self.dialect, self.files.join(", "))
    }
}

/// The permission rules of a file that was found.
#[derive(Debug)]
pub(crate) struct Permissions {
    file: PathBuf,
    /// Whose they are.
    pub(crate) dialect: &'static str,
    lists: Vec<PermissionList>,
}

impl Permissions {
    /// Those of a policy's files of which no guard in force was made; of a file that cannot be read loading says so.
    pub(crate) fn of(policy: &Policy) -> Vec<Self> {
        let in_force = |hook: &HookInfo| hook.enabled && hook.enforcement == Enforcement::Enforce;
        let guards: Vec<HookInfo> = policy.registry.list().into_iter().filter(in_force).collect();
        let unguarded = |mut list: PermissionList| {
            let mut rules = std::mem::take(&mut list.rules);
            rules.retain(|rule| !guards.iter().any(|hook| is_guard_of(&list, rule, hook)));
            list.rules = rules;
            (!list.rules.is_empty()).then_some(list)
        };
        let of_file = |found: &FoundFile| {
            let options = LoadOptions { dialect: Some(found.dialect), scope: found.scope, ..LoadOptions::default() };
            let lists = permissions(&found.file, &options).ok()?;
            let lists: Vec<PermissionList> = lists.into_iter().filter_map(unguarded).collect();
            (!lists.is_empty()).then(|| Self { file: found.file.clone(), dialect: found.dialect, lists })
        };
        policy.report.found.iter().filter(|found| !found.broken).filter_map(of_file).collect()
    }

    /// What they are, that no hook of them runs, and what to do.
    pub(crate) fn text(&self, below: &Path) -> String {
        let file = relative(&self.file, below);
        let rules = rules_text(&self.lists);
        let fix = if self.lists.iter().any(PermissionList::can_be_guards) {
            format!("; `hookweave convert {file} --permissions` makes guards of them")
        } else {
            String::new()
        };
        format!("{file}: permission rules bind {} alone ({rules}){fix}", self.dialect)
    }
}

/// Permission rules by their lists: `permissions.deny Bash(curl *), Read(.env)`.
pub(crate) fn rules_text(lists: &[PermissionList]) -> String {
    let shown = |list: &PermissionList| format!("{} {}", list.name, list.rules.join(", "));
    lists.iter().map(shown).collect::<Vec<_>>().join("; ")
}
