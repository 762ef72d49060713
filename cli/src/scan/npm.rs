//! `scripts` of a package.json.

use std::path::Path;

use jsonc_parser::ast::{ObjectPropName, Value};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::script::{Held, Script};
use crate::failed::{Failed, Result};

/// The lines that a package manager runs.
pub(super) fn read(file: &Path, text: &str) -> Result<Held> {
    // The same text as JSON first: its errors have a place.
    hookweave_host::json::from_json(text).map_err(|why| Failed::no_json(file, text, &why.to_string()))?;
    let options = (CollectOptions::default(), ParseOptions::default());
    let parsed = parse_to_ast(text, &options.0, &options.1).map_err(|why| Failed::file(file, why))?;
    let mut held = Held::default();
    let Some(Value::Object(top)) = &parsed.value else {
        return Err(Failed::file(file, "is no package.json: it must hold an object"));
    };
    let Some(scripts) = top.properties.iter().find(|field| name_of(&field.name) == "scripts") else { return Ok(held) };
    let line = |at: usize| text.get(..at).unwrap_or_default().matches('\n').count() + 1;
    let Value::Object(scripts) = &scripts.value else {
        return Err(Failed::file(file, "`scripts` must be an object"));
    };
    for script in &scripts.properties {
        let at = line(script.value.range().start);
        match &script.value {
            Value::StringLit(run) => held.scripts.push(Script::in_line(at, run.value.to_string())),
            _ => held.unread.push((at, format!("the script `{}` is no text", name_of(&script.name)))),
        }
    }
    Ok(held)
}

fn name_of<'n>(name: &'n ObjectPropName<'_>) -> &'n str {
    name.as_str()
}
