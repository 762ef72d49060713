//! Runs the program as people do and compares what it prints with what was looked at and found good.
//!
//! A file of `golden/` holds commands (`$ …`), what each prints to both streams, and its exit code (`? …`; 0 by default).
//! `UPDATE_GOLDEN=1` writes the files anew: look at the difference before you commit it.

use std::path::{Path, PathBuf};

use crate::support::{HERE, Place, Step, steps_of};

macro_rules! golden {
    ($($name:ident)*) => {
        $(#[test] fn $name() { check_golden(&stringify!($name).replace('_', "-")); })*

        #[test]
        fn every_file_is_checked() {
            let known: Vec<String> = [$(stringify!($name)),*].iter().map(|name| name.replace('_', "-")).collect();
            let mut files: Vec<String> = std::fs::read_dir(Path::new(HERE).join("tests/golden")).unwrap()
                .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned()).collect();
            files.sort();
            let mut known = known;
            known.sort();
            assert_eq!(files, known);
        }
    };
}

golden! {
    audit broken_input closed colours complete convert doctor driver env_file explain fix found graph hook hook_failures hook_mistakes init install lint
    list mcp_proxy mistakes plugins record run sarif scan sources test trust try_call
}

fn check_golden(name: &str) {
    let file: PathBuf = Path::new(HERE).join(format!("tests/golden/{name}.console"));
    let failed = check(&file, &Place::new()).err();
    assert!(failed.is_none(), "{}", failed.unwrap_or_default());
}

/// Runs the commands of a file; the error says what each printed that should have printed something else.
pub(crate) fn check(file: &Path, place: &Place) -> Result<(), String> {
    let steps = steps_of(&std::fs::read_to_string(file).unwrap());
    let mut came = String::new();
    let mut failures = Vec::new();
    for Step { remarks, command, expected } in steps {
        let printed = place.run(&command);
        came += &format!("{remarks}$ {command}\n{printed}\n");
        if printed.trim_end() != expected.trim_end() {
            failures.push(format!("$ {command}\n--- expected\n{expected}--- printed\n{printed}"));
        }
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(file, came.trim_end().to_owned() + "\n").unwrap();
    } else if !failures.is_empty() {
        return Err(format!("{}:\n{}", file.display(), failures.join("\n")));
    }
    Ok(())
}
