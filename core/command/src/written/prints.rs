//! What programs print of which that is known.

use super::fields::Field;
use crate::base64;
use crate::line::escapes;

/// Programs that print nothing.
const SILENT: &[&str] = &[
    ":", "[", "cd", "chmod", "cp", "export", "false", "ln", "local", "mkdir", "mv", "readonly", "rm", "set", "shift",
    "sleep", "test", "touch", "true", "unset",
];

/// What a program prints with these words and this input.
pub(super) fn of(name: &str, args: &[Field], input: Option<&str>) -> Option<String> {
    if SILENT.contains(&name) {
        return Some(String::new());
    }
    let words: Option<Vec<&str>> = args.iter().map(|field| field.value.as_deref()).collect();
    let words = words?;
    match name {
        "echo" => echo(&words),
        "printf" => printf(&words),
        "base64" if matches!(*words, ["-d" | "-D" | "--decode"]) => {
            let text: String = input?.split_whitespace().collect();
            String::from_utf8(base64::decoded(&text)?).ok()
        }
        "cat" if words.is_empty() || words == ["-"] => input.map(str::to_owned),
        "dirname" => words.last().map(|path| format!("{}\n", parent(path))),
        "basename" => {
            let (path, end) = (words.first()?, words.get(1).copied().unwrap_or_default());
            let name = path.trim_end_matches('/').rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("/");
            Some(format!("{}\n", name.strip_suffix(end).filter(|rest| !rest.is_empty()).unwrap_or(name)))
        }
        "realpath" | "readlink" => words.last().filter(|path| path.starts_with('/')).map(|path| format!("{path}\n")),
        "which" => words.last().map(|name| format!("{name}\n")),
        "command" | "type" => words.last().filter(|_| words.len() == 2).map(|name| format!("{name}\n")),
        _ => None,
    }
}

fn echo(words: &[&str]) -> Option<String> {
    let options = words.iter().take_while(|word| matches!(**word, "-n" | "-e" | "-E" | "-ne" | "-en")).count();
    let (options, words) = words.split_at_checked(options)?;
    let text = words.join(" ");
    let text = if options.iter().any(|option| option.contains('e')) { escapes(&text)? } else { text };
    let is_open = options.iter().any(|option| option.contains('n'));
    Some(if is_open { text } else { text + "\n" })
}

/// `%s`, `%b` and `%d`, once more for each further word.
fn printf(words: &[&str]) -> Option<String> {
    let words = words.strip_prefix(&["--"]).unwrap_or(words);
    let (format, words) = words.split_first()?;
    let format = escapes(format)?;
    let mut words = words.iter();
    let mut text = String::new();
    loop {
        let mut rest = format.as_str();
        let mut takes = false;
        while let Some((before, behind)) = rest.split_once('%') {
            text.push_str(before);
            let letter = behind.chars().next()?;
            match letter {
                '%' => text.push('%'),
                's' | 'b' | 'd' => {
                    takes = true;
                    let word = words.next().copied().unwrap_or_default();
                    text.push_str(&if letter == 'b' { escapes(word)? } else { word.to_owned() });
                }
                _ => return None,
            }
            rest = behind.get(1..)?;
        }
        text.push_str(rest);
        if !takes || words.len() == 0 {
            return Some(text);
        }
    }
}

fn parent(path: &str) -> String {
    match path.trim_end_matches('/').rsplit_once('/') {
        _ if path == "~" => "~/..".to_owned(),
        _ if path == "." => ".".to_owned(),
        Some(("", _)) => "/".to_owned(),
        Some((parent, _)) => parent.to_owned(),
        None if path.starts_with('/') => "/".to_owned(),
        None => ".".to_owned(),
    }
}
