//! File edits as Codex knows them: one tool `apply_patch` whose `command` is a patch.

use serde_json::{Map, Value, json};

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const ADD: &str = "*** Add File: ";
const UPDATE: &str = "*** Update File: ";
const DELETE: &str = "*** Delete File: ";
const MOVE: &str = "*** Move to: ";

/// The patch that does what an `Edit` or `Write` does; `None` when its arguments are not those of the tool.
pub(super) fn from_args(tool: &str, args: &Map<String, Value>) -> Option<String> {
    let text = |name: &str| args.get(name).and_then(Value::as_str);
    // A line break in a path would let it forge lines of the patch.
    let path = text("file_path")?.replace('\r', "\\r").replace('\n', "\\n");
    let mut lines = vec![BEGIN.to_owned()];
    match tool {
        "Write" => {
            lines.push(format!("{ADD}{path}"));
            lines.extend(text("content")?.split('\n').map(|line| format!("+{line}")));
        }
        "Edit" => {
            lines.push(format!("{UPDATE}{path}"));
            lines.push("@@".to_owned());
            for (sign, part) in [('-', text("old_string")?), ('+', text("new_string")?)] {
                if !part.is_empty() {
                    lines.extend(part.split('\n').map(|line| format!("{sign}{line}")));
                }
            }
        }
        _ => return None,
    }
    lines.push(END.to_owned());
    Some(lines.join("\n"))
}

/// What a patch does, as far as one of the engine's tools can say it: the tool and its arguments.
///
/// A patch of one file with one change is an `Edit` or a `Write`. Anything else keeps the patch as `command` and lists
/// every file that it touches, so that conditions on paths see them all.
pub(super) fn to_args(patch: &str) -> (&'static str, Map<String, Value>) {
    if let Some(simple) = one_change(patch) {
        return simple;
    }
    let mut paths = Vec::new();
    let mut only_adds = true;
    for line in patch.lines().map(str::trim_start) {
        for sign in [ADD, UPDATE, DELETE, MOVE] {
            if let Some(path) = line.strip_prefix(sign) {
                only_adds &= sign == ADD;
                paths.push(json!(path.trim()));
            }
        }
    }
    if paths.is_empty() {
        return ("Edit", object(json!({"command": patch})));
    }
    (if only_adds { "Write" } else { "Edit" }, object(json!({"command": patch, "paths": paths})))
}

/// What a patch does to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    /// The engine's tool that does such a thing.
    pub(crate) tool: &'static str,
    /// The arguments of that tool.
    pub(crate) args: Map<String, Value>,
}

/// What a patch does to each of its files, in its order; a deleted file and both ends of a move are files.
///
/// A line that may be a part of a file or name another one does both, so that none hides what follows it.
pub(crate) fn parts(patch: &str) -> Vec<Part> {
    let mut files: Vec<File<'_>> = Vec::new();
    let mut open = 0;
    for line in patch.lines() {
        let named = [ADD, UPDATE, DELETE, MOVE].into_iter().find_map(|sign| {
            let path = line.trim_start().strip_prefix(sign)?;
            Some((sign, path.trim()))
        });
        if let Some((sign, path)) = named {
            if line.starts_with("***") && sign != MOVE {
                open = files.len();
            }
            files.push(File { path, is_new: sign == ADD, old: Vec::new(), new: Vec::new() });
            continue;
        }
        let files = files.get_mut(open..).unwrap_or_default();
        match line.split_at_checked(1) {
            Some(("-", rest)) => files.iter_mut().for_each(|file| file.old.push(rest)),
            Some(("+", rest)) => files.iter_mut().for_each(|file| file.new.push(rest)),
            Some((" ", rest)) => files.iter_mut().for_each(|file| {
                file.old.push(rest);
                file.new.push(rest);
            }),
            _ => {}
        }
    }
    files.iter().map(File::part).collect()
}

/// One file of a patch, with the lines that it had and those that it gets.
struct File<'p> {
    path: &'p str,
    is_new: bool,
    old: Vec<&'p str>,
    new: Vec<&'p str>,
}

impl File<'_> {
    fn part(&self) -> Part {
        let (path, new) = (self.path, self.new.join("\n"));
        if self.is_new {
            return Part { tool: "Write", args: object(json!({"file_path": path, "content": new})) };
        }
        let change = json!({"file_path": path, "old_string": self.old.join("\n"), "new_string": new});
        Part { tool: "Edit", args: object(change) }
    }
}

/// Where an argument stands that happens to have the name of the patch.
const DISPLACED: &str = "original_command";

/// What a hook reads as the input of a file edit: the patch, and what the patch does not hold.
pub(super) fn input(tool: &str, args: &Map<String, Value>) -> Option<Map<String, Value>> {
    let given = || args.get("command").and_then(Value::as_str).map(str::to_owned);
    let (patch, is_made) = match from_args(tool, args) {
        Some(patch) => (patch, true),
        None => (given()?, false),
    };
    let (_, derived) = to_args(&patch);
    let mut input = object(json!({ "command": patch }));
    for (name, value) in args.iter().filter(|(name, value)| derived.get(*name) != Some(*value)) {
        match name.as_str() {
            "command" if is_made => input.insert(DISPLACED.to_owned(), value.clone()),
            "command" => None,
            name => input.insert(name.to_owned(), value.clone()),
        };
    }
    Some(input)
}

/// The tool and its arguments of such an input; `None` when it holds no patch.
pub(super) fn from_input(input: &Map<String, Value>) -> Option<(&'static str, Map<String, Value>)> {
    let (tool, mut args) = to_args(input.get("command")?.as_str()?);
    for (name, value) in input.iter().filter(|(name, _)| *name != "command") {
        let name = if name == DISPLACED { "command" } else { name };
        args.insert(name.to_owned(), value.clone());
    }
    Some((tool, args))
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// A patch of one file with at most one hunk, whose every line is understood.
fn one_change(patch: &str) -> Option<(&'static str, Map<String, Value>)> {
    let body = patch.trim().strip_prefix(BEGIN)?.strip_suffix(END)?.trim_start_matches(['\r', '\n']);
    let body = body.strip_suffix('\n').unwrap_or(body);
    let mut lines = body.split('\n');
    let head = lines.next()?;
    if let Some(path) = head.strip_prefix(ADD) {
        let content: Option<Vec<&str>> = lines.map(|line| line.strip_prefix('+')).collect();
        return Some(("Write", object(json!({"file_path": path.trim(), "content": content?.join("\n")}))));
    }
    let path = head.strip_prefix(UPDATE)?.trim();
    let (mut old, mut new) = (Vec::new(), Vec::new());
    for (index, line) in lines.enumerate() {
        match line.split_at_checked(1) {
            Some(("@", _)) if index == 0 => {}
            Some(("-", rest)) => old.push(rest),
            Some(("+", rest)) => new.push(rest),
            Some((" ", rest)) => {
                old.push(rest);
                new.push(rest);
            }
            _ => return None,
        }
    }
    let change = json!({"file_path": path, "old_string": old.join("\n"), "new_string": new.join("\n")});
    Some(("Edit", object(change)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_real_patch_of_one_change_is_an_edit() {
        let (tool, args) =
            to_args("*** Begin Patch\n*** Update File: a.rs\n@@ fn x\n keep\n-old\n+new\n*** End Patch\n");
        assert_eq!(tool, "Edit");
        assert_eq!(
            Value::Object(args),
            json!({"file_path": "a.rs", "old_string": "keep\nold", "new_string": "keep\nnew"})
        );
    }

    #[test]
    fn a_patch_of_several_files_names_them_all() {
        let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b\n*** Move to: c\n@@\n-y\n*** Delete File: d\n*** End Patch";
        let (tool, args) = to_args(patch);
        assert_eq!((tool, args.get("paths")), ("Edit", Some(&json!(["a", "b", "c", "d"]))));
    }

    #[test]
    fn a_patch_has_a_part_for_each_of_its_files() {
        let patch = "*** Begin Patch\n*** Add File: a\n+x\n+y\n*** Update File: b\n*** Move to: c\n@@ fn\n-1\n+2\n@@\n k\n\
                     *** Delete File: d\n*** End Patch";
        let part = |tool, args| Part { tool, args: object(args) };
        let moved = |path: &str| part("Edit", json!({"file_path": path, "old_string": "1\nk", "new_string": "2\nk"}));
        let added = part("Write", json!({"file_path": "a", "content": "x\ny"}));
        let deleted = part("Edit", json!({"file_path": "d", "old_string": "", "new_string": ""}));
        assert_eq!(parts(patch), [added, moved("b"), moved("c"), deleted]);
        assert_eq!(parts("no patch"), []);
    }

    #[test]
    fn what_names_no_file_is_an_edit_as_it_came() {
        let args = object(json!({"command": "a"}));
        assert_eq!(to_args("a"), ("Edit", args.clone()));
        assert_eq!(from_input(&input("Edit", &args).unwrap()), Some(("Edit", args)));
    }

    #[test]
    fn a_path_cannot_forge_lines() {
        let args = object(json!({"file_path": "a\n*** Delete File: b", "content": ""}));
        assert_eq!(from_args("Write", &args).unwrap().lines().count(), 4);
    }

    proptest! {
        #[test]
        fn edits_go_there_and_back(path in "[a-z/.]{1,20}", old in "(?s).{0,40}", new in "(?s).{0,40}") {
            let args = object(json!({"file_path": path, "old_string": old, "new_string": new}));
            let patch = from_args("Edit", &args).unwrap();
            prop_assert_eq!(to_args(&patch), ("Edit", args));
        }

        #[test]
        fn no_text_panics(patch in "(?s).{0,200}") {
            let _ = (to_args(&patch), parts(&patch));
        }
    }
}
