//! The condition by which a hook is found among many, without asking each.

use super::Matcher;
use super::any_of::AnyOf;
use super::args::{ArgCondition, TextTest};
use super::rule::Rule;
use crate::pattern::{Names, Pattern};

/// A condition that must hold for the hook to be selected; others may have to hold too.
pub(crate) enum Key<'m> {
    /// A regular expression over the event's commands.
    Command(&'m str),
    /// A glob over the base names of its paths.
    BaseName(&'m globset::Glob),
    /// A glob over its paths.
    Path(&'m globset::Glob),
    /// One of these programs stands in a command line that is understood whole, or in code that it hands to an interpreter.
    Program(Vec<&'m str>),
    /// A test of the argument at a dotted path.
    Argument(&'m str, TextTest<'m>),
    /// Names of sessions.
    Session(&'m Names),
    /// Names of agents.
    Agent(&'m Names),
}

impl Matcher {
    /// The condition by which the hook is found; `None` if it has to be asked each time.
    pub(crate) fn key(&self) -> Option<Key<'_>> {
        if let Some(regex) = self.command.as_ref().and_then(Pattern::linear) {
            return Some(Key::Command(regex));
        }
        if let Some(path) = &self.path {
            let by_base_name = path.by_base_name();
            return Some(if by_base_name { Key::BaseName(path.glob()) } else { Key::Path(path.glob()) });
        }
        let programs = self.programs().map(Key::Program);
        let argument = || self.args.iter().find_map(ArgCondition::key).map(|(path, test)| Key::Argument(path, test));
        let session = || self.session.as_ref().map(Key::Session);
        let agent = || self.agent.as_ref().map(Key::Agent);
        programs.or_else(argument).or_else(session).or_else(agent)
    }

    /// The programs of all rules, or of what a policy's rule looks for; `None` if one of them is about something else.
    fn programs(&self) -> Option<Vec<&str>> {
        let each: Option<Vec<Vec<&str>>> = self.rules.iter().map(Rule::programs).collect();
        let of_rules = each.filter(|each| !each.is_empty()).map(|each| each.concat());
        of_rules.or_else(|| self.spec.any_of.as_ref().and_then(AnyOf::programs))
    }
}
