//! The files that a tool call changes, as far as its arguments name them.

use serde_json::json;
use smallvec::SmallVec;

use crate::directory::Directory;
use crate::event::Catalogue;
use crate::json::{Json, from_json};
use crate::match_input::MatchInput;
use crate::tool::names::known_names;
use crate::tool::{KnownTools, Tools};

/// The tools that write what their arguments name.
const WRITING: &[&str] = &["Edit", "Write", "MultiEdit", "NotebookEdit"];

/// Whether a tool writes the files that its arguments name.
#[must_use]
pub fn writes_files(tools: &KnownTools, tool: &str) -> bool {
    writes(&tools.now(), tool)
}

/// The files that a call of such a tool writes, as its arguments, given as JSON text, name them.
#[must_use]
pub fn changed_files(tools: &KnownTools, tool: &str, args: &str) -> Vec<String> {
    let (tools, directory) = (tools.now(), Directory::default());
    if !writes(&tools, tool) {
        return Vec::new();
    }
    let (Ok(args), Ok(event)) = (from_json(args), Catalogue::default().resolve("PreToolUse")) else {
        return Vec::new();
    };
    let payload = json!({"tool": tool, "args": args});
    let mut paths = SmallVec::new();
    MatchInput::new(&Json, &event, &payload, &tools, &directory).path_texts(&mut paths);
    let mut files: Vec<String> = Vec::new();
    for path in paths {
        if !path.is_empty() && !files.iter().any(|known| *known == path) {
            files.push(path.into_owned());
        }
    }
    files
}

fn writes(tools: &Tools, tool: &str) -> bool {
    let same_as = tools.get(tool).map_or(&[][..], |tool| &tool.same_as);
    let names: Vec<&str> = std::iter::once(tool).chain(same_as.iter().map(String::as_str)).collect();
    let alike = tools.likeness(tool).map_or(&[][..], |likeness| likeness.names);
    let alike = alike.iter().any(|name| WRITING.contains(&name.as_str()));
    alike || known_names(&names, Some("claude-code")).iter().any(|name| WRITING.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(tool: &str, args: &serde_json::Value) -> Vec<String> {
        changed_files(&KnownTools::default(), tool, &args.to_string())
    }

    #[test]
    fn tools_that_write_name_their_files() {
        assert_eq!(of("Write", &json!({"file_path": "a", "content": "b"})), ["a"]);
        assert_eq!(of("NotebookEdit", &json!({"notebook_path": "n.ipynb"})), ["n.ipynb"]);
        assert_eq!(of("edit_file", &json!({"target_file": "a"})), ["a"]);
        assert_eq!(of("mcp__fs__write_file", &json!({"path": "a"})), ["a"]);
        let patch = "*** Begin Patch\n*** Update File: a\n@@\n*** Add File: b\n*** Update File: a\n";
        assert_eq!(of("apply_patch", &json!({"input": patch})), ["a", "b"]);
    }

    #[test]
    fn others_change_nothing_that_is_known() {
        for tool in ["Read", "Bash", "Grep", "get_weather", "mcp__fs__read_file"] {
            assert_eq!(of(tool, &json!({"file_path": "a", "command": "rm a"})), [""; 0], "{tool}");
        }
    }
}
