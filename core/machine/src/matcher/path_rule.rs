//! Patterns over file paths, by the rules of `.gitignore`.

use super::MatchResult;
use crate::path::{PathForms, base_name, compose};
use crate::pattern::{Glob, no_glob};

/// A pattern over file paths.
#[derive(Debug, Clone)]
pub(super) struct PathRule {
    written: String,
    glob: Glob,
    from: From,
}

/// Where a path pattern begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum From {
    /// The working directory, or the project's.
    Here,
    /// Any directory: the pattern is one name.
    Anywhere,
    /// The root of the file system.
    Root,
    /// The working directory, the project's or the root: which one depends on the file that the rule stands in.
    HereOrRoot,
}

impl PathRule {
    /// The rules of `.gitignore`: a pattern with a `/` begins at the working directory, one name is found anywhere,
    /// and what matches a directory matches everything in it.
    pub(super) fn new(content: &str) -> Result<Self, String> {
        if let Some(why) = no_glob(content) {
            return Err(why);
        }
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
        Ok(Self { written: content.to_owned(), glob: glob(rest, true)?, from })
    }

    pub(super) fn judge(&self, path: &PathForms) -> MatchResult {
        if path.is_open(matches!(self.from, From::Here | From::HereOrRoot)) {
            return MatchResult::INDETERMINATE;
        }
        MatchResult {
            selects: path.forms().any(|form| self.hits(form)),
            grants_all: path.places.iter().all(|place| match self.from {
                From::Root => self.hits(&place.full),
                From::Here | From::Anywhere | From::HereOrRoot => place.all_relative(|inside| self.hits(inside)),
            }),
        }
    }

    /// The pattern as it is written.
    pub(super) fn written(&self) -> &str {
        &self.written
    }

    /// Whether it is one name, which is found in any directory.
    pub(super) fn is_anywhere(&self) -> bool {
        self.from == From::Anywhere
    }

    /// Globs of which one matches every path that [`Self::hits`], as it is without `./` at its start.
    pub(super) fn reach(&self) -> [String; 2] {
        let text = self.glob.written().glob();
        let above = if self.from == From::Root { "" } else { "**/" };
        [format!("{above}{text}"), format!("{above}{text}/**")]
    }

    /// Whether a path or a directory that it lies in matches.
    pub(super) fn hits(&self, path: &str) -> bool {
        let path = without_here(path);
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

/// A path without `./` at its start.
pub(super) fn without_here(path: &str) -> &str {
    path.trim_start_matches("./")
}

/// A pattern in which a backslash takes a letter for itself.
pub(super) fn glob(text: &str, by_directory: bool) -> Result<Glob, String> {
    Glob::new(text, |glob| glob.literal_separator(by_directory).backslash_escape(true).empty_alternates(true))
}
