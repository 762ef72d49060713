//! Small files that people write, in JSON, TOML or YAML.

pub(crate) mod yaml;

use std::path::Path;

use hookweave_host::json::from_json;
use serde_json::Value;

use crate::failed::{Failed, Result};

/// The largest file that is read, in bytes.
const MAX_FILE: u64 = 4 * 1024 * 1024;

/// Reads a file by its ending.
pub(crate) fn read(file: &Path) -> Result<Value> {
    let text = read_text(file)?;
    // Programs of Windows mark their files so.
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
    let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    match ending {
        "json" => from_json(text).map_err(|why| Failed::no_json(file, text, &why.to_string())),
        "toml" => toml::from_str(text).map_err(|why| {
            let before = why.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            let (line, column) = (before.matches('\n').count() + 1, before.rsplit('\n').next().unwrap_or_default());
            Failed::at(file, text, (line, column.chars().count() + 1), format!("no TOML: {}", why.message()))
        }),
        "yaml" | "yml" => yaml::read(text).map_err(|why| Failed::at(file, text, why.at, why.what)),
        _ => Err(Failed::file(file, "its ending is none of .json, .toml, .yaml and .yml; give it one of them")),
    }
}

/// Reads a text file that is not too large.
pub(crate) fn read_text(file: &Path) -> Result<String> {
    let refuse = |why: String| Failed::file(file, why);
    let meta = std::fs::metadata(file).map_err(|error| Failed::unreadable(file, &error))?;
    if !meta.is_file() {
        return Err(refuse("is no file; name one".to_owned()));
    }
    if meta.len() > MAX_FILE {
        return Err(refuse(format!("has more than {MAX_FILE} bytes, the most that is read")));
    }
    let bytes = std::fs::read(file).map_err(|error| Failed::unreadable(file, &error))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        refuse(format!("cannot be read: it is no UTF-8 (byte {at}); save it as UTF-8"))
    })
}
