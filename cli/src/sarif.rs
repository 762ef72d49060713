//! Findings in SARIF 2.1.0, which code scanning reads.

use std::path::Path;

use serde_json::{Value, json};

use crate::policy::relative;
use crate::screen::shown;

/// The log of one run.
pub(crate) fn log(rules: &[Value], results: &[Value]) -> Value {
    let driver = json!({
        "name": "hookweave",
        "version": env!("CARGO_PKG_VERSION"),
        "informationUri": "https://github.com/hookweave/hookweave",
        "rules": rules,
    });
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}],
    })
}

/// A rule: what it finds, what to do, the page about it, and its level.
pub(crate) fn rule(id: &str, finds: &str, help: &str, page: &str, level: &str) -> Value {
    json!({
        "id": id,
        "shortDescription": {"text": finds},
        "help": {"text": help},
        "helpUri": page,
        "defaultConfiguration": {"level": level},
    })
}

/// What a rule found, at a line and a column.
pub(crate) fn result(
    (id, index): (&str, usize),
    level: &str,
    message: &str,
    file: &Path,
    place: (usize, usize),
) -> Value {
    let (line, column) = place;
    let place = json!({"physicalLocation": {
        "artifactLocation": {"uri": uri(file)}, "region": {"startLine": line, "startColumn": column},
    }});
    json!({
        "ruleId": id,
        "ruleIndex": index,
        "level": level,
        "message": {"text": shown(message)},
        "locations": [place],
    })
}

/// A file below the working directory by its relative reference, another one by its URI.
pub(crate) fn uri(file: &Path) -> String {
    let path = relative(file, Path::new("."));
    let scheme = if Path::new(&path).is_absolute() { "file://" } else { "" };
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    path.bytes().fold(scheme.to_owned(), |uri, byte| match byte {
        b'\\' if cfg!(windows) => uri + "/",
        byte if plain(byte) => uri + &char::from(byte).to_string(),
        byte => uri + &format!("%{byte:02X}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_any_file_is_a_uri() {
        assert_eq!(uri(Path::new("/nowhere/a b%#?é.json")), "file:///nowhere/a%20b%25%23%3F%C3%A9.json");
    }
}
