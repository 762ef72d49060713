//! What kind of file a path is.

use std::ffi::OsStr;
use std::path::{Component, Path};

use clap::ValueEnum;

/// A kind of file that holds commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Kind {
    /// A script of a shell.
    Shell,
    /// A script of PowerShell.
    #[value(name = "powershell")]
    PowerShell,
    /// Recipes of make.
    Makefile,
    /// `RUN` of a Dockerfile.
    Dockerfile,
    /// `run` of a workflow or an action of GitHub.
    Github,
    /// `script` of a pipeline of GitLab.
    Gitlab,
    /// `scripts` of a package.json.
    Npm,
    /// Calls that an agent recorded.
    Session,
}

impl Kind {
    /// The kind by a file's path, or else by how its text begins.
    pub(crate) fn of(path: &Path, begin: impl FnOnce() -> Option<String>) -> Option<Self> {
        let lower = |part: Option<&OsStr>| part.map(|part| part.to_string_lossy().to_ascii_lowercase());
        let name = lower(path.file_name())?;
        let ending = lower(path.extension()).unwrap_or_default();
        let is_named = |names: &[&str]| {
            names.iter().any(|known| {
                name.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
                    || ending == *known
            })
        };
        Some(match ending.as_str() {
            _ if is_named(&["makefile", "gnumakefile"]) => Self::Makefile,
            _ if is_named(&["dockerfile", "containerfile"]) => Self::Dockerfile,
            _ if name == "package.json" => Self::Npm,
            "sh" | "bash" | "dash" | "ksh" | "zsh" => Self::Shell,
            "ps1" => Self::PowerShell,
            "mk" => Self::Makefile,
            "jsonl" => Self::Session,
            "yml" | "yaml" if name.contains(".gitlab-ci.") => Self::Gitlab,
            "yml" | "yaml" if name.starts_with("action.") || is_workflow(path) => Self::Github,
            "" => return begin().filter(|line| names_shell(line)).map(|_| Self::Shell),
            _ => return None,
        })
    }
}

/// Whether a file lies where workflows do.
fn is_workflow(path: &Path) -> bool {
    let mut folders = path.parent().into_iter().flat_map(Path::components).rev().map(Component::as_os_str);
    let is_inner = folders.next().is_some_and(|name| name == "workflows");
    is_inner && folders.next().is_some_and(|name| matches!(name.to_str(), Some(".github" | ".gitea" | ".forgejo")))
}

/// Whether a first line says that a shell runs the file.
fn names_shell(line: &str) -> bool {
    let Some(words) = line.strip_prefix("#!") else { return false };
    let mut words = words.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or_default());
    words.any(|word| matches!(word, "sh" | "bash" | "dash" | "ksh" | "zsh" | "ash"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_known_by_its_path_or_its_first_line() {
        let kind = |path: &str, begin: &str| Kind::of(Path::new(path), || Some(begin.to_owned()));
        for (path, known) in [
            ("a/deploy.sh", Kind::Shell),
            ("Makefile", Kind::Makefile),
            ("GNUmakefile", Kind::Makefile),
            ("rules.mk", Kind::Makefile),
            ("Dockerfile.dev", Kind::Dockerfile),
            ("web.Dockerfile", Kind::Dockerfile),
            ("x/.github/workflows/ci.yml", Kind::Github),
            ("action.yaml", Kind::Github),
            ("ci/lint.gitlab-ci.yml", Kind::Gitlab),
            (".gitlab-ci.yml", Kind::Gitlab),
            ("package.json", Kind::Npm),
            ("a.jsonl", Kind::Session),
        ] {
            assert_eq!(kind(path, ""), Some(known), "{path}");
        }
        assert_eq!(kind("pre-push", "#!/usr/bin/env -S bash -e"), Some(Kind::Shell));
        assert_eq!(kind("pre-push", "#!/usr/bin/python3"), None);
        assert_eq!(kind("workflows/ci.yml", ""), None);
        assert_eq!(kind("makefiles.txt", ""), None);
    }
}
