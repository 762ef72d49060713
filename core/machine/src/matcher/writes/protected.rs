//! Files that a person names by patterns, as in `Edit(secrets/**)`. Nobody asks the file system which there are.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use regex::bytes::{Regex, RegexBuilder};

use super::FileSet;
use crate::matcher::directories::hides;
use crate::matcher::path_rule::{PathRule, glob, without_here};
use crate::pattern::Glob;

/// After how many paths it is worth the time to compile what matches all that any pattern does: a process that starts for
/// one call asks for few.
const FEW: usize = 256;

/// Folders that a pattern begins with.
#[derive(Debug)]
struct Start {
    folders: String,
    from_here: bool,
    from_root: bool,
}

/// The files that some patterns name.
#[derive(Debug)]
pub struct NamedFiles {
    patterns: Vec<Named>,
    /// Matches every path that one of them does, so that of nearly all paths none is asked; `None` if they are too large
    /// together.
    reach: OnceLock<Option<Regex>>,
    /// How many paths were asked for before.
    asked: AtomicUsize,
}

#[derive(Debug)]
struct Named {
    rule: PathRule,
    /// What every path has that matches; may be empty.
    part: String,
    /// Its last part that names something, with what it is as a pattern.
    name: String,
    glob: Glob,
    /// The folders that it begins with, before the first part with a star, and where they begin.
    start: Start,
}

impl NamedFiles {
    /// Reads patterns by the rules of `.gitignore`; says which of them is none.
    pub fn new(patterns: &[impl AsRef<str>]) -> Result<Self, String> {
        let read =
            |pattern: &str| Named::new(pattern).map_err(|why| format!("`{pattern}` is no pattern of paths: {why}"));
        Ok(Self {
            patterns: patterns.iter().map(|pattern| read(pattern.as_ref())).collect::<Result<_, _>>()?,
            reach: OnceLock::new(),
            asked: AtomicUsize::new(0),
        })
    }

    fn may_have(&self, path: &str) -> bool {
        if self.reach.get().is_none() && self.asked.fetch_add(1, Ordering::Relaxed) < FEW {
            return true;
        }
        let reach = self.reach.get_or_init(|| {
            let globs = self.patterns.iter().flat_map(|named| named.rule.reach());
            let each = globs.map(|text| Some(format!("(?:{})", glob(&text, true).ok()?.written().regex())));
            let text = each.collect::<Option<Vec<_>>>()?.join("|");
            RegexBuilder::new(&text).dot_matches_new_line(true).build().ok()
        });
        reach.as_ref().is_none_or(|reach| reach.is_match(path.as_bytes()))
    }
}

/// Why no file is meant by a pattern as it is written.
fn protects_nothing(pattern: &str) -> Option<&'static str> {
    let is_list = || {
        pattern
            .match_indices([',', ' '])
            .any(|(at, _)| pattern.get(at + 1..).is_some_and(|rest| rest.starts_with(['.', '/', '~', '*'])))
    };
    if pattern.starts_with('!') {
        return Some("it takes files out of nothing; protect what is to be protected");
    }
    if pattern.starts_with('$') {
        return Some("no variable is filled in; write `~/` for the home folder, or the path");
    }
    if pattern.starts_with("file:") {
        return Some("it is an address; write the path");
    }
    if pattern.contains('|') || is_list() && !pattern.contains('{') {
        return Some("it is several in one text; give each by itself");
    }
    None
}

impl Start {
    /// Of a pattern of `/`, `//` or `~/` from the root, of others from where a line works.
    fn new(pattern: &str, rule: &PathRule) -> Self {
        let home = || std::env::home_dir().map(|home| home.to_string_lossy().replace('\\', "/")).unwrap_or_default();
        let is_of_home = pattern.starts_with("~/");
        let whole =
            if is_of_home { format!("{}{}", home(), pattern.trim_start_matches('~')) } else { pattern.to_owned() };
        let is_of_root = is_of_home || whole.starts_with("//");
        let parts = whole.trim_start_matches("./").trim_start_matches('/').split('/');
        let fixed: Vec<&str> = parts.take_while(|part| !part.contains(['*', '?', '[', '{'])).collect();
        let folders = if rule.is_anywhere() { String::new() } else { fixed.join("/") };
        Self { folders, from_here: !is_of_root, from_root: is_of_root || whole.starts_with('/') }
    }
}

impl Named {
    fn new(pattern: &str) -> Result<Self, String> {
        let whole = pattern.trim();
        if let Some(why) = protects_nothing(whole) {
            return Err(why.to_owned());
        }
        // What matches a folder matches all that is in it, and the folder itself is to be kept too.
        let folder = whole.strip_suffix("/**").or_else(|| whole.strip_suffix("/**/*")).unwrap_or(whole);
        let is_one_name = folder != whole && !folder.contains('/');
        let rule = PathRule::new(&if is_one_name { format!("./{folder}") } else { folder.to_owned() })?;
        let name = folder.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
        let start = Start::new(folder, &rule);
        let glob = Glob::new(&name, |glob| glob.literal_separator(true).backslash_escape(true).empty_alternates(true))?;
        Ok(Self { rule, part: part_of(folder), name, glob, start })
    }

    /// Whether a folder is one that it begins with, or lies above those.
    fn begins_below(&self, folder: &str, here: &[String]) -> bool {
        let is_above = |base: &str| {
            let start =
                if self.start.folders.is_empty() { base.to_owned() } else { format!("{base}/{}", self.start.folders) };
            start.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.start.from_root && is_above("") || self.start.from_here && here.iter().any(|here| is_above(here))
    }

    fn hits(&self, path: &str) -> bool {
        path.contains(&self.part) && self.rule.hits(path)
    }

    /// Whether one part of a shell's pattern may become the name.
    fn may_be(&self, part: &str) -> bool {
        if !part.contains(['*', '?', '[', '{']) {
            return false;
        }
        if self.name.contains(['*', '?', '[', '{']) {
            // Two patterns have a name in common unless their ends differ.
            let end = |pattern: &str| pattern.rsplit(['*', '?', ']', '}']).next().unwrap_or_default().to_owned();
            let (one, other) = (end(part), end(&self.name));
            return one.ends_with(&other) || other.ends_with(&one);
        }
        let glob = Glob::new(part, |glob| glob.literal_separator(true).empty_alternates(true));
        // What cannot be read as a pattern here may be one to a shell.
        glob.map_or(true, |glob| glob.is_match(&self.name) && !hides(part, &self.name))
    }
}

/// The longest text that every path has which a pattern matches.
fn part_of(pattern: &str) -> String {
    let text = pattern.trim_start_matches("~/").split(['[', '{', '\\']).next().unwrap_or_default();
    let is_fixed = |part: &&str| part.is_ascii() && part.contains(|letter| letter != '.');
    let parts = text.split(['*', '?', '/', '!']).filter(is_fixed);
    parts.max_by_key(|part| part.len()).unwrap_or_default().to_owned()
}

impl FileSet for NamedFiles {
    fn has(&self, path: &str) -> bool {
        // Some programs stop reading at a NUL.
        let path = path.split('\0').next().unwrap_or_default();
        self.may_have(without_here(path)) && self.patterns.iter().any(|named| named.hits(path))
    }

    fn is_named_in(&self, text: &str) -> bool {
        let is_of_name = |letter: char| letter.is_alphanumeric() || "._-".contains(letter);
        let words = || text.split(|letter: char| !is_of_name(letter)).filter(|word| !word.is_empty());
        self.patterns.iter().any(|named| words().any(|word| named.glob.is_match(word)))
    }

    fn is_folder(&self, _path: &str) -> bool {
        true
    }

    fn present(&self) -> Vec<String> {
        Vec::new()
    }

    fn may_be_matched(&self, pattern: &str, _present: &[String]) -> bool {
        self.patterns.iter().any(|named| pattern.split('/').any(|part| named.may_be(part)))
    }

    fn is_matched_for_sure(&self, pattern: &str) -> bool {
        let (folder, last) = pattern.rsplit_once('/').unwrap_or((".", pattern));
        (last.contains(char::is_alphanumeric) || last.starts_with('.'))
            && self.patterns.iter().any(|named| {
                let is_name = !named.name.contains(['*', '?', '[', '{']) && named.may_be(last);
                is_name && named.rule.hits(&format!("{folder}/{}", named.name))
            })
    }

    fn names_of(&self, pattern: &str, closely: bool) -> Vec<String> {
        let letters = |text: &str| text.chars().filter(|letter| !"*?[]{}".contains(*letter)).count();
        let known = letters(pattern);
        if known == pattern.chars().count() {
            return vec![pattern.to_owned()];
        }
        let filled = |pattern: &str| pattern.replace(['*', '?'], "x");
        let glob = Glob::new(pattern, |glob| glob.literal_separator(true).empty_alternates(true));
        let is_close = |name: &str| {
            !closely || known * 2 >= letters(name) || known > 1 && name.starts_with('.') && pattern.starts_with('.')
        };
        let found = self.patterns.iter().filter_map(|named| {
            let is_pattern = named.name.contains(['*', '?', '[', '{']);
            let is_found = if is_pattern {
                !closely && named.may_be(pattern)
            } else {
                // What cannot be read as a pattern here may be one to a search.
                is_close(&named.name) && glob.as_ref().map_or(!closely, |glob| glob.is_match(&named.name))
            };
            is_found.then(|| filled(&named.name))
        });
        std::iter::once(filled(pattern)).chain(found).collect()
    }

    fn are_below(&self, folder: &str, here: &[String], _present: &[String]) -> bool {
        folder == "/" || self.patterns.iter().any(|named| named.begins_below(folder, here))
    }

    fn is_of_policy(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whether_a_file_is_one_does_not_depend_on_how_many_were_asked_for() {
        let files =
            NamedFiles::new(&["*.pem", ".e[n]v*", "./a/{b,c}/**", "~/.ssh/**", "//etc/pass*d", "x\\*y", "**/é.d"]);
        let files = files.unwrap();
        let home = std::env::home_dir().unwrap().join(".ssh/id").to_string_lossy().replace('\\', "/");
        let paths = ["k/x.pem", ".env", "a/c/d", &home, "/etc/passwd", "x*y", "q/é.d/z", "x.pe", "env", "a/d", "xzy"];
        let all = || paths.map(|path| files.has(path));
        let before = all();
        assert!(files.reach.get().is_none());
        for _ in 0..FEW {
            files.has("src/main.rs");
        }
        assert_eq!((files.reach.get().is_some(), all()), (true, before));
        assert_eq!(before.iter().filter(|is_one| **is_one).count(), 7);
    }

    #[test]
    fn patterns_that_protect_nothing_are_refused() {
        for pattern in [".env|.envrc", ".env,.envrc", ".env .envrc", "!.env", "$HOME/.ssh", "file:///a/.env"] {
            let why = NamedFiles::new(&[pattern]).unwrap_err();
            assert!(why.starts_with(&format!("`{pattern}` is no pattern of paths: ")), "{why}");
        }
        NamedFiles::new(&["*,v", "My Notes/**", "{.env,.envrc}"]).unwrap();
    }
}
