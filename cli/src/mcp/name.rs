//! What a server is called in the names of its tools: `mcp__NAME__TOOL`.

use std::path::Path;

/// Programs that start what their first word names.
const STARTERS: &[&str] = &["bun", "bunx", "deno", "node", "npx", "python", "python3", "uvx"];

/// The name of a server that a command line starts: its program, or what `npx`, `node` and the like start.
pub(crate) fn of_command(command: &[String]) -> String {
    let stem = |word: &str| Path::new(word).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let (program, words) = command.split_first().map_or(("", command), |(first, rest)| (first, rest));
    let started = words.iter().find(|word| !word.starts_with('-')).filter(|_| STARTERS.contains(&&*stem(program)));
    let Some(word) = started else { return plain(&stem(program)) };
    // Of a package the version says nothing: `@scope/server@1.2`.
    let last = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let last = last.split_once('@').map_or(last, |(name, _)| name);
    plain(&stem(last))
}

/// A name as tools have it: letters, digits, `-` and single `_`.
pub(crate) fn plain(name: &str) -> String {
    let mut plain = String::new();
    for letter in name.chars() {
        let letter = if letter.is_ascii_alphanumeric() || letter == '-' { letter } else { '_' };
        // Two of them end the name.
        if letter != '_' || !plain.ends_with('_') {
            plain.push(letter);
        }
    }
    let plain = plain.trim_matches(['_', '-']);
    if plain.is_empty() { "server".to_owned() } else { plain.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::{of_command, plain};

    #[test]
    fn a_server_is_called_as_what_is_started() {
        for (line, name) in [
            ("/usr/bin/github-mcp-server stdio", "github-mcp-server"),
            ("npx -y @modelcontextprotocol/server-github@1.2", "server-github"),
            ("node dist/index.js", "index"),
            ("python -m my_server", "my_server"),
            ("npx", "npx"),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(of_command(&words), name, "{line}");
        }
    }

    #[test]
    fn a_name_never_ends_where_the_name_of_its_tool_begins() {
        assert_eq!(plain("My Server__x_"), "My_Server_x");
        assert_eq!(plain("__"), "server");
    }
}
