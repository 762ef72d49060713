//! Small files that people write, in JSON, TOML or YAML.

mod yaml;

use std::path::Path;

use hookweave::host::from_json;
use serde_json::Value;

use crate::failed::{Failed, Result};

/// The largest file that is read, in bytes.
const MAX_FILE: u64 = 4 * 1024 * 1024;

/// Reads a file by its ending.
pub(crate) fn read(file: &Path) -> Result<Value> {
    let text = read_text(file)?;
    let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let read = match ending {
        "json" => from_json(&text).map_err(|why| why.to_string()),
        "toml" => toml::from_str(&text).map_err(|why| why.to_string().trim_end().to_owned()),
        "yaml" | "yml" => yaml::read(&text),
        _ => Err("its ending is none of .json, .toml, .yaml and .yml".to_owned()),
    };
    read.map_err(|why| Failed::file(file, why))
}

/// Reads a text file that is not too large.
pub(crate) fn read_text(file: &Path) -> Result<String> {
    let refuse = |why: String| Failed::file(file, why);
    let meta = std::fs::metadata(file).map_err(|error| refuse(format!("cannot be read: {error}")))?;
    if !meta.is_file() {
        return Err(refuse("is no file".to_owned()));
    }
    if meta.len() > MAX_FILE {
        return Err(refuse(format!("has more than {MAX_FILE} bytes, the most that is read")));
    }
    std::fs::read_to_string(file).map_err(|error| refuse(format!("cannot be read: {error}")))
}
