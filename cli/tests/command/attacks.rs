//! Published attacks that need a command, links or processes: the files `NAME.console` in `tests/vectors/attacks/published`.

use std::path::{Path, PathBuf};

use crate::golden::check;
use crate::support::{HERE, Place};

#[test]
fn no_published_attack_succeeds() {
    let folder = Path::new(HERE).join("../tests/vectors/attacks/published");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut consoles: Vec<PathBuf> =
        files.filter(|file| file.extension().is_some_and(|ending| ending == "console")).collect();
    consoles.sort();
    assert!(!consoles.is_empty());
    let failures: Vec<String> = consoles.iter().filter_map(|file| check(file, &Place::empty()).err()).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
