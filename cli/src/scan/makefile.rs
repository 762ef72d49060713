//! Recipes of a Makefile, as make hands them to the shell.

use std::collections::HashMap;

use super::script::{Held, Script};

/// What stands for a value of make's that is known only when it runs.
const UNKNOWN: &str = "${MAKE_VALUE}";

/// How deep references may nest.
const MAX_DEPTH: usize = 16;

/// The recipes, each line of them a script, and what make runs for its own variables.
pub(super) fn read(text: &str) -> Held {
    let lines = whole_lines(text);
    let variables = Variables::of(&lines);
    let mut held = Held::default();
    let mut prefix = '\t';
    let (mut is_in_rule, mut is_in_define) = (false, false);
    for (number, line) in &lines {
        let mut add = |text: &str| {
            let text = variables.expanded(text, 0);
            let text = text.trim_start_matches(['@', '-', '+', ' ', '\t']);
            if !text.trim().is_empty() {
                held.scripts.push(Script::following(*number, text.to_owned()));
            }
        };
        if is_in_define {
            if line.trim_start().starts_with("endef") {
                is_in_define = false;
            } else {
                add(line);
            }
            continue;
        }
        if let Some(recipe) = line.strip_prefix(prefix).filter(|_| is_in_rule) {
            add(recipe);
            continue;
        }
        let line = line.trim_start();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        is_in_define = line.trim_start_matches("override ").starts_with("define ");
        if let Some((name, operator, value)) = assignment(line) {
            match operator {
                "!=" => add(value),
                _ if name == ".RECIPEPREFIX" => prefix = value.chars().next().unwrap_or('\t'),
                _ => {}
            }
        } else if let Some((_, rest)) = line.split_once(':') {
            is_in_rule = true;
            if let Some((_, recipe)) = rest.split_once(';') {
                add(recipe);
            }
        }
        for run in variables.shells(line) {
            held.scripts.push(Script::in_line(*number, run));
        }
    }
    held
}

/// The lines, each with those that continue it behind a backslash, and the number of the first.
fn whole_lines(text: &str) -> Vec<(usize, String)> {
    let mut whole: Vec<(usize, String)> = Vec::new();
    let mut goes_on = false;
    for (at, line) in text.lines().enumerate() {
        match whole.last_mut().filter(|_| goes_on) {
            // One tab belongs to make, not to the shell.
            Some((_, last)) => last.extend(["\n", line.strip_prefix('\t').unwrap_or(line)]),
            None => whole.push((at + 1, line.to_owned())),
        }
        goes_on = (line.len() - line.trim_end_matches('\\').len()) % 2 == 1;
    }
    whole
}

/// A variable that a line sets: its name, the operator and the value.
fn assignment(line: &str) -> Option<(&str, &str, &str)> {
    let at = line.find('=')?;
    let (before, value) = (line.get(..at)?, line.get(at + 1..)?);
    let operator = [":::", "::", ":", "?", "+", "!"].into_iter().find(|end| before.ends_with(end)).unwrap_or_default();
    let words = before.get(..before.len() - operator.len())?.trim();
    let name = words.split_whitespace().next_back()?;
    // `target: NAME = value` is a variable of one target; `a=b: c` is a rule nobody writes.
    let is_name = !words.contains([':', '(', '$', ';']) && words.split_whitespace().count() <= 2;
    let operator = if operator == "!" { "!=" } else { "=" };
    is_name.then_some((name, operator, value.trim()))
}

/// What make knows of its variables.
struct Variables {
    /// The value, if it is set once, to a plain text.
    plain: HashMap<String, Option<String>>,
}

impl Variables {
    fn of(lines: &[(usize, String)]) -> Self {
        let mut plain: HashMap<String, Option<String>> = HashMap::new();
        let set =
            lines.iter().filter(|(_, line)| !line.starts_with('\t')).filter_map(|(_, line)| assignment(line.trim()));
        for (name, operator, value) in set {
            let value = value.split(" #").next().unwrap_or_default().trim();
            let is_plain = operator == "=" && !value.contains(['$', '\n']) && !plain.contains_key(name);
            plain.insert(name.to_owned(), is_plain.then(|| value.to_owned()));
        }
        Self { plain }
    }

    /// A text as the shell gets it: make's references filled in.
    fn expanded(&self, text: &str, depth: usize) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('$') {
            out.push_str(before);
            let Some(next) = after.chars().next() else {
                rest = "";
                break;
            };
            rest = after.get(next.len_utf8()..).unwrap_or_default();
            match next {
                '$' => out.push('$'),
                '(' | '{' => match closed(rest, next) {
                    Some(inside) if depth < MAX_DEPTH => {
                        rest = rest.get(inside.len() + 1..).unwrap_or_default();
                        out.push_str(&self.reference(inside, depth + 1));
                    }
                    _ => out.push_str(UNKNOWN),
                },
                _ => out.push_str(UNKNOWN),
            }
        }
        out + rest
    }

    fn reference(&self, inside: &str, depth: usize) -> String {
        if let Some(line) = inside.strip_prefix("shell ") {
            return format!("$({})", self.expanded(line, depth));
        }
        match self.plain.get(inside) {
            Some(Some(value)) => value.clone(),
            None if inside == "MAKE" => "make".to_owned(),
            None if is_name(inside) => format!("${{{inside}}}"),
            _ => UNKNOWN.to_owned(),
        }
    }

    /// The lines that `$(shell …)` runs outside of recipes.
    fn shells(&self, line: &str) -> Vec<String> {
        let parts = line.split("$(shell ").skip(1);
        parts.filter_map(|part| Some(self.expanded(closed(part, '(')?, 0))).collect()
    }
}

/// The text up to the bracket that closes it.
fn closed(text: &str, open: char) -> Option<&str> {
    let close = if open == '(' { ')' } else { '}' };
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            letter if letter == open => depth += 1,
            letter if letter == close && depth == 0 => return text.get(..at),
            letter if letter == close => depth -= 1,
            _ => {}
        }
    }
    None
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::read;

    fn recipes(text: &str) -> Vec<(usize, String)> {
        read(text).scripts.into_iter().map(|script| (script.lines[0], script.text)).collect()
    }

    #[test]
    fn recipes_are_what_the_shell_gets() {
        let text = "OUT := build # where\nTMP ?= $(OUT)/x\n\nclean: a b\n\t@rm -rf $(OUT) $(TMP) $$HOME $@\n\t-cd x && \\\n\t  ls\n\nall: ; echo $(MAKE)\n";
        let known = [(5, "rm -rf build ${MAKE_VALUE} $HOME ${MAKE_VALUE}"), (6, "cd x && \\\n  ls"), (9, "echo make")];
        assert_eq!(recipes(text), known.map(|(line, text)| (line, text.to_owned())));
    }

    #[test]
    fn what_make_runs_for_its_variables_counts() {
        let known = |line: usize, text: &str| vec![(line, text.to_owned())];
        assert_eq!(recipes("V := $(shell rm -rf $(DIR))\n"), known(1, "rm -rf ${DIR}"));
        assert_eq!(recipes("V != rm -rf x\n"), known(1, "rm -rf x"));
        assert_eq!(recipes("define go\nrm -rf y\nendef\n"), known(2, "rm -rf y"));
        assert_eq!(recipes(".RECIPEPREFIX = >\na:\n>ls $(shell pwd)\n"), known(3, "ls $(pwd)"));
    }

    #[test]
    fn what_is_no_recipe_is_none() {
        assert_eq!(recipes("# a: rm\nX = rm -rf /\n\ta\nifeq ($(A),b)\nendif\n"), vec![]);
        let deep = format!("a:\n\techo {}\n", "$(".repeat(100_000));
        assert_eq!(recipes(&deep).len(), 1);
    }
}
