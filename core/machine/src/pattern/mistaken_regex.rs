//! Regular expressions where a rule or a glob stands: what gives them away, and what is meant.

/// The most rules that a group of alternatives is written out as.
const MOST_MEANT: usize = 6;

/// Programs whose arguments may be regular expressions.
const TAKE_PATTERNS: &[&str] =
    &["ack", "ag", "awk", "egrep", "expr", "find", "gawk", "git grep", "grep", "jq", "perl", "rg", "sed"];

/// Programs that no host calls a tool.
pub(crate) const PROGRAMS: &[&str] = &[
    "apt",
    "apt-get",
    "aws",
    "az",
    "brew",
    "cargo",
    "chgrp",
    "chmod",
    "chown",
    "cp",
    "crontab",
    "curl",
    "dd",
    "docker",
    "dropdb",
    "gcloud",
    "gh",
    "git",
    "helm",
    "kill",
    "killall",
    "kubectl",
    "mkfs",
    "mv",
    "npm",
    "npx",
    "pip",
    "pip3",
    "pkill",
    "pnpm",
    "psql",
    "reboot",
    "rm",
    "rmdir",
    "scp",
    "shred",
    "shutdown",
    "ssh",
    "su",
    "sudo",
    "systemctl",
    "terraform",
    "truncate",
    "unlink",
    "wget",
    "yarn",
];

/// Folders in which others of one letter are usual: `/mnt/g` is no expression with a flag.
const FOLDERS: &[&str] = &["data", "dev", "home", "media", "mnt", "opt", "srv", "tmp", "usr", "var"];

/// What regular expressions write, and what command rules write for it; in this order.
const OF_COMMANDS: &[(&str, &str)] = &[
    ("(?:", "("),
    (r"\s+", " "),
    (r"\s*", " "),
    (r"\s", " "),
    (r"\b", ""),
    (r"\S+", "*"),
    (r"\S*", "*"),
    (r"\w+", "*"),
    (r"\d+", "*"),
    (").*", ") *"),
    (".*", "*"),
    (".+", "*"),
    (r"\.", "."),
    (r"\-", "-"),
    (r"\/", "/"),
];

/// The same of globs over paths.
const OF_PATHS: &[(&str, &str)] = &[
    ("(?:", "("),
    ("[^/]*", "*"),
    ("[^/]+", "*"),
    (".+", ".*"),
    (r"\/", "/"),
    ("/.*/", "/**/"),
    ("/.*", "/**/*"),
    (".*/", "**/"),
    (".*", "*"),
    (r"\.", "."),
    (r"\-", "-"),
];

/// The command rules that a text means which can only be a regular expression; none if rules cannot say it.
pub(crate) fn of_command(text: &str) -> Option<Vec<String>> {
    if !is_of_command(text) {
        return None;
    }
    let (inner, is_whole) = anchored(text);
    let alternatives = alternatives(&replaced(inner, OF_COMMANDS)).unwrap_or_default();
    let mut rules: Vec<String> = Vec::new();
    for alternative in &alternatives {
        let Some(rule) = command_rule(alternative, is_whole) else { return Some(Vec::new()) };
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    Some(if rules.len() > MOST_MEANT { Vec::new() } else { rules })
}

/// Whether a text over command lines can only be a regular expression; what stands in quotes may be an argument.
fn is_of_command(text: &str) -> bool {
    let program = text.split_whitespace().next().unwrap_or_default();
    if text.starts_with('^') || program.contains('|') {
        return true;
    }
    let is_of = |name: &&str| text.strip_prefix(*name).is_some_and(|rest| rest.starts_with(char::is_whitespace));
    if TAKE_PATTERNS.iter().any(is_of) || text.contains(['\'', '"']) {
        return false;
    }
    ends_with_anchor(text) || has_class(text) || has_alternatives(text) || text.contains(".+")
}

/// Whether a text over command lines may be a regular expression, and may also be meant as it stands: `rm -rf .*`.
pub(crate) fn may_be_of_command(text: &str) -> bool {
    !text.contains(['\'', '"']) && text.contains(".*") && !text.contains("..*")
}

/// The glob that a text means which can only be a regular expression over paths; empty if no glob says the same.
pub(crate) fn of_path(text: &str) -> Option<String> {
    let is_certain = text.starts_with('^')
        || ends_with_anchor(text)
        || has_alternatives(text)
        || [r".*\.", r".+\.", "[^/]+", "(?:"].iter().any(|sign| text.contains(sign));
    if !is_certain {
        return None;
    }
    let (inner, _) = anchored(text);
    let mut glob = replaced(inner, OF_PATHS);
    if let Some(within) = glob.strip_suffix("/**/*") {
        glob = format!("{within}/**");
    }
    while let Some((before, rest)) = glob.split_once('(') {
        let Some((group, behind)) = rest.split_once(')') else { break };
        glob = format!("{before}{{{}}}{behind}", group.replace('|', ","));
    }
    if !text.starts_with('^') && glob.contains('/') && !glob.starts_with(['*', '/']) {
        glob = format!("**/{glob}");
    }
    Some(if glob.contains(['\\', '^', '$', '(', ')', '|', '+']) { String::new() } else { glob })
}

/// The regular expression that a text means which is written as in JavaScript (`/rm/i`), so that its slashes would be looked
/// for. Over texts that have paths `/etc/` may be a folder.
pub(crate) fn of_javascript(text: &str, may_have_paths: bool) -> Option<String> {
    let (inner, flags) = text.strip_prefix('/')?.rsplit_once('/')?;
    let is_literal = !inner.is_empty() && !inner.replace(r"\/", "").contains('/');
    if !is_literal || !flags.chars().all(|flag| "dgimsuvy".contains(flag)) {
        return None;
    }
    let program = inner.split(|c: char| c.is_whitespace() || c == '\\').next().unwrap_or_default();
    let is_certain = if flags.is_empty() {
        PROGRAMS.contains(&program) || inner.starts_with('^') || inner.ends_with('$') || inner.contains(r"\s")
    } else {
        !FOLDERS.contains(&inner)
    };
    // A global or sticky search finds no more.
    let kept: String = flags.chars().filter(|flag| "ims".contains(*flag)).collect();
    let kept = if kept.is_empty() { kept } else { format!("(?{kept})") };
    (is_certain || !may_have_paths).then(|| format!("{kept}{}", inner.replace(r"\/", "/")))
}

/// A text without its anchors, and whether it was anchored at its end.
fn anchored(text: &str) -> (&str, bool) {
    let text = text.strip_prefix('^').unwrap_or(text);
    let end = text.strip_suffix('$');
    (end.unwrap_or(text), end.is_some())
}

/// A `$` that stands behind other letters and is not escaped.
fn ends_with_anchor(text: &str) -> bool {
    let before = text.strip_suffix('$').and_then(|before| before.chars().next_back());
    before.is_some_and(|letter| !letter.is_whitespace() && !matches!(letter, '\\' | '/'))
}

/// `\s`, `\b`, `\w`, `\d` where no name of a file goes on: `C:\windows` has none.
fn has_class(text: &str) -> bool {
    text.match_indices('\\').any(|(at, _)| {
        let mut behind = text.get(at + 1..).unwrap_or_default().chars();
        let is_class = behind.next().is_some_and(|letter| "sSbBwWdD".contains(letter));
        is_class && behind.next().is_none_or(|letter| !letter.is_alphanumeric() && letter != '\\')
    })
}

/// `(push|pull)`.
fn has_alternatives(text: &str) -> bool {
    let groups = text.split('(').skip(1).filter_map(|rest| rest.split_once(')'));
    groups.into_iter().any(|(group, _)| group.contains('|'))
}

fn replaced(text: &str, table: &[(&str, &str)]) -> String {
    table.iter().fold(text.to_owned(), |text, (theirs, ours)| text.replace(theirs, ours))
}

/// The texts that groups of alternatives stand for; `None` if a group is repeated, or there are too many.
fn alternatives(text: &str) -> Option<Vec<String>> {
    let Some((before, rest)) = text.rsplit_once('(') else {
        return Some(text.split('|').map(str::to_owned).collect());
    };
    let (group, behind) = rest.split_once(')')?;
    if behind.starts_with(['?', '*', '+', '{']) {
        return None;
    }
    let mut all = Vec::new();
    for one in group.split('|') {
        all.extend(alternatives(&format!("{before}{one}{behind}"))?);
        if all.len() > MOST_MEANT * MOST_MEANT {
            return None;
        }
    }
    Some(all)
}

/// A rule over one command: with any arguments unless its end was meant.
fn command_rule(text: &str, is_whole: bool) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    let text = text.trim_start_matches(['*', ' ']);
    let is_plain = |letter: char| !r"\^$()[]{}|+?".contains(letter);
    if text.is_empty() || !text.chars().all(is_plain) {
        return None;
    }
    let head = text.trim_end_matches(['*', ' ']);
    Some(match text.strip_prefix(head) {
        Some("") if is_whole => text.to_owned(),
        Some("*") if !head.ends_with(char::is_alphanumeric) => text.to_owned(),
        _ => format!("{head} *"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_regular_expression_over_commands_is_a_rule_or_several() {
        for (text, meant) in [
            ("^rm .*", &["rm *"][..]),
            (r"rm\s+-rf.*", &["rm -rf *"]),
            ("rm|dd", &["rm *", "dd *"]),
            ("git (push|pull) *", &["git push *", "git pull *"]),
            ("(rm|dd)$", &["rm", "dd"]),
            (r"\bsudo\b", &["sudo *"]),
            (
                r"^(?:npm|yarn)\s+(publish|unpublish)\b.*$",
                &["npm publish *", "yarn publish *", "npm unpublish *", "yarn unpublish *"],
            ),
            ("^rm -rf /.*", &["rm -rf /*"]),
            ("rm -(r|f)+ .*", &[]),
            ("^.*$", &[]),
        ] {
            let meant = meant.iter().map(|rule| (*rule).to_owned()).collect::<Vec<_>>();
            assert_eq!(of_command(text), Some(meant), "{text}");
        }
        for text in [
            "rm -rf .*",
            "git push *",
            "grep (a|b) *",
            "grep foo$",
            r"dir C:\windows\system32 *",
            "echo '(a|b)$'",
            "find . -name *.js *",
            "echo $",
            "npm run test:*",
            r"echo \* *",
        ] {
            assert_eq!(of_command(text), None, "{text}");
        }
    }

    #[test]
    fn a_regular_expression_over_paths_is_a_glob() {
        for (text, meant) in [
            (r".*\.env$", "*.env"),
            ("^src/.*", "src/**"),
            (r"^src/.*\.(ts|js)$", "src/**/*.{ts,js}"),
            (r"secrets/.*\.key$", "**/secrets/**/*.key"),
            ("^.*/secrets/.*$", "**/secrets/**"),
            (r"[^/]+\.pem$", "*.pem"),
            (r"^\w{3}$", ""),
        ] {
            assert_eq!(of_path(text).as_deref(), Some(meant), "{text}");
        }
        for text in ["*.env", ".*", "src/**", "app/(group)/page.tsx", "a/$", r"a\$", "{a,b}|c", "[!a]*"] {
            assert_eq!(of_path(text), None, "{text}");
        }
    }
}
