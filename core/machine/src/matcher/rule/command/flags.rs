//! Flags of common programs: which of them mean the same, and which take the next word as their value.
//!
//! The table only widens what a rule selects. A flag that is not in it may take the next word or not, and a program that
//! is not in it may read `-ab` as one flag or as two.

/// How a program reads a word with one dash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// `-ab` is `-a -b`, and `--rec` is `--recursive`.
    Letters,
    /// `-ab` is `-a -b`; long flags are written out.
    WholeNames,
    /// `-ab` is one flag.
    Words,
}

/// What is known of the flags of a program, or of one of its subcommands.
#[derive(Debug)]
pub(super) struct Program {
    /// The program with its other names, or with one of its subcommands.
    names: &'static [&'static str],
    style: Style,
    /// Flags that mean the same. One alone takes no value.
    same: &'static [&'static [&'static str]],
    /// Flags that take the next word as their value.
    valued: &'static [&'static str],
    /// Flags that stand for several.
    several: &'static [(&'static str, &'static [&'static str])],
    /// How a word begins that does what a flag does, as `+main` does in `git push`.
    marks: &'static [(char, &'static str)],
    /// Its words are a list in which each counts for itself.
    pub(super) is_list: bool,
}

/// A program that says nothing of most.
const PLAIN: Program =
    Program { names: &[], style: Style::Letters, same: &[], valued: &[], several: &[], marks: &[], is_list: false };

/// Programs, and subcommands of programs. Where a program has subcommands here, its own row is about what stands before them.
#[rustfmt::skip]
const PROGRAMS: &[Program] = &[
    Program { names: &["rm"], is_list: true,
        same: &[&["-r", "-R", "--recursive"], &["-f", "--force"], &["-d", "--dir"], &["-v", "--verbose"], &["-i"], &["-I"], &["--no-preserve-root"], &["--preserve-root"], &["--one-file-system"], &["--interactive"]], ..PLAIN },
    Program { names: &["rmdir"], is_list: true, same: &[&["-p", "--parents"], &["-v", "--verbose"]], ..PLAIN },
    Program { names: &["shred"], is_list: true, same: &[&["-u", "--remove"], &["-f", "--force"], &["-z", "--zero"], &["-v", "--verbose"]], valued: &["-n", "--iterations", "-s", "--size"], ..PLAIN },
    Program { names: &["cp"], is_list: true,
        same: &[&["-r", "-R", "--recursive"], &["-f", "--force"], &["-a", "--archive"], &["-n", "--no-clobber"], &["-l", "--link"], &["-s", "--symbolic-link"], &["-p"], &["-u", "--update"], &["-v", "--verbose"], &["-i", "--interactive"], &["-L", "--dereference"], &["-P", "--no-dereference"], &["-T", "--no-target-directory"]],
        valued: &["-t", "--target-directory", "-S", "--suffix"], ..PLAIN },
    Program { names: &["mv"], is_list: true,
        same: &[&["-f", "--force"], &["-n", "--no-clobber"], &["-i", "--interactive"], &["-u", "--update"], &["-v", "--verbose"], &["-b", "--backup"], &["-T", "--no-target-directory"]],
        valued: &["-t", "--target-directory", "-S", "--suffix"], ..PLAIN },
    Program { names: &["ln"], is_list: true, same: &[&["-s", "--symbolic"], &["-f", "--force"], &["-n", "--no-dereference"], &["-v", "--verbose"]], valued: &["-t", "--target-directory", "-S", "--suffix"], ..PLAIN },
    Program { names: &["mkdir"], is_list: true, same: &[&["-p", "--parents"], &["-v", "--verbose"]], valued: &["-m", "--mode"], ..PLAIN },
    Program { names: &["chmod"], is_list: true, same: &[&["-R", "--recursive"], &["-v", "--verbose"], &["-c", "--changes"], &["-f", "--silent", "--quiet"]], ..PLAIN },
    Program { names: &["chown", "chgrp"], is_list: true, same: &[&["-R", "--recursive"], &["-v", "--verbose"], &["-c", "--changes"], &["-f", "--silent", "--quiet"], &["-h", "--no-dereference"]], ..PLAIN },
    Program { names: &["truncate"], is_list: true, same: &[&["-c", "--no-create"]], valued: &["-s", "--size", "-r", "--reference"], ..PLAIN },
    Program { names: &["sed"], same: &[&["-i", "--in-place"], &["-n", "--quiet", "--silent"], &["-E", "-r", "--regexp-extended"], &["-s", "--separate"]], valued: &["-e", "--expression", "-f", "--file"], ..PLAIN },
    Program { names: &["rsync"], is_list: true, same: &[&["-a", "--archive"], &["-r", "--recursive"], &["-v", "--verbose"], &["-z", "--compress"], &["-n", "--dry-run"], &["--delete"]], valued: &["-e", "--rsh"], ..PLAIN },
    Program { names: &["kill", "pkill", "killall"], style: Style::Words, is_list: true, same: &[&["-9", "-KILL", "-SIGKILL"], &["-15", "-TERM", "-SIGTERM"]], ..PLAIN },
    Program { names: &["find", "gfind"], style: Style::Words, ..PLAIN },
    Program { names: &["terraform", "tofu"], style: Style::Words, same: &[&["-auto-approve", "--auto-approve"], &["-destroy", "--destroy"], &["-force", "--force"]], ..PLAIN },
    Program { names: &["curl"], is_list: true,
        same: &[&["-o", "--output"], &["-O", "--remote-name"], &["-X", "--request"], &["-d", "--data", "--data-ascii"], &["-F", "--form"], &["-T", "--upload-file"], &["-H", "--header"], &["-u", "--user"], &["-k", "--insecure"], &["-L", "--location"], &["-s", "--silent"], &["-S", "--show-error"], &["-f", "--fail"], &["-x", "--proxy"], &["-A", "--user-agent"], &["-b", "--cookie"], &["-c", "--cookie-jar"], &["-K", "--config"], &["-e", "--referer"], &["-m", "--max-time"], &["-w", "--write-out"], &["-i", "--include", "--show-headers"], &["-I", "--head"], &["-v", "--verbose"], &["-G", "--get"], &["-r", "--range"], &["-E", "--cert"], &["-C", "--continue-at"], &["-D", "--dump-header"], &["-J", "--remote-header-name"], &["-n", "--netrc"], &["-N", "--no-buffer"], &["-g", "--globoff"], &["-Z", "--parallel"], &["-4", "--ipv4"], &["-6", "--ipv6"]],
        valued: &["-o", "--output", "-X", "--request", "-d", "--data", "--data-ascii", "--data-raw", "--data-binary", "--data-urlencode", "--json", "-F", "--form", "-T", "--upload-file", "-H", "--header", "-u", "--user", "-x", "--proxy", "-A", "--user-agent", "-b", "--cookie", "-c", "--cookie-jar", "-K", "--config", "-e", "--referer", "-m", "--max-time", "-w", "--write-out", "-r", "--range", "-E", "--cert", "-C", "--continue-at", "-D", "--dump-header", "--url", "--output-dir", "--connect-timeout", "--retry", "--cacert", "--resolve"], ..PLAIN },
    Program { names: &["wget"], is_list: true,
        same: &[&["-O", "--output-document"], &["-P", "--directory-prefix"], &["-i", "--input-file"], &["-q", "--quiet"], &["-r", "--recursive"], &["-c", "--continue"], &["-N", "--timestamping"], &["-nc", "--no-clobber"], &["--no-check-certificate"]],
        valued: &["-O", "--output-document", "-P", "--directory-prefix", "-i", "--input-file", "-U", "--user-agent", "-e", "--execute", "-o", "--output-file", "-a", "--append-output", "-t", "--tries", "-T", "--timeout", "--post-data", "--post-file", "--header"], ..PLAIN },
    Program { names: &["git"],
        same: &[&["-p", "--paginate"], &["-P", "--no-pager"], &["-h", "--help"], &["-v", "--version"], &["--bare"], &["--no-replace-objects"], &["--literal-pathspecs"], &["--no-optional-locks"], &["--glob-pathspecs"], &["--noglob-pathspecs"], &["--icase-pathspecs"], &["--no-lazy-fetch"], &["--no-advice"]],
        valued: &["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--attr-source"], ..PLAIN },
    Program { names: &["git push"],
        same: &[&["-f", "--force"], &["-d", "--delete"], &["-u", "--set-upstream"], &["-n", "--dry-run"], &["-q", "--quiet"], &["-v", "--verbose"], &["--all", "--branches"], &["--force-with-lease"], &["--force-if-includes"], &["--mirror"], &["--tags"], &["--follow-tags"], &["--no-verify"], &["--prune"], &["--atomic"], &["--thin"], &["--porcelain"], &["--progress"], &["-4", "--ipv4"], &["-6", "--ipv6"]],
        valued: &["-o", "--push-option", "--repo", "--receive-pack", "--exec"], marks: &[('+', "-f"), (':', "-d")], ..PLAIN },
    Program { names: &["git reset"], same: &[&["--hard"], &["--soft"], &["--mixed"], &["--merge"], &["--keep"], &["-q", "--quiet"], &["-p", "--patch"], &["-N", "--intent-to-add"]], ..PLAIN },
    Program { names: &["git clean"], same: &[&["-f", "--force"], &["-d"], &["-x"], &["-X"], &["-n", "--dry-run"], &["-q", "--quiet"], &["-i", "--interactive"]], valued: &["-e", "--exclude"], ..PLAIN },
    Program { names: &["git commit"],
        same: &[&["-a", "--all"], &["-n", "--no-verify"], &["-m", "--message"], &["-F", "--file"], &["-C", "--reuse-message"], &["-c", "--reedit-message"], &["-t", "--template"], &["-s", "--signoff"], &["-q", "--quiet"], &["-v", "--verbose"], &["-p", "--patch"], &["-o", "--only"], &["-i", "--include"], &["-e", "--edit"], &["-z", "--null"], &["--amend"], &["--no-edit"], &["--allow-empty"], &["--no-gpg-sign"], &["--dry-run"], &["--reset-author"]],
        valued: &["-m", "--message", "-F", "--file", "-C", "--reuse-message", "-c", "--reedit-message", "-t", "--template", "--author", "--date", "--fixup", "--squash", "--trailer"], ..PLAIN },
    Program { names: &["git checkout"], same: &[&["-f", "--force"], &["-q", "--quiet"], &["-p", "--patch"], &["-d", "--detach"], &["-m", "--merge"], &["--ours"], &["--theirs"]], valued: &["-b", "-B", "--orphan"], ..PLAIN },
    Program { names: &["git switch"], same: &[&["-f", "--force", "--discard-changes"], &["-c", "--create"], &["-C", "--force-create"], &["-d", "--detach"], &["-q", "--quiet"]], valued: &["-c", "--create", "-C", "--force-create", "--orphan"], ..PLAIN },
    Program { names: &["git restore"], same: &[&["-S", "--staged"], &["-W", "--worktree"], &["-s", "--source"], &["-q", "--quiet"], &["-p", "--patch"]], valued: &["-s", "--source"], ..PLAIN },
    Program { names: &["git branch"], same: &[&["-d", "--delete"], &["-f", "--force"], &["-m", "--move"], &["-c", "--copy"], &["-a", "--all"], &["-r", "--remotes"], &["-q", "--quiet"], &["-v", "--verbose"]],
        several: &[("-D", &["-d", "-f"]), ("-M", &["-m", "-f"]), ("-C", &["-c", "-f"])], valued: &["-u", "--set-upstream-to"], ..PLAIN },
    Program { names: &["git tag"], same: &[&["-d", "--delete"], &["-f", "--force"], &["-a", "--annotate"], &["-s", "--sign"], &["-l", "--list"], &["-m", "--message"], &["-F", "--file"]], valued: &["-m", "--message", "-F", "--file", "-u", "--local-user"], ..PLAIN },
    Program { names: &["git add"], same: &[&["-A", "--all", "--no-ignore-removal"], &["-f", "--force"], &["-u", "--update"], &["-p", "--patch"], &["-n", "--dry-run"], &["-i", "--interactive"], &["-e", "--edit"], &["-v", "--verbose"], &["-N", "--intent-to-add"]], ..PLAIN },
    Program { names: &["git rm"], same: &[&["-r"], &["-f", "--force"], &["-n", "--dry-run"], &["-q", "--quiet"], &["--cached"]], ..PLAIN },
    Program { names: &["git worktree"], same: &[&["-f", "--force"], &["-d", "--detach"]], valued: &["-b", "-B"], ..PLAIN },
    Program { names: &["docker", "podman"], style: Style::WholeNames, same: &[&["-D", "--debug"], &["-v", "--version"], &["--tls"], &["--tlsverify"]], valued: &["-H", "--host", "-c", "--context", "-l", "--log-level", "--config"], ..PLAIN },
    Program { names: &["docker run", "docker create", "docker exec", "podman run", "podman create", "podman exec"], style: Style::WholeNames,
        same: &[&["-v", "--volume"], &["-p", "--publish"], &["-e", "--env"], &["-w", "--workdir"], &["-u", "--user"], &["-i", "--interactive"], &["-t", "--tty"], &["-d", "--detach"], &["-P", "--publish-all"], &["-m", "--memory"], &["-h", "--hostname"], &["-l", "--label"], &["--net", "--network"], &["--privileged"], &["--rm"], &["--init"], &["--read-only"]],
        valued: &["-v", "--volume", "-p", "--publish", "-e", "--env", "-w", "--workdir", "-u", "--user", "-m", "--memory", "-h", "--hostname", "-l", "--label", "--net", "--network", "--name", "--pid", "--ipc", "--userns", "--mount", "--entrypoint", "--cap-add", "--cap-drop", "--security-opt", "--env-file", "--platform", "--device", "--volumes-from", "--gpus", "--add-host", "--restart"], ..PLAIN },
    Program { names: &["docker rm", "podman rm"], style: Style::WholeNames, same: &[&["-f", "--force"], &["-v", "--volumes"], &["-l", "--link"]], ..PLAIN },
    Program { names: &["docker rmi", "docker image", "docker volume", "docker system", "docker container", "docker network", "docker builder", "podman rmi", "podman image", "podman volume", "podman system", "podman container"], style: Style::WholeNames, same: &[&["-f", "--force"], &["-a", "--all"], &["-v", "--volumes"]], ..PLAIN },
    Program { names: &["docker compose", "podman compose"], style: Style::WholeNames, same: &[&["-v", "--volumes"], &["-d", "--detach"]], valued: &["-f", "--file", "-p", "--project-name", "--profile", "--env-file", "--project-directory"], ..PLAIN },
    Program { names: &["kubectl", "oc"], style: Style::WholeNames, same: &[&["-n", "--namespace"], &["-f", "--filename"], &["-A", "--all-namespaces"], &["-l", "--selector"], &["-o", "--output"], &["--all"], &["--force"], &["-R", "--recursive"]],
        valued: &["-n", "--namespace", "-f", "--filename", "-l", "--selector", "-o", "--output", "--context", "--kubeconfig", "--cluster", "--user", "--grace-period"], ..PLAIN },
    Program { names: &["npm", "pnpm"], style: Style::WholeNames, same: &[&["-g", "--global"], &["-f", "--force"], &["-D", "--save-dev"], &["-S", "--save"], &["-y", "--yes"], &["-w", "--workspace"], &["-C", "--prefix", "--dir"], &["-s", "--silent"]], valued: &["-w", "--workspace", "-C", "--prefix", "--dir", "--registry", "--tag"], ..PLAIN },
    Program { names: &["pip", "pip3"], same: &[&["-r", "--requirement"], &["-e", "--editable"], &["-U", "--upgrade"], &["-t", "--target"], &["-i", "--index-url"], &["-y", "--yes"], &["-q", "--quiet"]], valued: &["-r", "--requirement", "-e", "--editable", "-t", "--target", "-i", "--index-url", "--extra-index-url", "-c", "--constraint"], ..PLAIN },
    Program { names: &["apt", "apt-get"], same: &[&["-y", "--yes", "--assume-yes"], &["-q", "--quiet"]], valued: &["-o", "--option", "-c", "--config-file", "-t", "--target-release"], ..PLAIN },
    Program { names: &["gh"], style: Style::WholeNames, same: &[&["-R", "--repo"], &["-y", "--yes"]], valued: &["-R", "--repo"], ..PLAIN },
];

/// A program whose flags are known.
pub(super) fn of(name: &str) -> Option<&'static Program> {
    PROGRAMS.iter().find(|program| program.names.contains(&name))
}

/// What is known of flags behind a subcommand: those of the program where it has no subcommands in the table.
pub(super) fn of_subcommand(name: &str, subcommand: &str) -> Option<&'static Program> {
    let has_subcommands = |known: &&str| known.strip_prefix(name).is_some_and(|behind| behind.starts_with(' '));
    if PROGRAMS.iter().flat_map(|program| program.names).any(has_subcommands) {
        return of(&format!("{name} {subcommand}"));
    }
    of(name)
}

/// Whether a flag takes the next word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    Yes,
    No,
    Unknown,
}

/// A word that begins with a dash.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Flag {
    /// The word as it is written, without its value.
    pub(super) written: String,
    /// Every flag that the word may set, each by the first of its names.
    pub(super) sets: Vec<String>,
    /// The value in the same word.
    pub(super) value: Option<String>,
    pub(super) takes: Takes,
}

/// The longest word with one dash that is read as letters when nothing is known of the program, in letters.
const MAX_LETTERS: usize = 5;

/// Reads a word that begins with a dash.
pub(super) fn read(program: Option<&Program>, word: &str) -> Flag {
    let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value.to_owned())));
    let is_one = name.starts_with("--") || program.is_some_and(|program| program.style == Style::Words);
    let Some(program) = program else {
        let letters = letters(name).filter(|_| !is_one && name.chars().count() <= MAX_LETTERS + 1);
        let sets = std::iter::once(name.to_owned()).chain(letters.into_iter().flatten()).collect();
        return Flag { written: name.to_owned(), sets, value, takes: Takes::Unknown };
    };
    if !is_one {
        return program.cluster(word);
    }
    let sets = program.meant(name);
    let takes = if value.is_some() { Takes::No } else { program.takes(name) };
    Flag { written: name.to_owned(), sets, value, takes }
}

/// `-ab` as `-a` and `-b`.
fn letters(word: &str) -> Option<impl Iterator<Item = String>> {
    let letters = word.strip_prefix('-').filter(|letters| letters.chars().all(|c| c.is_ascii_alphanumeric()))?;
    (letters.len() > 1).then(|| letters.chars().map(|letter| format!("-{letter}")))
}

impl Program {
    /// The flag that a word is which begins otherwise: `+main`.
    pub(super) fn mark(&self, word: &str) -> Option<&'static str> {
        let begun = |(mark, _): &&(char, &str)| word.starts_with(*mark);
        self.marks.iter().find(begun).map(|(_, flag)| *flag)
    }

    /// The flags that a name means, each by the first of its names.
    fn meant(&self, name: &str) -> Vec<String> {
        if let Some((_, several)) = self.several.iter().find(|(known, _)| *known == name) {
            return several.iter().map(|&flag| flag.to_owned()).collect();
        }
        if let Some(same) = self.same.iter().find(|same| same.contains(&name)) {
            return same.first().iter().map(|&&first| first.to_owned()).collect();
        }
        let is_short = |known: &&str| known.starts_with(name) && name.len() > 2;
        let mut meant = vec![name.to_owned()];
        if self.style == Style::Letters && !self.valued.contains(&name) {
            let begun = self.same.iter().filter(|same| same.iter().any(is_short));
            meant.extend(begun.filter_map(|same| same.first()).map(|&first| first.to_owned()));
        }
        meant
    }

    fn takes(&self, name: &str) -> Takes {
        if self.valued.contains(&name) {
            Takes::Yes
        } else if self.several.iter().any(|(known, _)| *known == name)
            || self.same.iter().any(|same| same.contains(&name))
        {
            Takes::No
        } else {
            Takes::Unknown
        }
    }

    /// `-abVALUE`.
    fn cluster(&self, word: &str) -> Flag {
        let mut flag = Flag { written: word.to_owned(), sets: Vec::new(), value: None, takes: Takes::No };
        for (at, letter) in word.char_indices().skip(1) {
            let name = format!("-{letter}");
            let behind = word.get(at + letter.len_utf8()..).unwrap_or_default();
            flag.takes = self.takes(&name);
            flag.sets.extend(self.meant(&name));
            if flag.takes == Takes::Yes && !behind.is_empty() {
                flag.value = Some(behind.strip_prefix('=').unwrap_or(behind).to_owned());
                flag.takes = Takes::No;
                break;
            }
        }
        if let Some(same) = self.same.iter().find(|same| same.contains(&word)) {
            flag.sets.extend(same.first().map(|&first| first.to_owned()));
        }
        flag
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_there_once_and_says_nothing_twice() {
        let names: Vec<&str> = PROGRAMS.iter().flat_map(|program| program.names).copied().collect();
        for (at, name) in names.iter().enumerate() {
            assert!(!names[..at].contains(name), "{name} is there twice");
        }
        for program in PROGRAMS {
            let flags: Vec<&str> = program.same.iter().flat_map(|same| same.iter()).copied().collect();
            for (at, flag) in flags.iter().enumerate() {
                assert!(flag.starts_with('-') && !flags[..at].contains(flag), "{:?}: {flag}", program.names);
            }
            let several = program.several.iter().flat_map(|(_, several)| several.iter());
            for flag in several.chain(program.marks.iter().map(|(_, flag)| flag)) {
                let is_first = program.same.iter().any(|same| same.first() == Some(flag));
                assert!(is_first, "{:?}: {flag} is the first name of none", program.names);
            }
        }
    }

    #[test]
    fn forms_of_a_flag_are_one_flag() {
        let sets = |program: &str, word: &str| read(of(program), word).sets;
        for (program, forms) in [
            ("rm", &["-r", "-R", "--recursive", "--rec"][..]),
            ("git push", &["-f", "--force"]),
            ("git branch", &["-D", "-df"]),
            ("curl", &["-o", "--output", "-ox", "--output=x"]),
            ("docker run", &["-v", "--volume", "-v/:/host"]),
            ("kill", &["-9", "-KILL", "-SIGKILL"]),
        ] {
            let first = sets(program, forms[0]);
            assert!(forms.iter().all(|form| first.iter().all(|flag| sets(program, form).contains(flag))), "{program}");
        }
        assert_eq!(sets("rm", "-rfv"), ["-r", "-f", "-v"]);
        assert_eq!(sets("find", "-delete"), ["-delete"]);
        assert_eq!(read(None, "-ab").sets, ["-ab", "-a", "-b"]);
        assert_eq!(read(None, "-delete").sets, ["-delete"]);
    }

    #[test]
    fn a_flag_takes_the_next_word_or_not() {
        let takes = |program: &str, word: &str| read(of(program), word).takes;
        assert_eq!(takes("git", "-C"), Takes::Yes);
        assert_eq!(takes("git", "--git-dir=x"), Takes::No);
        assert_eq!(takes("curl", "-sSLo"), Takes::Yes);
        assert_eq!(takes("rm", "-rf"), Takes::No);
        assert_eq!(takes("git", "--unheard-of"), Takes::Unknown);
        assert_eq!(read(of("curl"), "-XPOST").value.as_deref(), Some("POST"));
        assert_eq!(of_subcommand("git", "push").map(|known| known.names[0]), Some("git push"));
        assert!(of_subcommand("git", "log").is_none());
        assert_eq!(of_subcommand("npm", "install").map(|known| known.names[0]), Some("npm"));
    }
}
