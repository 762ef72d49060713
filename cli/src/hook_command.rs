//! Command lines that are `hookweave hook`.

/// Whether a command line is `hookweave hook`, however it is started.
pub(crate) fn is_this_command(line: &str) -> bool {
    words_of(line).windows(2).any(|pair| matches!(pair, [program, "hook"] if is_program(program)))
}

/// Whether a command line is `hookweave hook` for an agent.
pub(crate) fn is_hook_of(line: &str, agent: &str) -> bool {
    let named = format!("--agent={agent}");
    let words = words_of(line);
    is_this_command(line)
        && (words.contains(&named.as_str()) || words.windows(2).any(|pair| pair == ["--agent", agent]))
}

fn is_program(word: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    name == "hookweave" || name == "hookweave.exe"
}

fn words_of(line: &str) -> Vec<&str> {
    line.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'')).filter(|word| !word.is_empty()).collect()
}
