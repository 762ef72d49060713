//! Findings of lint in SARIF.

use hookweave_host::config::lint::{Finding, RULES};
use serde_json::{Value, json};

use crate::sarif;

const RULES_PAGE: &str = "https://github.com/hookweave/hookweave/blob/main/docs/configuration.md#lint";

/// The log of one run.
pub(super) fn log(findings: &[Finding]) -> Value {
    let rules: Vec<Value> = RULES
        .iter()
        .map(|rule| sarif::rule(rule.name, rule.finds, rule.explains, RULES_PAGE, rule.severity.as_str()))
        .collect();
    let results: Vec<Value> = findings.iter().map(result).collect();
    sarif::log(&rules, &results)
}

fn result(finding: &Finding) -> Value {
    let problem = &finding.problem;
    let index = RULES.iter().position(|rule| rule.name == finding.rule).unwrap_or_default();
    // Viewers show a result without a line nowhere.
    let place = (problem.line.unwrap_or(1), problem.column.unwrap_or(1));
    let level = finding.severity.as_str();
    let mut result = sarif::result((finding.rule, index), level, &problem.message, &problem.file, place);
    if let Some(fix) = &problem.fix {
        // The word that is replaced begins at the column, behind its quote if it has one, and stands in one line.
        let width = fix.range.len();
        let deleted = json!({"byteOffset": fix.range.start, "byteLength": width});
        let replacement = json!({"deletedRegion": deleted, "insertedContent": {"text": fix.text}});
        let file = json!({"uri": sarif::uri(&problem.file)});
        let fixes = json!([{
            "description": {"text": format!("Write `{}`", fix.text)},
            "artifactChanges": [{"artifactLocation": file, "replacements": [replacement]}],
        }]);
        result.as_object_mut().map(|result| result.insert("fixes".to_owned(), fixes));
    }
    result
}
