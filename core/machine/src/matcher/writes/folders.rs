//! Commands that reach more files than their words name: those that give a folder a second name, and those that put into a
//! folder what another one or an archive holds.

use std::borrow::Cow;

use hookweave_command::{Simple, Word, program_name};

use super::{Lines, PATTERN};
use crate::matcher::directories::{hides, join};
use crate::matcher::values;
use crate::pattern::Glob;

/// Programs that give each folder that they are given another name.
const LINK: &[&str] = &["bindfs", "link", "lndir", "mklink", "mount", "new-item"];

/// Programs that get the folder into which they copy from elsewhere where no word names it.
const FED: &[&str] = &["cp", "mv", "rsync", "scp"];

/// What of a text that is a program makes links, copies folders or unpacks archives.
const IN_TEXTS: &[&str] = &["copytree", "cpSync", "extractall", "os.link", "linkSync", "symlink", "unpack_archive"];

/// What a command reaches.
#[derive(Default)]
struct Reach<'c> {
    /// Folders and files that get a second name.
    linked: Vec<Cow<'c, Word>>,
    /// Folders that are filled, with the folder whose contents come into them, if one is named.
    filled: Vec<(Cow<'c, Word>, Option<Cow<'c, Word>>)>,
    /// What is put into a folder under its own name, or becomes it where it is not there: what, and the folder.
    moved: Vec<(Cow<'c, Word>, Cow<'c, Word>)>,
    /// The folder may become it also where it is there.
    replaces: bool,
}

impl<'c> Reach<'c> {
    fn fills(words: impl IntoIterator<Item = Cow<'c, Word>>) -> Self {
        Self { filled: words.into_iter().map(|word| (word, None)).collect(), ..Self::default() }
    }

    /// Into the working directory, unless a folder is named.
    fn fills_or_here(into: Option<Cow<'c, Word>>) -> Self {
        Self::fills([into.unwrap_or_else(|| Cow::Owned(Word::of(".")))])
    }

    const fn is_nothing(&self) -> bool {
        self.filled.is_empty() && self.moved.is_empty()
    }
}

/// What `cp` and its kin are given: what they copy, and into which folder.
struct Operands<'c> {
    sources: Vec<&'c Word>,
    target: Option<Cow<'c, Word>>,
    /// The target is never a folder into which something is put.
    is_whole: bool,
}

impl<'c> Operands<'c> {
    /// Those of a program that knows the options `-t` and `-T`, or not.
    fn of(args: &'c [Word], has_target: bool) -> Self {
        let mut sources: Vec<&Word> = Vec::new();
        let (mut target, mut is_whole, mut are_options) = (None, false, true);
        let mut words = args.iter();
        while let Some(word) = words.next() {
            let text = word.plain.as_str();
            if !are_options || !text.starts_with('-') || text == "-" {
                sources.push(word);
            } else if text == "--" {
                are_options = false;
            } else if !has_target {
                // An option, whose value is taken for a file.
            } else if let Some(long) = text.strip_prefix("--") {
                let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
                if name.starts_with("target") {
                    target =
                        value.map(|value| Cow::Owned(word.with(value))).or_else(|| words.next().map(Cow::Borrowed));
                }
                is_whole |= name.starts_with("no-t");
            } else if let Some((before, behind)) = text.split_once('t') {
                is_whole |= before.contains('T');
                target = if behind.is_empty() {
                    words.next().map(Cow::Borrowed)
                } else {
                    Some(Cow::Owned(word.with(behind)))
                };
            } else {
                is_whole |= text.contains('T');
            }
        }
        if target.is_none() && sources.len() > 1 {
            target = sources.pop().map(Cow::Borrowed);
        }
        Self { sources, target, is_whole }
    }

    fn sources(&self) -> impl Iterator<Item = Cow<'c, Word>> {
        self.sources.iter().map(|word| Cow::Borrowed(*word))
    }
}

/// Whether a command has an option, by one of its letters or its long name.
fn has(args: &[Word], letters: &[char], long: &[&str]) -> bool {
    args.iter().any(|word| match word.plain.strip_prefix("--") {
        Some(name) => long.contains(&name.split('=').next().unwrap_or(name)),
        None => word.plain.strip_prefix('-').is_some_and(|short| !short.starts_with('S') && short.contains(letters)),
    })
}

/// The value of an option: `-d DIR`, `-dDIR`, `--directory=DIR`.
fn value<'c>(args: &'c [Word], names: &[&str]) -> Option<Cow<'c, Word>> {
    args.iter().enumerate().find_map(|(at, word)| {
        names.iter().find_map(|name| {
            let rest = word.plain.strip_prefix(name)?;
            match rest.strip_prefix('=') {
                Some(value) if name.starts_with("--") => Some(Cow::Owned(word.with(value))),
                _ if rest.is_empty() => args.get(at + 1).map(Cow::Borrowed),
                _ if name.starts_with("--") => None,
                _ => Some(Cow::Owned(word.with(rest))),
            }
        })
    })
}

/// What the last of the words is, where it is no option.
fn last(args: &[Word]) -> Option<Cow<'_, Word>> {
    args.last().filter(|word| !word.plain.starts_with('-')).map(Cow::Borrowed)
}

/// Whether the letters of `tar` or one of its options say that it unpacks.
fn unpacks(args: &[Word]) -> bool {
    let letters = |text: &str| text.split(['f', 'C']).next().unwrap_or_default().contains('x');
    let first = args.first().is_some_and(|word| !word.plain.starts_with('-') && letters(&word.plain));
    first
        || args.iter().any(|word| match word.plain.strip_prefix('-') {
            Some(long) if long.starts_with('-') => matches!(long, "-extract" | "-get"),
            Some(short) => letters(short),
            None => false,
        })
}

/// The folder that the first of some words tells `tar` to unpack into.
fn unpacked_into(args: &[Word]) -> Option<Cow<'_, Word>> {
    let (word, rest) = args.split_first()?;
    let text = word.plain.as_str();
    let glued = ["--directory=", "--cd="].iter().find_map(|option| text.strip_prefix(option));
    if let Some(value) = glued.or_else(|| text.strip_prefix("-C").filter(|value| !value.is_empty())) {
        return Some(Cow::Owned(word.with(value)));
    }
    // `tar xfC FILE FOLDER`
    let is_last = |text: &str| !text.contains(['/', '.', '~']) && text.ends_with('C');
    let at = usize::from(is_last(text) && text.contains('f'));
    (is_last(text) || matches!(text, "--directory" | "--cd")).then(|| rest.get(at).map(Cow::Borrowed)).flatten()
}

/// Copies of whole folders.
fn copied<'c>(operands: &Operands<'c>, takes_contents: impl Fn(&str) -> bool) -> Reach<'c> {
    let mut reach = Reach::default();
    let Some(target) = &operands.target else { return reach };
    for source in operands.sources() {
        if operands.is_whole || takes_contents(&source.plain) {
            reach.filled.push((target.clone(), Some(source)));
        } else {
            reach.moved.push((source, target.clone()));
        }
    }
    reach
}

fn reach<'c>(program: &str, args: &'c [Word]) -> Reach<'c> {
    let is_dots = |text: &str| text.rsplit('/').next().is_some_and(|part| matches!(part, "." | ".."));
    match program.to_ascii_lowercase().as_str() {
        "ln" => {
            let operands = Operands::of(args, true);
            let moved: Vec<_> =
                operands.target.iter().flat_map(|into| operands.sources().map(|word| (word, into.clone()))).collect();
            // What a symbolic link says begins at the folder in which it is.
            let is_from_link = |word: &Word| !word.plain.starts_with(['/', '~', '$']);
            let from_link = moved.iter().filter(|(word, _)| is_from_link(word)).flat_map(|(word, into)| {
                ["", "/.."].map(|up| Cow::Owned(below(into, word, &format!("{up}/{}", word.plain))))
            });
            Reach { linked: operands.sources().chain(from_link).collect(), moved, filled: Vec::new(), replaces: true }
        }
        "cp" | "gcp" | "scp" => {
            let operands = Operands::of(args, true);
            let is_link = program != "scp" && has(args, &['l', 's'], &["link", "symbolic-link"]);
            let linked = if is_link { operands.sources().collect() } else { Vec::new() };
            if !has(args, &['a', 'r', 'R'], &["archive", "recursive"]) {
                return Reach { linked, ..Reach::default() };
            }
            let keeps_path = has(args, &[], &["parents"]);
            Reach { linked, ..copied(&operands, |text| keeps_path || is_dots(text)) }
        }
        "mv" | "gmv" => Reach { replaces: true, ..copied(&Operands::of(args, true), |_| false) },
        "rsync" => {
            let operands = Operands::of(args, false);
            let linked = value(args, &["--link-dest"]).into_iter().collect();
            let keeps_path = has(args, &['R'], &["relative"]);
            Reach { linked, ..copied(&operands, |text| keeps_path || text.ends_with('/') || is_dots(text)) }
        }
        "bsdtar" | "gtar" | "tar" if unpacks(args) => {
            let into: Vec<_> = (0..args.len()).filter_map(|at| unpacked_into(args.get(at..)?)).collect();
            if into.is_empty() { Reach::fills_or_here(None) } else { Reach::fills(into) }
        }
        "unzip" if !has(args, &['l', 'p', 't', 'v', 'z', 'Z'], &[]) => Reach::fills_or_here(value(args, &["-d"])),
        "7z" | "7za" | "7zr" | "7zz" if args.first().is_some_and(|verb| matches!(verb.plain.as_str(), "e" | "x")) => {
            Reach::fills_or_here(value(args, &["-o"]))
        }
        "unrar" if args.first().is_some_and(|verb| matches!(verb.plain.as_str(), "e" | "x")) => {
            Reach::fills_or_here(last(args).filter(|word| word.plain.ends_with('/')))
        }
        "bsdcpio" | "cpio" if has(args, &['p'], &["pass-through"]) => Reach::fills(last(args)),
        "bsdcpio" | "cpio" if has(args, &['i'], &["extract"]) => {
            Reach::fills_or_here(value(args, &["-D", "--directory"]))
        }
        "pax" if has(args, &['r'], &[]) && has(args, &['w'], &[]) => Reach::fills(last(args)),
        "pax" if has(args, &['r'], &[]) => Reach::fills_or_here(None),
        "tarfile" | "zipfile" if has(args, &['e'], &["extract"]) => Reach::fills(last(args)),
        "jar" if unpacks(args) => Reach::fills_or_here(None),
        "ditto" => Reach::fills(last(args)),
        "git" => match args.iter().position(|word| word.plain == "clone") {
            // Without a folder it makes one, by the address.
            Some(at) if args.get(at + 1..).is_some_and(|rest| operands(rest) > 1) => Reach::fills(last(args)),
            _ => Reach::default(),
        },
        link if LINK.contains(&link) => {
            let linked = args.iter().filter(|word| !word.plain.starts_with('-')).map(Cow::Borrowed).collect();
            Reach { linked, ..Reach::default() }
        }
        _ => Reach::default(),
    }
}

/// Whether a text that is not understood has a word that makes links.
pub(super) fn makes_links(text: &str) -> bool {
    let words = text.split(|letter: char| !(letter.is_alphanumeric() || "-_".contains(letter)));
    words.map(str::to_ascii_lowercase).any(|word| word == "ln" || word == "symboliclink" || LINK.contains(&&*word))
}

/// What is below a folder by a path that comes from another word.
fn below(folder: &Word, word: &Word, path: &str) -> Word {
    let text = format!("{}{path}", folder.plain.trim_end_matches('/'));
    if folder.fixed().is_none() { folder.with(&text) } else { word.with(&text) }
}

/// The last part of a word.
fn base_name(word: &Word) -> &str {
    word.plain.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
}

/// How many words are no options.
fn operands(args: &[Word]) -> usize {
    args.iter().filter(|word| !word.plain.starts_with('-')).count()
}

impl Lines<'_> {
    /// The word by which a command reaches files of the set that it does not name.
    pub(super) fn reached(&self, command: &Simple, directories: &[String]) -> Option<Word> {
        command.runs().find_map(|run| self.reached_by(run, command, directories))
    }

    fn reached_by(
        &self,
        (program, args, is_fed): (&str, &[Word], bool),
        command: &Simple,
        directories: &[String],
    ) -> Option<Word> {
        let reach = reach(program_name(program), args);
        let linked = reach.linked.iter().find(|word| self.is_linked(word, command, directories));
        let filled = || {
            let is_filled = |word: &Word, from: Option<&Word>| {
                self.holds_own(word, command, directories)
                    || from.is_some_and(|from| self.is_brought(from, word, directories))
            };
            reach.filled.iter().find(|(word, from)| is_filled(word, from.as_deref())).map(|(word, _)| word)
        };
        let moved = || {
            let mut moved = reach.moved.iter();
            let is_over = |source: &Word, into: &Word| {
                self.is_put_over(source, into, directories)
                    || !self.is_kept(source, into, reach.replaces, directories)
                        && !self.is_home(into, directories)
                        && self.holds_own(into, command, directories)
            };
            moved.find(|(source, into)| is_over(source, into)).map(|(_, into)| into)
        };
        // What is linked or filled may come from another command.
        let fed = || {
            let takes_more = !reach.linked.is_empty() || reach.is_nothing() && FED.contains(&program_name(program));
            args.first().filter(|_| is_fed && takes_more && self.is_named_beside(command, directories))
        };
        linked.or_else(filled).or_else(moved).map(|word| word.clone().into_owned()).or_else(|| fed().cloned())
    }

    /// Whether a text that may be a program links, copies or unpacks, and names such a folder by a path.
    pub(super) fn is_reached_by_text(&self, text: &str, path: &str) -> bool {
        let (word, here) = (Word::of(path), [String::new()]);
        let is_end = |known: &String| path.starts_with('/') && known.ends_with(path);
        IN_TEXTS.iter().any(|name| text.contains(name))
            && (self.files.own_folders().iter().any(is_end)
                || self.is_own(&word, &here)
                || self.holds_some(&word, &here))
    }

    fn is_linked(&self, word: &Word, command: &Simple, directories: &[String]) -> bool {
        self.names(word, directories)
            || self.holds_some(word, directories)
            || self.holds_own(word, command, directories)
    }

    /// Whether a word names a folder in which files of the user's own belong; one of which nothing is known, such as the
    /// output of a command, is what other words of the line name.
    fn holds_own(&self, word: &Word, command: &Simple, directories: &[String]) -> bool {
        let is_open =
            || word.is_filled_in() && values::texts(word, self.line).iter().any(|text| values::is_unknown(text));
        self.is_own(word, directories) || is_open() && self.is_named_beside(command, directories)
    }

    /// Whether another command of the line names such a folder.
    fn is_named_beside(&self, command: &Simple, directories: &[String]) -> bool {
        let mut others = self.line.commands.iter().filter(|other| !std::ptr::eq(*other, command));
        others.any(|other| other.words().iter().skip(1).any(|word| self.is_own(word, directories)))
    }

    pub(super) fn is_own(&self, word: &Word, directories: &[String]) -> bool {
        let is_pattern = word.fixed().is_none();
        let texts = values::texts(word, self.line);
        texts.iter().any(|text| directories.iter().any(|from| self.is_own_path(&join(from, text), is_pattern)))
    }

    /// Whether a path, of which parts may be unknown or patterns, may be that of a folder in which files of the user's own
    /// belong.
    fn is_own_path(&self, path: &str, is_pattern: bool) -> bool {
        let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        if !last.is_empty() && values::is_unknown(last) {
            return false;
        }
        if path.contains(values::UNKNOWN) {
            let fits = |known: &String| values::fits(&path.to_lowercase(), &known.to_lowercase());
            return self.files.own_folders().iter().any(fits);
        }
        let is_glob = is_pattern && path.contains(PATTERN);
        self.places(path).iter().any(|place| {
            let matches = || {
                let glob = Glob::new(place, |glob| glob.literal_separator(true).empty_alternates(true));
                // What cannot be read as a pattern here may be one to a shell.
                let Ok(glob) = glob else { return true };
                self.files.own_folders().iter().any(|known| glob.is_match(known) && !hides(place, known))
            };
            self.files.is_own_folder(place) || is_glob && matches()
        })
    }

    /// Whether a pattern may become a file of the user's own, be it there or not.
    pub(super) fn may_match_own(&self, pattern: &str) -> bool {
        let folders = self.files.own_folders();
        let pattern = pattern.to_lowercase();
        let glob = Glob::new(&pattern, |glob| glob.literal_separator(true).empty_alternates(true));
        let Some(glob) = glob.ok().filter(|_| !folders.is_empty()) else { return false };
        let is_own = |known: &str| {
            let folder = known.rsplit_once('/').map(|(folder, _)| folder).unwrap_or_default();
            folders.iter().any(|own| own.to_lowercase() == folder)
        };
        self.files.may_be_one(&|known| {
            known.starts_with('/') && glob.is_match(known) && !hides(&pattern, known) && is_own(known)
        })
    }

    /// Whether what is put into a folder under its own name comes to be above files of the user's own.
    fn is_put_over(&self, source: &Word, into: &Word, directories: &[String]) -> bool {
        let name = base_name(source);
        !name.contains('$') && self.is_own(&below(into, source, &format!("/{name}")), directories)
    }

    /// Whether a folder stays where something is put into it: else it becomes what is put.
    fn is_kept(&self, source: &Word, into: &Word, replaces: bool, directories: &[String]) -> bool {
        let is_file = base_name(source).trim_start_matches('.').contains('.');
        (!replaces || is_file || into.plain.ends_with('/')) && self.is_folder(into, directories)
    }

    /// Whether a word names the user's home, or a folder above it: that is there, and never another one's copy.
    pub(super) fn is_home(&self, word: &Word, directories: &[String]) -> bool {
        let homes = self.places("~");
        let texts = values::texts(word, self.line);
        let is_home = |path: &str| {
            let path = path.trim_end_matches('/');
            homes.iter().any(|home| format!("{home}/").starts_with(&format!("{path}/")))
        };
        texts.iter().any(|text| {
            directories.iter().any(|from| self.places(&join(from, text)).iter().any(|place| is_home(place)))
        })
    }

    /// The places that a path may mean, from the root.
    fn places(&self, path: &str) -> Vec<String> {
        let places = (self.place)(path);
        places.iter().flat_map(|path| &path.places).map(|place| place.full.clone()).collect()
    }

    /// Whether the contents of one folder bring files of the set into the directory of the line or the project.
    fn is_brought(&self, from: &Word, into: &Word, directories: &[String]) -> bool {
        let places = |word: &Word| -> Vec<String> {
            let texts = values::texts(word, self.line);
            let joined = texts.iter().flat_map(|text| directories.iter().map(move |from| join(from, text)));
            joined.flat_map(|path| self.places(&path)).collect()
        };
        let here = places(&Word::of("."));
        places(into).iter().any(|path| here.contains(path))
            && places(from).iter().any(|path| !here.contains(path) && self.files.are_held_by(path))
    }
}
