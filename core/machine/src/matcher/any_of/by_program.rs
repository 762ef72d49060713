//! Rules by the program whose commands they are about: of thousands, those of a line's programs are compiled.

use std::sync::Arc;

use super::Lazily;
use crate::matcher::rule::{Rule, program_of};
use crate::tool::{Likeness, Need};
use hookweave_command::Reading;

#[derive(Debug)]
pub(super) struct ByProgram {
    /// Sorted by the program.
    groups: Vec<Group>,
    /// Those about anything else.
    others: Vec<Rule>,
    /// Speaks of the tools of which the groups do.
    shells: Rule,
}

/// The rules about one program.
#[derive(Debug)]
struct Group {
    program: &'static str,
    texts: Vec<&'static str>,
    rules: Lazily<Vec<Rule>>,
}

impl ByProgram {
    pub(super) fn new(texts: &[&'static str]) -> Result<Self, String> {
        let mut of_programs = Vec::with_capacity(texts.len());
        let mut others = Vec::new();
        for text in texts {
            match program_of(text) {
                Some(program) => of_programs.push((program, *text)),
                None => others.push(compile(text)?),
            }
        }
        of_programs.sort_by_key(|(program, _)| *program);
        let of_one = of_programs.chunk_by(|(one, _), (other, _)| one == other);
        let group = |of_one: &[(&'static str, &'static str)]| {
            let (program, _) = of_one.first()?;
            let texts = of_one.iter().map(|(_, text)| *text).collect();
            Some(Group { program, texts, rules: Lazily::new() })
        };
        Ok(Self { groups: of_one.filter_map(group).collect(), others, shells: compile("Bash")? })
    }

    /// The rules that may say something of these lines, and those about other things than programs; nothing if one of them
    /// cannot be read.
    pub(super) fn of(&self, lines: &[Arc<Reading>]) -> Option<Vec<&Rule>> {
        let mut rules: Vec<&Rule> = self.others.iter().collect();
        if self.groups.is_empty() {
            return Some(rules);
        }
        let mut programs: Vec<&str> = lines.iter().flat_map(|line| line.programs()).map(String::as_str).collect();
        programs.sort_unstable();
        programs.dedup();
        for program in programs {
            let at = self.groups.binary_search_by(|group| group.program.cmp(program));
            if let Some(group) = at.ok().and_then(|at| self.groups.get(at)) {
                rules.extend(group.rules.get(|| group.texts.iter().map(|text| compile(text)).collect())?);
            }
        }
        Some(rules)
    }

    /// The programs; nothing if there are rules about anything else, or none.
    pub(super) fn programs(&self) -> Option<Vec<&str>> {
        let is_key = self.others.is_empty() && !self.groups.is_empty();
        is_key.then(|| self.groups.iter().map(|group| group.program).collect())
    }

    pub(super) fn is_about(&self, need: Need) -> bool {
        need == Need::Command && !self.groups.is_empty() || self.others.iter().any(|rule| rule.is_about(need))
    }

    /// Whether a tool of these names may be selected.
    pub(super) fn speaks_of(&self, names: &[&str], likeness: Option<Likeness>) -> bool {
        let alike = |rule: &Rule| likeness.is_some_and(|likeness| rule.speaks_of_alike(likeness));
        !self.groups.is_empty() && (likeness.is_some() || self.shells.speaks_of(names))
            || self.others.iter().any(|rule| rule.speaks_of(names) || alike(rule))
    }
}

fn compile(text: &str) -> Result<Rule, String> {
    Rule::new(text, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rules: &ByProgram, line: &str) -> Option<usize> {
        Some(rules.of(&[hookweave_command::read(line)])?.len())
    }

    #[test]
    fn only_the_rules_of_a_lines_programs_are_compiled() {
        let rules = ByProgram::new(&["Bash(rm -r *)", "Bash(git push *)", "Bash(git gc)", "Bash(mkfs* *)"]).unwrap();
        let compiled = || rules.groups.iter().filter(|group| group.rules.0.get().is_some()).count();
        assert_eq!((of(&rules, "npm test"), compiled()), (Some(1), 0));
        assert_eq!((of(&rules, "sudo /usr/bin/git gc | cat"), compiled()), (Some(3), 1));
        // Not all of it is understood.
        assert_eq!((of(&rules, "rm -r x; eval \"$X\""), compiled()), (Some(2), 2));
    }

    #[test]
    fn a_rule_that_cannot_be_read_is_noticed_when_it_is_needed() {
        let rules = ByProgram::new(&["Bash(git push *"]).unwrap();
        assert_eq!((of(&rules, "npm test"), of(&rules, "git push")), (Some(0), None));
        assert!(ByProgram::new(&["Bash(git* push"]).is_err());
    }
}
