//! Variables: `$x`, `${x:-y}`, `${x%/*}`.

use brush_parser::word::{Parameter, ParameterExpr as Expr, SubstringMatchKind};

use super::Paper;
use super::fields::Field;

/// Variables that usually hold an absolute path.
const ABSOLUTE: &[&str] = &["HOME", "OLDPWD", "PATH", "PWD", "SHELL"];

impl Paper {
    /// What a variable is filled in as; nothing where that is known only when the line runs.
    pub(super) fn parameter(&mut self, expression: &Expr) -> Option<Field> {
        match expression {
            Expr::Parameter { parameter, indirect: false }
            | Expr::IndicateErrorIfNullOrUnset { parameter, indirect: false, .. } => self.variable(parameter),
            Expr::Parameter { parameter, indirect: true } => {
                let name = self.variable(parameter)?.value?;
                self.element(&name, 0)
            }
            // What is set elsewhere may be empty.
            Expr::UseDefaultValues { parameter, indirect: false, default_value, .. }
            | Expr::AssignDefaultValues { parameter, indirect: false, default_value, .. } => {
                let known = self.variable(parameter).filter(|field| field.value.as_deref() != Some(""));
                Some(known.unwrap_or_else(|| self.single(default_value.as_deref().unwrap_or_default())))
            }
            Expr::UseAlternativeValue { parameter, indirect: false, alternative_value, .. } => {
                self.variable(parameter)?;
                Some(self.single(alternative_value.as_deref().unwrap_or_default()))
            }
            Expr::RemoveSmallestSuffixPattern { parameter, indirect: false, pattern } => {
                self.cut(parameter, pattern.as_deref(), &Cut { at_end: true, is_long: false })
            }
            Expr::RemoveLargestSuffixPattern { parameter, indirect: false, pattern } => {
                self.cut(parameter, pattern.as_deref(), &Cut { at_end: true, is_long: true })
            }
            Expr::RemoveSmallestPrefixPattern { parameter, indirect: false, pattern } => {
                self.cut(parameter, pattern.as_deref(), &Cut { at_end: false, is_long: false })
            }
            Expr::RemoveLargestPrefixPattern { parameter, indirect: false, pattern } => {
                self.cut(parameter, pattern.as_deref(), &Cut { at_end: false, is_long: true })
            }
            Expr::Substring { parameter, indirect: false, offset, length } => {
                let letters = match length {
                    Some(length) => number(&length.value)?,
                    None => usize::MAX,
                };
                self.part(parameter, number(&offset.value)?, letters)
            }
            Expr::ReplaceSubstring { parameter, indirect: false, pattern, replacement, match_kind } => {
                let value = self.variable(parameter)?.value?;
                let by = self.single(replacement.as_deref().unwrap_or_default()).value?;
                let pattern = Some(pattern.as_str()).filter(|pattern| !pattern.contains(['*', '?', '[', '$', '\\']))?;
                let value = match match_kind {
                    SubstringMatchKind::FirstOccurrence => value.replacen(pattern, &by, 1),
                    SubstringMatchKind::Anywhere => value.replace(pattern, &by),
                    SubstringMatchKind::Prefix | SubstringMatchKind::Suffix => return None,
                };
                self.spend(value.len())?;
                Some(Field::of(&value))
            }
            Expr::LowercasePattern { parameter, indirect: false, pattern: None } => {
                Some(Field::of(&self.variable(parameter)?.value?.to_lowercase()))
            }
            Expr::UppercasePattern { parameter, indirect: false, pattern: None } => {
                Some(Field::of(&self.variable(parameter)?.value?.to_uppercase()))
            }
            _ => None,
        }
    }

    fn variable(&self, parameter: &Parameter) -> Option<Field> {
        match parameter {
            Parameter::Named(name) => self.element(name, 0),
            Parameter::NamedWithIndex { name, index } => self.element(name, number(index)?),
            Parameter::Positional(at) => {
                let arguments = self.arguments.as_ref()?;
                let at = usize::try_from(*at).ok()?.checked_sub(1)?;
                Some(arguments.get(at).cloned().unwrap_or_else(|| Field::of("")))
            }
            Parameter::Special(_) | Parameter::NamedWithAllIndices { .. } => None,
        }
    }

    /// A value of a variable; nothing where none is known.
    fn element(&self, name: &str, at: usize) -> Option<Field> {
        self.variables.get(name)?.get(at).cloned()
    }

    /// `${x%/*}`.
    fn cut(&mut self, parameter: &Parameter, pattern: Option<&str>, cut: &Cut) -> Option<Field> {
        let pattern = pattern.unwrap_or_default();
        let Some(field) = self.variable(parameter) else {
            let is_parent = is_named(parameter, &["HOME", "PWD"]) && pattern == "/*" && cut.at_end;
            let parent = if is_named(parameter, &["HOME"]) { "~/.." } else { ".." };
            return is_parent.then(|| Field::of(if cut.is_long { "" } else { parent }));
        };
        let value = field.value?;
        Some(Field::of(cut.of(&value, pattern)?))
    }

    /// `${x:0:1}`.
    fn part(&self, parameter: &Parameter, from: usize, letters: usize) -> Option<Field> {
        let Some(field) = self.variable(parameter) else {
            return (is_named(parameter, ABSOLUTE) && from == 0 && letters == 1).then(|| Field::of("/"));
        };
        let part: String = field.value?.chars().skip(from).take(letters).collect();
        Some(Field::of(&part))
    }
}

fn is_named(parameter: &Parameter, names: &[&str]) -> bool {
    matches!(parameter, Parameter::Named(name) if names.contains(&name.as_str()))
}

fn number(text: &str) -> Option<usize> {
    text.trim().parse().ok()
}

/// What is taken off a value.
struct Cut {
    at_end: bool,
    is_long: bool,
}

impl Cut {
    /// The rest of a value; nothing where a pattern has more than one star at the side of the value.
    fn of<'v>(&self, value: &'v str, pattern: &str) -> Option<&'v str> {
        let text = if self.at_end { pattern.trim_end_matches('*') } else { pattern.trim_start_matches('*') };
        if text.contains(['*', '?', '[', '$', '\\', '"', '\'', '`']) {
            return None;
        }
        let has_star = text.len() < pattern.len();
        let rest = match (self.at_end, has_star) {
            (true, false) => value.strip_suffix(text),
            (false, false) => value.strip_prefix(text),
            (true, true) => {
                let at = if self.is_long { value.find(text) } else { value.rfind(text) };
                at.and_then(|at| value.get(..at))
            }
            (false, true) => {
                let at = if self.is_long { value.rfind(text) } else { value.find(text) };
                at.and_then(|at| value.get(at + text.len()..))
            }
        };
        Some(rest.unwrap_or(value))
    }
}
