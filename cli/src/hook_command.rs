//! Command lines that are `hookweave hook`.

use std::path::Path;

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

/// The words behind this program's name in a command line, as far as they are this program's.
pub(crate) fn words_behind_program(line: &str) -> Option<Vec<String>> {
    let words = split(line);
    let at =
        words.windows(2).position(|pair| matches!(pair, [program, word] if is_program(program) && word == "hook"))?;
    let is_operator = |word: &String| word.starts_with(['|', '&', ';', '>', '<']) || word.starts_with("2>");
    Some(words.into_iter().skip(at + 1).take_while(|word| !is_operator(word)).collect())
}

/// The agent that a command line of `hookweave hook` names.
pub(crate) fn agent_of(line: &str) -> Option<String> {
    let words = words_behind_program(line)?;
    let apart = words.windows(2).find_map(|pair| match pair {
        [option, agent] if option == "--agent" => Some(agent.clone()),
        _ => None,
    });
    apart.or_else(|| words.iter().find_map(|word| word.strip_prefix("--agent=").map(str::to_owned)))
}

/// Whether a line does nothing but start hookweave, so that its exit code and output are hookweave's. Its errors may go
/// elsewhere.
pub(crate) fn is_alone(line: &str) -> bool {
    const OTHERS: &[&str] = &[":", "echo", "exit", "false", "printf", "test", "true"];
    let mut quote = None;
    let mut open = String::new();
    for letter in line.chars() {
        match (quote, letter) {
            (Some(begun), _) if begun == letter => quote = None,
            (None, '"' | '\'') => quote = Some(letter),
            (None, _) => open.push(letter),
            (Some(_), _) => {}
        }
    }
    let open = open.replace("2>>", "").replace("2>", "");
    let starts_other = split(line).first().is_some_and(|word| OTHERS.contains(&word.as_str()));
    !starts_other && !open.contains(['|', '&', ';', '>', '<', '`', '#', '\n']) && !open.contains("$(")
}

/// The program that a command line starts, as it is written there.
pub(crate) fn program_of(line: &str) -> String {
    split(line).into_iter().next().unwrap_or_default()
}

/// A path as one word of a shell.
pub(crate) fn quoted(path: &Path) -> String {
    let path = path.display().to_string();
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./".contains(letter);
    if path.chars().all(is_plain) {
        path
    } else if cfg!(windows) {
        // Every shell there reads these, and no path has one in it.
        format!("\"{path}\"")
    } else {
        format!("'{}'", path.replace('\'', "'\\''"))
    }
}

/// The words of a line, as a shell splits it that expands nothing.
pub(crate) fn split(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), _) if open == letter => quote = None,
            (None, '"' | '\'') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, _) if letter.is_whitespace() => words.extend(word.take()),
            // Windows separates folders by it.
            (None | Some('"'), '\\') if letters.peek().is_some_and(|next| "\"'\\ ".contains(*next)) => {
                word.get_or_insert_default().extend(letters.next());
            }
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_split_as_a_shell_does() {
        let behind = |line| words_behind_program(line).map(|words| words.join("|"));
        assert_eq!(behind("hookweave hook --agent codex"), Some("hook|--agent|codex".to_owned()));
        assert_eq!(
            behind(r#""/a b/hookweave" hook --file 'it'\''s' --audit "a \"b\"" || true"#),
            Some(r#"hook|--file|it's|--audit|a "b""#.to_owned())
        );
        assert_eq!(behind(r"C:\bin\hookweave.exe hook -C C:\x"), Some(r"hook|-C|C:\x".to_owned()));
        assert_eq!(behind("hookweave list"), None);
    }

    #[test]
    fn a_line_that_does_more_than_start_the_program_is_told_apart() {
        for line in ["hookweave hook --agent codex", "npx hookweave hook", r#""/a;b/hookweave" hook 2>> log"#] {
            assert!(is_alone(line), "{line}");
        }
        for line in [
            "true || hookweave hook",
            "hookweave hook || true",
            "echo hookweave hook",
            "hookweave hook; exit 0",
            "# hookweave hook",
            "hookweave hook > x",
            "x $(hookweave hook)",
        ] {
            assert!(!is_alone(line), "{line}");
        }
        assert_eq!(agent_of("hookweave hook --agent claud-code"), Some("claud-code".to_owned()));
        assert_eq!(agent_of("hookweave hook --agent=codex"), Some("codex".to_owned()));
    }
}
