//! Where the words of a command point: directories, variables, and what the line itself sets.

use std::cell::Cell;
use std::path::{Component, Path, PathBuf};

use hookweave_machine::pattern::Glob;
use rustc_hash::FxHashMap;

use super::{MAX_LINE, Roots};

/// What a command's words are read against.
pub(super) struct Places<'r> {
    roots: Roots<'r>,
    plugin: Option<&'r Path>,
    base: Option<PathBuf>,
    /// Variables that the hook or its line sets.
    variables: Vec<(String, String)>,
    /// A text grew too long with its variables filled in.
    too_long: Cell<bool>,
    /// How many entries of folders the patterns may still look at, and whether they would have looked at more.
    left: Cell<usize>,
    too_many: Cell<bool>,
}

/// How many entries of folders the patterns of a line look at; a hook with more cannot be approved.
pub(super) const MAX_ENTRIES: usize = 16 * 1024;

/// Whether a part of a path stands for other names than its own.
pub(super) fn is_pattern(part: &str) -> bool {
    part.contains(['*', '?', '['])
}

impl<'r> Places<'r> {
    pub(super) const fn new(roots: Roots<'r>, plugin: Option<&'r Path>, base: Option<PathBuf>) -> Self {
        let (too_long, too_many, left) = (Cell::new(false), Cell::new(false), Cell::new(MAX_ENTRIES));
        Self { roots, plugin, base, variables: Vec::new(), too_long, left, too_many }
    }

    /// Whether its patterns stand for more than was looked at.
    pub(super) const fn too_many(&self) -> bool {
        self.too_many.get()
    }

    /// Whether a text grew too long with its variables filled in: `A=$A$A` doubles each time.
    pub(super) const fn too_long(&self) -> bool {
        self.too_long.get()
    }

    /// The line with commands that print a known directory filled in.
    pub(super) fn with_directories(&self, line: &str) -> String {
        let project = self.roots.project.and_then(Path::to_str).unwrap_or(".");
        let here = self.base.as_deref().and_then(Path::to_str).unwrap_or(".");
        line.replace("$(git rev-parse --show-toplevel)", project).replace("$(pwd)", here)
    }

    /// The line with the variables filled in that are known, for a reader that knows none.
    pub(super) fn filled(&self, line: &str) -> String {
        let mut out = String::new();
        let mut rest = line;
        let mut certain = FxHashMap::default();
        while let Some((before, from)) = rest.split_once('$') {
            if out.len() > MAX_LINE {
                // Too long to be understood, whatever follows.
                break;
            }
            out.push_str(before);
            let braced = from.strip_prefix('{').and_then(|from| from.split_once('}'));
            let (name, after) = braced.map_or_else(
                || from.split_at(from.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(from.len())),
                |(inside, after)| (inside.split([':', '-']).next().unwrap_or_default(), after),
            );
            // What the line sets more than once may be something else where it stands.
            let mut is_certain =
                || *certain.entry(name).or_insert_with(|| line.matches(&format!("{name}=")).nth(1).is_none());
            let value = self.variable(name).filter(|_| !name.is_empty());
            match value.filter(|value| is_certain() && !value.contains(['$', '`', '\'', '"', '\\'])) {
                Some(value) if value.chars().all(|c| c.is_alphanumeric() || "_-./+:@%,= ".contains(c)) => {
                    out.push_str(value);
                }
                // A path with odd letters, which is one word within its quotes.
                Some(_) if self.set(name).is_none() => out.push_str("/known"),
                _ => {
                    out.push('$');
                    rest = from;
                    continue;
                }
            }
            rest = after;
        }
        out.push_str(rest);
        out
    }

    /// The word with a `*` for each unknown variable.
    pub(super) fn pattern(&self, word: &str) -> Option<String> {
        let mut out = String::new();
        let mut rest = word;
        while let Some((before, from)) = rest.split_once('$') {
            out.push_str(before);
            let braced = from.strip_prefix('{').and_then(|from| from.split_once('}'));
            let (name, after) = braced.unwrap_or_else(|| {
                from.split_at(from.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(from.len()))
            });
            out.push_str(self.variable(name).unwrap_or("*"));
            rest = after;
        }
        out.push_str(rest);
        out.contains('*').then_some(out)
    }

    /// Remembers what a variable is set to.
    pub(super) fn assign(&mut self, name: &str, value: &str) {
        let value = self.expand(value).map_or_else(|| value.to_owned(), |(text, _)| text);
        self.variables.retain(|(known, _)| known != name);
        self.variables.push((name.to_owned(), value));
    }

    /// Changes the directory as the system does: a `..` behind a link leaves what the link points to.
    pub(super) fn enter(&mut self, word: &str) {
        self.base = self.file(word);
    }

    /// Changes the directory as `cd` does, for which a `..` behind a link takes the link back; whether it is there.
    pub(super) fn change(&mut self, word: &str) -> bool {
        let text = self.expand(word).map(|(text, _)| text);
        let is_searched = text.as_ref().is_some_and(|text| !text.starts_with(['/', '.', '~']));
        let searched = self.set("CDPATH").filter(|_| is_searched).and_then(|path| {
            let places = path.split(':').filter(|place| !place.is_empty());
            let mut found = places.filter_map(|place| self.resolve(&format!("{place}/{}", text.as_deref()?)));
            found.find(|path| path.is_dir())
        });
        self.base =
            searched.or_else(|| text.and_then(|text| self.absolute(&text)).map(|path| without_dots(path, false)));
        self.base.as_ref().is_some_and(|base| base.is_dir())
    }

    /// The directory in which relative paths begin.
    pub(super) fn base(&self) -> Option<PathBuf> {
        self.base.clone()
    }

    /// Goes back to a directory.
    pub(super) fn go_back(&mut self, base: Option<PathBuf>) {
        self.base = base;
    }

    /// The path that a word is, with variables filled in.
    pub(super) fn file(&self, word: &str) -> Option<PathBuf> {
        self.expand(word).and_then(|(text, _)| self.resolve(&text))
    }

    /// The path that a text is.
    pub(super) fn resolve(&self, text: &str) -> Option<PathBuf> {
        self.absolute(text).map(|path| without_dots(path, true))
    }

    fn absolute(&self, text: &str) -> Option<PathBuf> {
        let path = match (text.strip_prefix("~/"), self.roots.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => PathBuf::from(text),
        };
        if path.is_absolute() { Some(path) } else { Some(self.base.as_ref()?.join(path)) }
    }

    /// The programs of a name on the `PATH` that the hook or its line sets.
    pub(super) fn programs(&self, name: &str) -> Vec<PathBuf> {
        let Some(path) = self.set("PATH") else { return Vec::new() };
        let places =
            path.split(':').filter(|dir| !dir.is_empty()).filter_map(|dir| self.resolve(dir)).map(|dir| dir.join(name));
        // In the project also one that is not there yet: putting it there is a change.
        let counts = |program: &PathBuf| {
            program.is_file() || self.roots.project.is_some_and(|project| program.starts_with(project))
        };
        places.filter(counts).collect()
    }

    /// The files that a pattern stands for now, in order and at most so many; also where it stands for folders.
    pub(super) fn matching(&self, pattern: &str, at_most: usize) -> Vec<PathBuf> {
        let parts: Vec<&str> = pattern.split('/').collect();
        let plain = parts.iter().take_while(|part| !is_pattern(part)).count();
        let begin = match parts.get(..plain).unwrap_or_default().join("/") {
            begin if begin.is_empty() && plain > 0 => "/".to_owned(),
            begin if begin.is_empty() => ".".to_owned(),
            begin => begin,
        };
        let mut paths: Vec<PathBuf> = self.resolve(&begin).into_iter().collect();
        for part in parts.iter().skip(plain) {
            paths = if is_pattern(part) {
                let Ok(glob) = Glob::new(part, |glob| glob.literal_separator(true)) else { return Vec::new() };
                paths.iter().flat_map(|folder| self.entries(folder, &glob)).collect()
            } else {
                paths.into_iter().map(|path| path.join(part)).collect()
            };
        }
        let mut files: Vec<_> =
            paths.into_iter().map(|path| without_dots(path, true)).filter(|path| path.is_file()).collect();
        files.sort();
        files.truncate(at_most);
        files
    }

    /// The entries of a folder that a pattern fits, as long as the line has not looked at too many.
    fn entries(&self, folder: &Path, glob: &Glob) -> Vec<PathBuf> {
        let mut fitting = Vec::new();
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let Some(left) = self.left.get().checked_sub(1) else {
                self.too_many.set(true);
                break;
            };
            self.left.set(left);
            if glob.is_match(entry.file_name()) {
                fitting.push(entry.path());
            }
        }
        fitting
    }

    /// Puts known values in the place of variables, and whether all were known: those that are not count as empty.
    pub(super) fn expand(&self, text: &str) -> Option<(String, bool)> {
        if !text.contains('$') {
            return Some((text.to_owned(), true));
        }
        let mut out = String::new();
        let mut certain = true;
        let mut rest = text;
        while let Some((before, from)) = rest.split_once('$') {
            out.push_str(before);
            let (name, otherwise, changes, after) = if let Some(braced) = from.strip_prefix('{') {
                let (inside, after) = braced.split_once('}')?;
                let end = inside.find([':', '-', '?', '=', '+', '#', '%', '/']).unwrap_or(inside.len());
                let (name, operator) = inside.split_at(end);
                let otherwise = operator.strip_prefix(':').unwrap_or(operator).strip_prefix(['-', '=', '?']);
                (name, otherwise.unwrap_or_default(), !operator.is_empty() && otherwise.is_none(), after)
            } else {
                let end = from.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(from.len());
                let (name, after) = from.split_at(end);
                (name, "", false, after)
            };
            let value = self.variable(name);
            // `${f%x}` and `${f:+x}` are something else than `$f`.
            certain &= value.is_some() && !changes;
            out.push_str(value.unwrap_or(otherwise));
            rest = after;
            if out.len() > MAX_LINE {
                self.too_long.set(true);
                return None;
            }
        }
        out.push_str(rest);
        Some((out, certain))
    }

    /// Whether the hook or its line sets a variable to more than blanks.
    pub(super) fn is_set(&self, name: &str) -> bool {
        self.set(name).is_some_and(|value| !value.trim().is_empty())
    }

    fn set(&self, name: &str) -> Option<&str> {
        self.variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    fn variable(&self, name: &str) -> Option<&str> {
        let directory = match name {
            "HOME" => self.roots.home,
            "PWD" => self.base.as_deref(),
            "CLAUDE_PLUGIN_ROOT" | "PLUGIN_ROOT" | "DROID_PLUGIN_ROOT" => self.plugin,
            "CLAUDE_PROJECT_DIR"
            | "GEMINI_PROJECT_DIR"
            | "CURSOR_PROJECT_DIR"
            | "FACTORY_PROJECT_DIR"
            | "HOOKWEAVE_PROJECT_DIR" => self.roots.project,
            _ => None,
        };
        self.set(name).or_else(|| directory.and_then(Path::to_str))
    }
}

/// The path without `.` and `..`. The system goes up from what a link points to, `cd` from the link itself.
fn without_dots(path: PathBuf, follows_links: bool) -> PathBuf {
    // Nearly every path has neither, and no surplus `/`.
    let is_clean =
        |text: &str| text.starts_with('/') && !(text.contains("/.") || text.contains("//") || text.ends_with('/'));
    if cfg!(unix) && path.to_str().is_some_and(is_clean) {
        return path;
    }
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(out.components().next_back(), Some(Component::Normal(_))) => {
                if follows_links && out.is_symlink() {
                    out = out.canonicalize().unwrap_or(out);
                }
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}
