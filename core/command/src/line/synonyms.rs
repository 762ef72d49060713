//! Subcommands that a program knows by several names, as its manual says: a rule for one of them is meant for all.

/// A program with names that mean the same.
type Row = (&'static str, &'static [&'static str]);

const ROWS: &[Row] = &[
    ("brew", &["uninstall", "remove", "rm"]),
    ("bun", &["install", "i"]),
    ("bun", &["add", "a"]),
    ("bun", &["remove", "rm"]),
    ("cargo", &["build", "b"]),
    ("cargo", &["check", "c"]),
    ("cargo", &["doc", "d"]),
    ("cargo", &["remove", "rm"]),
    ("cargo", &["run", "r"]),
    ("cargo", &["test", "t"]),
    ("composer", &["install", "i"]),
    ("composer", &["remove", "rm", "uninstall"]),
    ("composer", &["require", "r"]),
    ("composer", &["update", "u", "upgrade"]),
    ("git", &["add", "stage"]),
    ("helm", &["list", "ls"]),
    ("helm", &["uninstall", "del", "delete", "un"]),
    ("npm", &["adduser", "add-user"]),
    ("npm", &["ci", "clean-install", "ic", "install-clean", "isntall-clean"]),
    ("npm", &["config", "c"]),
    ("npm", &["dist-tag", "dist-tags"]),
    ("npm", &["exec", "x"]),
    ("npm", &["init", "create", "innit"]),
    ("npm", &["install", "add", "i", "in", "ins", "inst", "insta", "instal", "isnt", "isnta", "isntal", "isntall"]),
    ("npm", &["link", "ln"]),
    ("npm", &["list", "la", "ll", "ls"]),
    ("npm", &["owner", "author"]),
    ("npm", &["run", "rum", "run-script", "urn"]),
    ("npm", &["search", "find", "s", "se"]),
    ("npm", &["test", "t", "tst"]),
    ("npm", &["uninstall", "r", "remove", "rm", "un", "unlink"]),
    ("npm", &["update", "udpate", "up", "upgrade"]),
    ("npm", &["view", "info", "show", "v"]),
    ("pnpm", &["install", "i"]),
    ("pnpm", &["list", "ls"]),
    ("pnpm", &["remove", "rm", "un", "uninstall"]),
    ("pnpm", &["run", "run-script"]),
    ("pnpm", &["update", "up", "upgrade"]),
];

/// A command with each other name that its subcommand has.
pub(super) fn of(text: &str) -> impl Iterator<Item = String> {
    let (program, behind) = text.split_once(' ').unwrap_or((text, ""));
    let (name, args) = behind.split_once(' ').map_or((behind, None), |(name, args)| (name, Some(args)));
    let row = ROWS.iter().find(|(of, names)| *of == program && names.contains(&name));
    let others = row.into_iter().flat_map(|(_, names)| names.iter()).filter(move |other| **other != name);
    others.map(move |other| match args {
        Some(args) => format!("{program} {other} {args}"),
        None => format!("{program} {other}"),
    })
}
