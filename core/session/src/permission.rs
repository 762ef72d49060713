//! What the host lets an agent do before any hook is asked.

use serde::Serialize;

use hookweave_machine::error::{Code, Error};
use hookweave_machine::pattern::Names;
use hookweave_machine::payload::{Host, Kind};
use hookweave_machine::tool::names::in_other_case;

/// What the host makes of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Permission {
    /// It runs.
    #[default]
    Allow,
    /// A person decides, unless a hook allows it.
    Ask,
    /// It never runs, even if a hook allows it.
    Deny,
}

impl Permission {
    /// The permission's name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    /// The permission of a name.
    pub fn named(name: &str) -> Result<Self, Error> {
        match name {
            "allow" => Ok(Self::Allow),
            "ask" => Ok(Self::Ask),
            "deny" => Ok(Self::Deny),
            _ => Err(Error::new(Code::InvalidOption, format!("`{name}` is no permission; known are allow, ask, deny"))),
        }
    }
}

/// The permission of some tools.
#[derive(Debug, Clone)]
struct Rule {
    names: Names,
    /// The known tools of which it has the names in another case.
    usual: Vec<&'static str>,
    permission: Permission,
}

impl Rule {
    fn names(&self, tool: &str) -> bool {
        self.names.matches(tool) || self.usual.contains(&tool)
    }
}

/// The permissions of tools, by name or glob.
#[derive(Debug, Clone, Default)]
pub struct Permissions {
    rules: Vec<Rule>,
    otherwise: Permission,
}

impl Permissions {
    /// The same permission for every tool.
    #[must_use]
    pub const fn all(permission: Permission) -> Self {
        Self { rules: Vec::new(), otherwise: permission }
    }

    /// Adds a rule for tools, by names and globs split on `|`.
    pub fn add(&mut self, tools: &str, permission: Permission) -> Result<(), Error> {
        let names = Names::of_tools(tools, true)
            .map_err(|why| Error::new(Code::InvalidOption, format!("the permission of `{tools}`: {why}")))?;
        let usual = tools.split('|').filter_map(|name| in_other_case(name.trim())).collect();
        self.rules.push(Rule { names, usual, permission });
        Ok(())
    }

    /// Reads one word for every tool, or an object of tools and words.
    pub(super) fn read<'v, H: Host>(host: &'v H, view: &H::View<'v>) -> Result<Self, Error> {
        let word = |view: &H::View<'v>| match host.kind(view) {
            Kind::Text(word) => Permission::named(&word).map_err(|error| refused(&format!(": {}", error.message()))),
            kind => Err(refused(&format!(" must be allow, ask or deny, is {}", kind.words()))),
        };
        if host.kind(view) != Kind::Object {
            return Ok(Self::all(word(view)?));
        }
        let mut permissions = Self::default();
        for tools in host.keys(view).map_err(|bad| refused(&format!(": {bad}")))? {
            let Some(given) = host.get(view, &tools) else { continue };
            match tools.as_str() {
                "*" => permissions.otherwise = word(&given)?,
                _ => permissions.add(&tools, word(&given)?)?,
            }
        }
        Ok(permissions)
    }

    /// What holds for a tool of these names: the strictest of the rules that name it by any of them.
    pub(super) fn of(&self, tool: &str, names: impl FnOnce() -> Vec<String>) -> Permission {
        if self.rules.is_empty() {
            return self.otherwise;
        }
        let strictness = |permission: &Permission| match permission {
            Permission::Allow => 0,
            Permission::Ask => 1,
            Permission::Deny => 2,
        };
        let known = names();
        let names_it = |rule: &&Rule| rule.names(tool) || known.iter().any(|name| rule.names(name));
        let named = self.rules.iter().filter(names_it).map(|rule| rule.permission);
        named.max_by_key(strictness).unwrap_or(self.otherwise)
    }
}

fn refused(why: &str) -> Error {
    Error::new(Code::InvalidOption, format!("session: `permissions`{why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strictest_rule_holds() -> Result<(), Error> {
        let mut permissions = Permissions::all(Permission::Ask);
        permissions.add("Read|Grep", Permission::Allow)?;
        permissions.add("mcp__*", Permission::Deny)?;
        permissions.add("mcp__files__read", Permission::Allow)?;
        assert_eq!(permissions.of("Read", Vec::new), Permission::Allow);
        assert_eq!(permissions.of("mcp__files__read", Vec::new), Permission::Deny);
        assert_eq!(permissions.of("Bash", Vec::new), Permission::Ask);
        assert_eq!(permissions.of("shell", || vec!["Bash".to_owned(), "mcp__x".to_owned()]), Permission::Deny);
        for (tools, why) in
            [("Read||Write", "empty name"), ("default", "`*`"), ("bahs", "`Bash`"), ("[a-z]*", "tool_pattern")]
        {
            let refused = permissions.add(tools, Permission::Deny).unwrap_err();
            assert!(refused.message().contains(why), "{refused}");
        }
        assert!(Permission::named("maybe").is_err());
        Ok(())
    }
}
