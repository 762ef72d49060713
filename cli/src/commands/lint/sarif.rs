//! Findings in SARIF 2.1.0, which code scanning reads.

use std::path::Path;

use hookweave_host::config::lint::{Finding, RULES};
use serde_json::{Value, json};

use crate::policy::relative;
use crate::screen::shown;

const RULES_PAGE: &str = "https://github.com/hookweave/hookweave/blob/main/docs/configuration.md#lint";

/// The log of one run.
pub(super) fn log(findings: &[Finding]) -> Value {
    let rules: Vec<Value> = RULES
        .iter()
        .map(|rule| {
            json!({
                "id": rule.name,
                "shortDescription": {"text": rule.finds},
                "help": {"text": rule.explains},
                "helpUri": RULES_PAGE,
                "defaultConfiguration": {"level": rule.severity.as_str()},
            })
        })
        .collect();
    let driver = json!({
        "name": "hookweave",
        "version": env!("CARGO_PKG_VERSION"),
        "informationUri": "https://github.com/hookweave/hookweave",
        "rules": rules,
    });
    let results: Vec<Value> = findings.iter().map(result).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}],
    })
}

fn result(finding: &Finding) -> Value {
    let problem = &finding.problem;
    let file = json!({"uri": uri(&problem.file)});
    // Viewers show a result without a line nowhere.
    let (line, column) = (problem.line.unwrap_or(1), problem.column.unwrap_or(1));
    let place = json!({"physicalLocation": {
        "artifactLocation": file, "region": {"startLine": line, "startColumn": column},
    }});
    let mut result = json!({
        "ruleId": finding.rule,
        "ruleIndex": RULES.iter().position(|rule| rule.name == finding.rule).unwrap_or_default(),
        "level": finding.severity.as_str(),
        "message": {"text": shown(&problem.message)},
        "locations": [place],
    });
    if let Some(fix) = &problem.fix {
        // The word that is replaced begins at the column, behind its quote if it has one, and stands in one line.
        let width = fix.range.len();
        let deleted = json!({"byteOffset": fix.range.start, "byteLength": width});
        let replacement = json!({"deletedRegion": deleted, "insertedContent": {"text": fix.text}});
        let fixes = json!([{
            "description": {"text": format!("Write `{}`", fix.text)},
            "artifactChanges": [{"artifactLocation": file, "replacements": [replacement]}],
        }]);
        result.as_object_mut().map(|result| result.insert("fixes".to_owned(), fixes));
    }
    result
}

/// A file below the working directory by its relative reference, another one by its URI.
fn uri(file: &Path) -> String {
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
