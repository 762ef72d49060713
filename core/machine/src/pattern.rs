//! Compiled patterns: names with globs, regular expressions with a step limit, path globs.

mod backtracking;
mod glob;
mod linear;
pub(crate) mod mistaken_regex;
mod pattern_cache;

use std::sync::Arc;

use crate::error::{Code, Error};
use crate::path::{self, PathForms};
use crate::tool::usual;
use linear::{Linear, Parsed};

pub use glob::Glob;
pub use pattern_cache::PatternCache;

/// How many steps a pattern with lookaround or backreferences may take on one text.
const STEP_LIMIT: usize = 100_000;

/// The longest text that a pattern with lookaround or backreferences looks at, in bytes. What it hands to the linear engine
/// counts as one step, is done anew at each place of the text, and so takes time by the square of the length.
const STEP_TEXT: usize = 8 * 1024;

/// The longest pattern that is compiled, in bytes.
const MAX_PATTERN: usize = 16 * 1024;

/// `Edit|Write|mcp__*`: exact names and globs.
#[derive(Debug, Clone)]
pub enum Names {
    /// Every name.
    All,
    /// The names of a list.
    Any {
        /// Names that must be equal.
        exact: Vec<String>,
        /// Globs that must match the whole name.
        globs: Vec<Glob>,
    },
}

impl Names {
    /// Reads names and globs between `|`; an empty text and `*` are every name.
    ///
    /// # Errors
    ///
    /// Says which name is empty or no glob.
    pub fn new(text: &str) -> Result<Self, String> {
        if matches!(text.trim(), "" | "*") {
            return Ok(Self::All);
        }
        let (mut exact, mut globs) = (Vec::new(), Vec::new());
        for name in text.split('|').map(str::trim) {
            if name.is_empty() {
                return Err(format!("`{text}` has an empty name between its `|`; take out the surplus `|`"));
            }
            if is_glob(name) {
                globs.push(Glob::new(name, |glob| glob.backslash_escape(true))?);
            } else {
                exact.push(name.to_owned());
            }
        }
        Ok(Self::Any { exact, globs })
    }

    /// Reads names and globs of tools: no tool has a parenthesis in its name, so that a permission rule would match none.
    /// `is_own` where they name tools as the engine does.
    ///
    /// # Errors
    ///
    /// Says which name is empty or no glob, or where a rule belongs.
    pub fn of_tools(text: &str, is_own: bool) -> Result<Self, String> {
        if text.contains(['(', ')']) {
            return Err(format!(
                "`{text}` names no tool: a permission rule is the `rule` of a matcher, a regular expression its `tool_pattern`"
            ));
        }
        text.split('|').map(str::trim).try_for_each(tool_name)?;
        if is_own {
            text.split('|').map(str::trim).try_for_each(own_tool_name)?;
        }
        Self::new(text)
    }

    /// The names, where no glob is among them.
    pub(crate) fn exact(&self) -> Option<&Vec<String>> {
        match self {
            Self::Any { exact, globs } if globs.is_empty() => Some(exact),
            _ => None,
        }
    }

    /// The names that must be equal.
    pub(crate) fn written(&self) -> &[String] {
        if let Self::Any { exact, .. } = self { exact } else { &[] }
    }

    pub(crate) const fn is_all(&self) -> bool {
        matches!(self, Self::All)
    }

    /// Whether a name is one of them.
    pub fn matches(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Any { exact, globs } => {
                exact.iter().any(|known| known == name) || globs.iter().any(|glob| glob.is_match(name))
            }
        }
    }
}

/// Refuses what is written as a regular expression or as a list, which is the name of no tool.
fn tool_name(name: &str) -> Result<(), String> {
    if name.starts_with('^') || name.ends_with('$') || name.contains(".*") || name.contains(".+") {
        return Err(format!(
            "`{name}` names no tool: names are globs such as `mcp__*`, a regular expression is the `tool_pattern` of a matcher"
        ));
    }
    if name.starts_with('!') {
        return Err(format!("`{name}` names no tool: names exclude none; write `when = \"event.tool != …\"`"));
    }
    let mut depth = 0_usize;
    for letter in name.chars() {
        match letter {
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            ',' | ';' if depth == 0 => {
                let names = name.split([',', ';']).map(str::trim).filter(|name| !name.is_empty());
                let names = names.collect::<Vec<_>>().join("|");
                return Err(format!("`{name}` names no tool: names stand between `|`; write `{names}`"));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Refuses what means something else than a tool of that name to the engine; another system reads its names as it does.
fn own_tool_name(name: &str) -> Result<(), String> {
    if name.contains("]*") || name.contains("]+") {
        return Err(format!(
            "`{name}` is a regular expression: in a name `[…]` is one letter and `*` any text; write it as `tool_pattern`"
        ));
    }
    let server = name.strip_prefix("mcp__").filter(|server| !server.is_empty() && !server.contains("__"));
    if server.is_some_and(|server| !is_glob(server)) {
        return Err(format!("`{name}` is an MCP server and no tool: write `{name}__*` for all its tools"));
    }
    usual::mistaken(name).map_or(Ok(()), Err)
}

/// A pattern that fits this name or id and no other, where names and globs split on `|` are meant.
pub fn exact_pattern(name: &str) -> Result<String, Error> {
    if name.is_empty() || name.trim() != name || name.contains('|') {
        let why = "it is empty, or has a `|` or white space at its ends";
        return Err(Error::new(Code::InvalidMatcher, format!("no pattern can name `{name}`: {why}")));
    }
    if !is_glob(name) {
        return Ok(name.to_owned());
    }
    let mut pattern = String::with_capacity(name.len() * 2);
    for letter in name.chars() {
        if matches!(letter, '*' | '?' | '[' | ']' | '{' | '}' | '\\') {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    Ok(pattern)
}

/// Whether a name of a list is a glob.
fn is_glob(name: &str) -> bool {
    name.contains(['*', '?', '[', '{'])
}

/// A regular expression, unanchored.
#[derive(Debug, Clone)]
pub struct Pattern(Compiled);

/// What runs an expression.
#[derive(Debug, Clone)]
enum Compiled {
    /// Runs in linear time.
    Plain(Arc<Linear>),
    /// Has lookaround or backreferences: backtracks, up to [`STEP_LIMIT`] on texts up to [`STEP_TEXT`].
    Fancy(Arc<fancy_regex::Regex>),
}

impl Pattern {
    /// Compiles a regular expression.
    ///
    /// # Errors
    ///
    /// Says what is wrong with it: its syntax, or its size.
    pub fn new(text: &str) -> Result<Self, String> {
        if text.len() > MAX_PATTERN {
            return Err(format!("the pattern has {} bytes; at most {MAX_PATTERN} are allowed", text.len()));
        }
        pattern_cache::read(text, || Self::compile(text))
    }

    fn compile(text: &str) -> Result<Self, String> {
        let parsed = Parsed::new(text);
        pattern_cache::charge(parsed.bytes())?;
        match parsed.compile() {
            Ok(plain) => Ok(Self(Compiled::Plain(Arc::new(plain)))),
            Err(regex::Error::CompiledTooBig(limit)) => Err(format!("`{text}` compiles to more than {limit} bytes")),
            Err(why) => {
                pattern_cache::charge(backtracking::bytes(text))?;
                fancy_regex::RegexBuilder::new(text)
                    .backtrack_limit(STEP_LIMIT)
                    .build()
                    .map(|fancy| Self(Compiled::Fancy(Arc::new(fancy))))
                    .map_err(|_| format!("`{text}` is no regular expression: {}", last_line(&why.to_string())))
            }
        }
    }

    /// Whether the text matches; `None` when that takes too long to decide.
    pub fn is_match(&self, text: &str) -> Option<bool> {
        match &self.0 {
            Compiled::Plain(plain) => plain.is_match(text),
            Compiled::Fancy(_) if text.len() > STEP_TEXT => None,
            Compiled::Fancy(fancy) => fancy.is_match(text).ok(),
        }
    }

    /// The expression as text, if it runs in linear time.
    pub(crate) fn linear(&self) -> Option<&str> {
        match &self.0 {
            Compiled::Plain(plain) => Some(plain.as_str()),
            Compiled::Fancy(_) => None,
        }
    }
}

/// The sentence that says what is wrong, without the drawing above it.
fn last_line(text: &str) -> &str {
    let line = text.lines().last().unwrap_or(text);
    line.strip_prefix("error: ").unwrap_or(line)
}

/// Why a text is no pattern over paths: it can only be a regular expression.
pub(crate) fn no_glob(text: &str) -> Option<String> {
    let meant = mistaken_regex::of_path(text)?;
    let fix = if meant.is_empty() { "a glob such as `*.env` or `src/**`".to_owned() } else { format!("`{meant}`") };
    Some(format!(
        "`{text}` is a regular expression and would match no file; a pattern over paths is a glob: write {fix}"
    ))
}

/// A glob over file paths: `*` stays within a directory, `**` does not.
#[derive(Debug, Clone)]
pub(crate) struct PathGlob {
    glob: Glob,
    by_base_name: bool,
    from_cwd: bool,
}

impl PathGlob {
    pub(crate) fn new(text: &str) -> Result<Self, String> {
        let composed = path::compose(text.trim_start_matches("./"));
        if composed.is_empty() {
            return Err("an empty pattern matches no file; leave the field out to match all".to_owned());
        }
        if let Some(why) = no_glob(text) {
            return Err(why);
        }
        if text.contains('|') {
            let each = text.replace('|', ",");
            return Err(format!("`{text}` is one name with a `|` in it and matches no file; write `{{{each}}}`"));
        }
        if composed.ends_with('/') {
            return Err(format!("`{text}` ends with `/` and matches no file; write `{composed}**`"));
        }
        let glob =
            Glob::new(&composed, |glob| glob.literal_separator(true).backslash_escape(true).empty_alternates(true))?;
        let by_base_name = !composed.contains('/');
        let from_cwd = !by_base_name && !path::is_absolute(&composed) && !composed.starts_with("**/");
        Ok(Self { glob, by_base_name, from_cwd })
    }

    /// Whether it is unknown if a path matches.
    pub(crate) fn is_open(&self, path: &PathForms) -> bool {
        if self.by_base_name { path.has_open_name() } else { path.is_open(self.from_cwd) }
    }

    fn hits(&self, form: &str) -> bool {
        self.glob.is_match(if self.by_base_name { path::base_name(form) } else { form })
    }

    /// Whether any form of the path matches.
    pub(crate) fn selects(&self, path: &PathForms) -> bool {
        path.forms().any(|form| self.hits(form))
    }

    /// Whether the path's place matches under every reading, so that an `allow` may count.
    pub(crate) fn matches_all_forms(&self, path: &PathForms) -> bool {
        path.places.iter().all(|place| self.hits(&place.full) || place.all_relative(|rest| self.hits(rest)))
    }

    /// The glob, for sets of many.
    pub(crate) fn glob(&self) -> &globset::Glob {
        self.glob.written()
    }

    pub(crate) const fn by_base_name(&self) -> bool {
        self.by_base_name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_split_on_bars_and_may_be_globs() {
        let names = Names::new("Edit | Write|mcp__*").unwrap();
        assert!(names.matches("Write") && names.matches("mcp__x__y") && !names.matches("Writer"));
        assert!(Names::new("Bash||Write").unwrap_err().contains("empty name"));
        assert!(Names::new("*").unwrap().is_all());
    }

    #[test]
    fn nested_braces_are_refused_in_names_and_paths() {
        for (depth, why) in [(256, "too deep"), (1023, "at most 256")] {
            let nested = "{".repeat(depth) + "a" + &"}".repeat(depth);
            assert!(Names::new(&nested).unwrap_err().contains(why), "{depth}");
            assert!(PathGlob::new(&nested).unwrap_err().contains(why), "{depth}");
        }
    }

    #[test]
    fn lookaround_falls_back_and_nonsense_is_refused() {
        assert_eq!(Pattern::new("rm -rf").unwrap().linear(), Some("rm -rf"));
        let fancy = Pattern::new("git push (?!origin dev)").unwrap();
        assert_eq!(fancy.is_match("git push origin main"), Some(true));
        assert_eq!(fancy.is_match("git push origin dev"), Some(false));
        assert!(Pattern::new("(unclosed").unwrap_err().contains("unclosed"));
    }

    #[test]
    fn the_step_limit_ends_a_hostile_match() {
        let bomb = Pattern::new(r"^(a|aa)+(?=b)$").unwrap();
        assert_eq!(bomb.is_match(&"a".repeat(60)), None);
    }

    #[test]
    fn a_long_text_is_not_given_to_a_pattern_that_backtracks() {
        let (plain, fancy) = (Pattern::new("(a+)+$").unwrap(), Pattern::new("(?=(a+)+$)b").unwrap());
        let text = "a".repeat(STEP_TEXT) + "!";
        assert_eq!((plain.is_match(&text), fancy.is_match(&text)), (Some(false), None));
        assert_eq!(fancy.is_match(&text[1..]), Some(false));
    }

    #[test]
    fn a_pattern_without_slash_looks_at_the_base_name() {
        let env = PathGlob::new("*.env").unwrap();
        assert!(env.selects(&PathForms::new("/w/config/prod.env", None, None)));
        let src = PathGlob::new("src/*").unwrap();
        assert!(
            src.selects(&PathForms::new("src/a", None, None)) && !src.selects(&PathForms::new("src/a/b", None, None))
        );
        assert!(PathGlob::new("src/").is_err());
    }

    #[test]
    fn an_allow_is_not_covered_by_how_a_path_is_written() {
        let src = PathGlob::new("src/**").unwrap();
        let escape = PathForms::new("src/../../etc/passwd", Some("/w"), None);
        assert!(src.selects(&escape) && !src.matches_all_forms(&escape));
        let inside = PathForms::new("/w/src/a.py", Some("/w"), None);
        assert!(src.selects(&inside) && src.matches_all_forms(&inside));
    }
}
