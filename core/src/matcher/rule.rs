//! One permission rule of Claude Code, such as `Bash(git *)` or `Edit(src/**)`, as a condition of a hook.
//!
//! A rule decides whether a hook looks at a call, so in doubt it holds: a command that cannot be parsed, or that is
//! filled in when it runs, is shown to the hook.

use globset::{GlobBuilder, GlobMatcher};
use regex::Regex;

use super::Verdict;
use super::shell;
use crate::look::Look;
use crate::path::{PathForms, base_name, compose};
use crate::payload::{Host, Kind};

/// Tools that a rule about editing covers.
const EDITING: &[&str] = &["Edit", "Write", "MultiEdit", "NotebookEdit"];

/// Tools that a rule about reading covers.
const READING: &[&str] = &["Read", "Glob", "Grep", "LS", "NotebookRead"];

/// Tools whose rules are about a command line.
const SHELLS: &[&str] = &["Bash", "PowerShell", "Monitor"];

/// A compiled rule.
#[derive(Debug, Clone)]
pub(super) struct Rule {
    tools: Tools,
    about: About,
}

#[derive(Debug, Clone)]
enum Tools {
    /// Any of these.
    Named(Vec<String>),
    /// Every tool of an MCP server.
    Server(String),
    /// Names that match.
    Glob(GlobMatcher),
}

/// What stands in the parentheses.
#[derive(Debug, Clone)]
enum About {
    Anything,
    Command(Command),
    Path(Place),
    Domain(GlobMatcher),
    /// One argument, by name.
    Argument(&'static str, GlobMatcher),
}

/// A pattern over one simple command.
#[derive(Debug, Clone)]
struct Command {
    patterns: Vec<Regex>,
    /// It asks for more than the program's name.
    is_specific: bool,
}

/// A pattern over file paths.
#[derive(Debug, Clone)]
struct Place {
    glob: GlobMatcher,
    from: From,
}

/// Where a path pattern begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum From {
    /// The working directory.
    Here,
    /// Any directory: the pattern is one name.
    Anywhere,
    /// The root of the file system.
    Root,
    /// The working directory, or the root: which one depends on the file that the rule stands in.
    HereOrRoot,
}

impl Rule {
    pub(super) fn new(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let (name, content) = match text.split_once('(') {
            None => (text, None),
            Some((name, rest)) => {
                let content = rest.strip_suffix(')').ok_or_else(|| format!("`{text}` has no `)` at its end"))?;
                (name.trim(), Some(content.trim()).filter(|content| !matches!(*content, "" | "*")))
            }
        };
        let is_name = |letter: char| letter.is_alphanumeric() || "_-*.:".contains(letter);
        if name.is_empty() || !name.chars().all(is_name) {
            return Err(format!("`{text}` is no rule; write a tool's name, or `Tool(pattern)`"));
        }
        let name = crate::dialects::tools::from_dialect("claude-code", name);
        let about = content.map_or(Ok(About::Anything), |content| About::new(&name, content))?;
        Ok(Self { tools: Tools::new(&name, &about)?, about })
    }

    /// Whether a call is one that the rule speaks of; the names are all that the tool goes by.
    pub(super) fn judge<H: Host>(&self, names: Option<&[&str]>, look: &Look<'_, H>) -> Verdict {
        let Some(names) = names else { return Verdict::MURKY };
        if !names.iter().any(|name| self.tools.has(name)) {
            return Verdict::NO;
        }
        match &self.about {
            About::Anything => Verdict::YES,
            About::Command(command) => {
                let found = look.commands();
                let lines = found.items.iter().map(|line| command.judge(line));
                let verdict = all(lines);
                if found.murky { Verdict::MURKY } else { verdict }
            }
            About::Path(place) => {
                let found = look.paths();
                let paths = found.items.iter().map(|path| place.judge(path));
                let verdict = all(paths);
                if found.murky { Verdict::MURKY } else { verdict }
            }
            About::Domain(domain) => judge_argument(look, "url", |url| {
                url::Url::parse(url.trim()).ok()?.host_str().map(|host| domain.is_match(host.trim_end_matches('.')))
            }),
            About::Argument(name, glob) => judge_argument(look, name, |text| Some(glob.is_match(text))),
        }
    }
}

/// Holds if any does; an `allow` counts if all do.
fn all(verdicts: impl Iterator<Item = Verdict>) -> Verdict {
    let mut any = Verdict::NO;
    let mut every = true;
    for verdict in verdicts {
        any.selects |= verdict.selects;
        every &= verdict.covers;
    }
    Verdict { selects: any.selects, covers: any.selects && every }
}

fn judge_argument<H: Host>(look: &Look<'_, H>, name: &str, test: impl Fn(&str) -> Option<bool>) -> Verdict {
    let found = look.argument(name);
    if found.murky {
        return Verdict::MURKY;
    }
    let Some(value) = found.items.first() else { return Verdict::NO };
    match look.host().kind(value) {
        Kind::Text(text) => test(&text).map_or(Verdict::MURKY, Verdict::of),
        _ => Verdict::MURKY,
    }
}

impl Tools {
    fn new(name: &str, about: &About) -> Result<Self, String> {
        if let Some(server) = name.strip_prefix("mcp__") {
            if !server.contains("__") {
                return Ok(Self::Server(format!("{name}__")));
            }
        }
        if name.contains('*') {
            return glob(name, false).map(Self::Glob);
        }
        let covered = |group: &[&str]| group.contains(&name) && matches!(about, About::Path(_));
        let named = if covered(EDITING) && name == "Edit" {
            EDITING.iter().map(|&name| name.to_owned()).collect()
        } else if covered(READING) && name == "Read" {
            READING.iter().map(|&name| name.to_owned()).collect()
        } else {
            vec![name.to_owned()]
        };
        Ok(Self::Named(named))
    }

    fn has(&self, name: &str) -> bool {
        match self {
            Self::Named(named) => named.iter().any(|known| known == name),
            Self::Server(prefix) => name.starts_with(prefix.as_str()),
            Self::Glob(glob) => glob.is_match(name),
        }
    }
}

impl About {
    fn new(tool: &str, content: &str) -> Result<Self, String> {
        if SHELLS.contains(&tool) {
            return Command::new(content).map(Self::Command);
        }
        if EDITING.contains(&tool) || READING.contains(&tool) {
            return Place::new(content).map(Self::Path);
        }
        let argument = match tool {
            "WebFetch" => {
                let domain = content
                    .strip_prefix("domain:")
                    .ok_or_else(|| format!("`WebFetch({content})`: write `WebFetch(domain:{content})`"))?;
                return glob(&domain.trim().to_lowercase(), false).map(Self::Domain);
            }
            "WebSearch" => "query",
            "Agent" => "subagent_type",
            "Skill" => "skill",
            _ => {
                return Err(format!(
                    "nobody knows what the parentheses of `{tool}({content})` are about; leave them out"
                ));
            }
        };
        glob(content, false).map(|glob| Self::Argument(argument, glob))
    }
}

fn glob(text: &str, by_directory: bool) -> Result<GlobMatcher, String> {
    GlobBuilder::new(text)
        .literal_separator(by_directory)
        .backslash_escape(true)
        .empty_alternates(true)
        .build()
        .map(|glob| glob.compile_matcher())
        .map_err(|why| format!("`{text}` is no pattern: {}", why.kind()))
}

impl Command {
    /// `git *` and `git:*` are the program with any arguments or none; elsewhere `*` is any text.
    fn new(content: &str) -> Result<Self, String> {
        let head = content.strip_suffix(":*").or_else(|| content.strip_suffix(" *"));
        let mut patterns = Vec::new();
        if let Some(head) = head {
            patterns.push(wildcard(head.trim_end(), "(?:\\s.*)?")?);
        }
        // `npm run test:*` is also meant as it is written, for `npm run test:unit`.
        if !content.ends_with(" *") {
            patterns.push(wildcard(content, "")?);
        }
        let rest = head.unwrap_or(content).trim().trim_end_matches('*');
        Ok(Self { patterns, is_specific: rest.trim_end().contains(char::is_whitespace) })
    }

    fn judge(&self, line: &str) -> Verdict {
        let Some(line) = shell::parse(line) else { return Verdict::MURKY };
        let hits = |command: &shell::Simple| {
            command.texts.iter().any(|text| self.patterns.iter().any(|pattern| pattern.is_match(text.trim())))
        };
        let unknown = self.is_specific && line.is_dynamic;
        let selects = unknown || line.commands.iter().any(|command| command.is_nameless || hits(command));
        let covers = !unknown
            && !line.commands.is_empty()
            && line.commands.iter().all(|command| !command.is_nameless && hits(command));
        Verdict { selects, covers }
    }
}

/// A pattern in which `*` is any text and `\*` a star, anchored at both ends.
fn wildcard(text: &str, tail: &str) -> Result<Regex, String> {
    let mut pattern = String::from("(?s)^");
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '*' => pattern.push_str(".*"),
            '\\' if letters.as_str().starts_with('*') => {
                letters.next();
                pattern.push_str("\\*");
            }
            letter => pattern.push_str(&regex::escape(letter.encode_utf8(&mut [0; 4]))),
        }
    }
    pattern.push_str(tail);
    pattern.push('$');
    Regex::new(&pattern).map_err(|why| format!("`{text}` is no pattern: {why}"))
}

impl Place {
    /// The rules of `.gitignore`: a pattern with a `/` begins at the working directory, one name is found anywhere,
    /// and what matches a directory matches everything in it.
    fn new(content: &str) -> Result<Self, String> {
        let text = compose(content);
        let (from, rest) = if let Some(absolute) = text.strip_prefix("//") {
            (From::Root, format!("/{absolute}"))
        } else if let Some(inside) = text.strip_prefix("~/") {
            let home = std::env::home_dir().ok_or("`~/` in a rule needs a home directory, and there is none")?;
            let home = globset::escape(&home.to_string_lossy().replace('\\', "/"));
            (From::Root, format!("{}/{inside}", home.trim_end_matches('/')))
        } else if let Some(rooted) = text.strip_prefix('/') {
            (From::HereOrRoot, rooted.to_owned())
        } else if let Some(here) = text.strip_prefix("./") {
            (From::Here, here.to_owned())
        } else if text.trim_end_matches('/').contains('/') {
            (From::Here, text)
        } else {
            (From::Anywhere, text)
        };
        let rest = rest.trim_end_matches('/');
        if rest.is_empty() {
            return Err(format!("`{content}` names no file"));
        }
        Ok(Self { glob: glob(rest, true)?, from })
    }

    fn judge(&self, path: &PathForms) -> Verdict {
        Verdict {
            selects: path.forms().any(|form| self.hits(form)),
            covers: path.places.iter().all(|place| match (self.from, place.relative.as_deref()) {
                (From::Root, _) => self.hits(&place.full),
                (_, Some(inside)) => self.hits(inside),
                (_, None) => false,
            }),
        }
    }

    /// Whether a path or a directory that it lies in matches.
    fn hits(&self, path: &str) -> bool {
        let path = path.trim_start_matches("./");
        let mut at = match self.from {
            From::Here if path.starts_with('/') => return false,
            From::HereOrRoot => path.trim_start_matches('/'),
            From::Here | From::Root | From::Anywhere => path,
        };
        loop {
            let name = if self.from == From::Anywhere { base_name(at) } else { at };
            if self.glob.is_match(name) {
                return true;
            }
            match at.rsplit_once('/') {
                Some((above, _)) if !above.is_empty() => at = above,
                _ => return false,
            }
        }
    }
}
