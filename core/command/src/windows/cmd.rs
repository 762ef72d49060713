//! Goes through a line of Windows' `cmd`.

use super::cmdlets::{self, program};
use super::expressions::of_system;
use super::words::{Part, Style, Word, quoted};
use super::{Language, MAX_DEPTH, Written, at_depth, behind, group, shells};
use crate::cursor::Cursor;

/// Commands of `cmd` itself, whose options may stand right behind their name.
const OWN: &[&str] = &[
    "call", "cd", "chdir", "copy", "del", "dir", "echo", "erase", "exit", "for", "if", "md", "mkdir", "mklink", "move",
    "pushd", "rd", "rem", "ren", "rename", "rmdir", "set", "start", "type",
];

/// Writes a line of `cmd` as one of a shell.
pub(super) fn write(text: &str, depth: usize) -> Written {
    // What is handed to `/c` may be quoted as a whole.
    let trimmed = text.trim();
    let inside = trimmed.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    let text = inside.filter(|text| !text.is_empty()).map_or(text, |inside| inside);
    let mut reader = Reader { cursor: Cursor::new(text), depth, is_whole: true };
    let commands = reader.commands(false);
    Written { text: commands, is_whole: reader.is_whole }
}

struct Reader<'t> {
    cursor: Cursor<'t>,
    depth: usize,
    is_whole: bool,
}

impl Reader<'_> {
    fn skip(&mut self) {
        while self.cursor.peek().is_some_and(|letter| matches!(letter, ' ' | '\t' | '\r' | ',' | ';' | '=')) {
            self.cursor.next();
        }
    }

    /// Reads commands to the end, or behind the `)` that closes them.
    fn commands(&mut self, closes: bool) -> String {
        self.nested(|reader| reader.list(closes))
    }

    fn list(&mut self, closes: bool) -> String {
        let mut out = String::new();
        let mut sign = "";
        loop {
            self.skip();
            let Some(letter) = self.cursor.peek() else {
                self.is_whole &= !closes;
                break;
            };
            if letter == ')' && closes {
                self.cursor.next();
                break;
            }
            let found = ["&&", "||", "|", "&", "\n", ")"].into_iter().find(|sign| self.cursor.takes(sign));
            if let Some(found) = found {
                sign = match found {
                    "&" | "\n" | ")" => "; ",
                    "&&" => " && ",
                    "||" => " || ",
                    _ => " | ",
                };
                continue;
            }
            let command = self.command();
            if command.is_empty() {
                continue;
            }
            if !out.is_empty() {
                out.push_str(if sign.is_empty() { "; " } else { sign });
            }
            out.push_str(&command);
            sign = "";
        }
        if out.is_empty() { ":".to_owned() } else { out }
    }

    /// Goes one level deeper; what is too deep is not understood.
    fn nested(&mut self, go: impl FnOnce(&mut Self) -> String) -> String {
        if self.depth >= MAX_DEPTH {
            self.is_whole = false;
            self.cursor.at = self.cursor.text.len();
            return ":".to_owned();
        }
        self.depth += 1;
        let said = go(self);
        self.depth -= 1;
        said
    }

    fn command(&mut self) -> String {
        self.nested(Self::one)
    }

    fn one(&mut self) -> String {
        self.skip();
        while self.cursor.takes("@") {
            self.skip();
        }
        if self.cursor.takes("(") {
            let inside = self.commands(true);
            let redirects = self.words().1;
            return format!("{{ {inside}; }}{redirects}");
        }
        let before = self.cursor.at;
        let Some(first) = self.word(true) else {
            if self.cursor.at == before {
                self.is_whole = false;
                self.cursor.next();
            }
            return String::new();
        };
        match first.fixed().unwrap_or_default().to_ascii_lowercase().as_str() {
            "if" => self.condition(),
            "for" => self.repeated(),
            "else" | "do" | "call" => self.command(),
            "rem" | "goto" | "setlocal" | "endlocal" | "title" | "break" | "exit" | "cls" | "pause" => {
                self.line();
                String::new()
            }
            label if label.starts_with(':') => {
                self.line();
                String::new()
            }
            _ => {
                let (args, redirects) = self.words();
                format!("{}{redirects}", self.say(&first, &args))
            }
        }
    }

    /// Steps over the rest of a command.
    fn line(&mut self) {
        while self.cursor.peek().is_some_and(|letter| !matches!(letter, '\n' | '&' | '|' | ')')) {
            self.cursor.next();
        }
    }

    /// `if exist x command`.
    fn condition(&mut self) -> String {
        loop {
            let Some(word) = self.word(false) else { return String::new() };
            match word.fixed().unwrap_or_default().to_ascii_lowercase().as_str() {
                "/i" | "not" => {}
                "exist" | "defined" | "errorlevel" | "cmdextversion" => {
                    self.word(false);
                    break;
                }
                // `a == b`, `a equ b`: `=` stands between words.
                _ => {
                    let next = self.word(false).and_then(|word| word.fixed()).unwrap_or_default();
                    if matches!(next.to_ascii_lowercase().as_str(), "equ" | "neq" | "lss" | "leq" | "gtr" | "geq") {
                        self.word(false);
                    }
                    break;
                }
            }
        }
        self.command()
    }

    /// `for %i in (a b) do command`.
    fn repeated(&mut self) -> String {
        let mut variable = Word::unknown();
        loop {
            self.skip();
            if self.cursor.peek() == Some('(') {
                break;
            }
            let Some(word) = self.word(false) else { return String::new() };
            if matches!(word.parts.as_slice(), [Part::Variable(_)]) {
                variable = word;
            }
        }
        self.cursor.next();
        let inside = self.cursor.rest();
        let end = inside.find(')').unwrap_or(inside.len());
        self.cursor.at += (end + 1).min(inside.len());
        let inside = inside.get(..end).unwrap_or_default().trim();
        let run = ["'", "`"].iter().find_map(|quote| inside.strip_prefix(quote)?.strip_suffix(quote));
        let name = variable.say(Style::WORD);
        let name = name.trim_matches(|letter| "\"${}".contains(letter));
        if let Some(line) = run {
            let said = at_depth(line, Language::Cmd, self.depth + 1);
            self.is_whole &= said.is_whole;
            self.skip();
            let body = self.command();
            return format!("{{ {}; {}; }}", said.text, if body.is_empty() { ":" } else { &body });
        }
        let mut items = Reader { cursor: Cursor::new(inside), depth: self.depth, is_whole: true };
        let words: Vec<String> = std::iter::from_fn(|| items.word(false)).map(|word| word.say(Style::PATH)).collect();
        self.skip();
        let body = self.command();
        let body = if body.is_empty() { ":" } else { &body };
        if words.is_empty() || name == "_" {
            return body.to_owned();
        }
        format!("for {name} in {}; do {body}; done", words.join(" "))
    }

    /// The words of a command up to its end, and its redirections.
    fn words(&mut self) -> (Vec<Word>, String) {
        let (mut words, mut redirects) = (Vec::new(), String::new());
        loop {
            self.skip();
            let rest = self.cursor.rest();
            let stream = rest.starts_with(|letter: char| letter.is_ascii_digit())
                && rest.get(1..).is_some_and(|rest| rest.starts_with('>'));
            self.cursor.at += usize::from(stream);
            let sign = [">>", ">", "<"].into_iter().find(|sign| self.cursor.takes(sign));
            if let Some(sign) = sign {
                if self.cursor.takes("&") {
                    self.cursor.next();
                    continue;
                }
                self.skip();
                let file = self.word(false);
                self.is_whole &= file.is_some();
                let file = file.map(|file| match file.fixed() {
                    Some(name) if name.eq_ignore_ascii_case("nul") => "/dev/null".to_owned(),
                    _ => file.say(Style::PATH),
                });
                redirects.push_str(&file.map(|file| format!(" {sign} {file}")).unwrap_or_default());
                continue;
            }
            let from = self.cursor.at;
            match self.word(false) {
                Some(word) => words.push(word),
                None if self.cursor.at == from => return (words, redirects),
                None => {}
            }
        }
    }

    /// A word; the name of a command ends where its options begin.
    fn word(&mut self, is_name: bool) -> Option<Word> {
        self.skip();
        let mut word = Word::default();
        let mut is_quoted = false;
        while let Some(letter) = self.cursor.peek() {
            let ends = letter.is_whitespace() || "&|<>()".contains(letter) || matches!(letter, ',' | ';' | '=');
            match letter {
                '"' => {
                    self.cursor.next();
                    is_quoted = !is_quoted;
                    word.push("", true);
                }
                '\n' => break,
                _ if ends && !is_quoted => break,
                '/' if is_name
                    && word.fixed().is_some_and(|name| OWN.contains(&name.to_ascii_lowercase().as_str())) =>
                {
                    break;
                }
                '^' if !is_quoted => {
                    self.cursor.next();
                    if self.cursor.takes("\n") {
                        continue;
                    }
                    if let Some(letter) = self.cursor.next() {
                        word.push(letter.encode_utf8(&mut [0; 4]), false);
                    }
                }
                '%' | '!' => {
                    let variable = self.variable(letter);
                    word.add(variable);
                }
                letter => {
                    self.cursor.next();
                    word.push(letter.encode_utf8(&mut [0; 4]), false);
                }
            }
        }
        self.is_whole &= !is_quoted;
        (!word.parts.is_empty()).then_some(word)
    }

    /// `%NAME%`, `!NAME!`, `%i`, `%~1`.
    fn variable(&mut self, sign: char) -> Word {
        let rest = self.cursor.rest().get(1..).unwrap_or_default();
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || "_()".contains(letter);
        let end = rest.find(|letter| !is_name(letter)).unwrap_or(rest.len());
        let behind = rest.get(end..).unwrap_or_default();
        let name = rest.get(..end).unwrap_or_default();
        if !name.is_empty() && behind.starts_with(sign) {
            self.cursor.at += end + 2;
            return of_system(name);
        }
        // `%NAME:a=b%` is a part of it.
        if !name.is_empty() && behind.starts_with(':') {
            let line = behind.split('\n').next().unwrap_or_default();
            if let Some(close) = line.find(sign) {
                self.cursor.at += end + close + 2;
                return Word::unknown();
            }
        }
        self.cursor.next();
        if sign == '!' {
            return Word::of("!");
        }
        self.cursor.takes("%");
        let is_argument =
            self.cursor.peek().is_some_and(|letter| letter == '~' || letter == '*' || letter.is_ascii_digit());
        if is_argument {
            while self.cursor.peek().is_some_and(|letter| letter.is_ascii_alphanumeric() || "~*$:".contains(letter)) {
                self.cursor.next();
            }
            return Word::unknown();
        }
        match self.cursor.peek().filter(char::is_ascii_alphabetic) {
            Some(letter) => {
                self.cursor.next();
                Word { parts: vec![Part::Variable(format!("v_{letter}"))], is_spread: false }
            }
            None => Word::of("%"),
        }
    }

    /// A command as a shell says it.
    fn say(&mut self, name: &Word, args: &[Word]) -> String {
        let Some(text) = name.fixed() else {
            let words = behind(args.iter().map(|word| word.say(Style::WORD)));
            return format!("{}{words}", name.say(Style::WORD));
        };
        let base = shells::base(&text);
        let base = base.trim_start_matches('@');
        let command = cmdlets::Written {
            name: Word::of(&text),
            args: args.iter().map(|word| vec![word.clone()]).collect(),
            blocks: Vec::new(),
        };
        let flags: Vec<String> = args
            .iter()
            .filter_map(Word::fixed)
            .filter(|word| word.starts_with('/'))
            .flat_map(|word| word.split('/').map(str::to_ascii_lowercase).collect::<Vec<_>>())
            .collect();
        let has = |flag: &str| flags.iter().any(|known| known == flag);
        let is_flag = |word: &&Word| word.start().starts_with('/') && word.start().len() > 1;
        let files: Vec<String> = args.iter().filter(|word| !is_flag(word)).map(|word| word.say(Style::PATH)).collect();
        let files = files.join(" ");
        let force = if has("q") || has("f") { "f" } else { "" };
        let meant = match base {
            "del" | "erase" | "rd" | "rmdir" if has("s") => format!("rm -r{force} {files}"),
            "del" | "erase" if force.is_empty() => format!("rm {files}"),
            "del" | "erase" => format!("rm -f {files}"),
            "rd" | "rmdir" => return format!("rmdir {files}"),
            "type" | "more" => format!("cat {files}"),
            "copy" => format!("cp {files}"),
            "xcopy" | "robocopy" => format!("cp -r {files}"),
            "move" | "ren" | "rename" => format!("mv {files}"),
            "md" | "mkdir" => return format!("mkdir -p {files}"),
            "cd" | "chdir" | "pushd" => return format!("cd {files}"),
            "dir" => format!("ls {files}"),
            "echo" => {
                let words: Vec<String> = args.iter().map(|word| word.say(Style::WORD)).collect();
                return format!("echo {}", words.join(" "));
            }
            "set" if args.is_empty() => return "printenv".to_owned(),
            "set" => return Self::set(args),
            "start" => return self.starts(args),
            _ => {
                return program(&text, &command).text;
            }
        };
        let words = behind(args.iter().map(|word| word.say(Style::AGAIN)));
        let own = format!("{}{words}", quoted(base, false));
        let own = Some(own).filter(|_| !matches!(base, "rmdir" | "mkdir"));
        group(&own.into_iter().chain(std::iter::once(meant)).collect::<Vec<_>>())
    }

    /// `set NAME=value`: the `=` stands between words.
    fn set(args: &[Word]) -> String {
        let mut words = args.iter();
        let name = words.next().and_then(Word::fixed).unwrap_or_default();
        let is_name = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_') && !name.is_empty();
        let value = words.next().map(|word| word.say(Style::WORD)).unwrap_or_default();
        if is_name { format!("{}={value}", name.to_ascii_uppercase()) } else { ":".to_owned() }
    }

    /// `start "title" /b program`.
    fn starts(&mut self, args: &[Word]) -> String {
        let is_title = |word: &&Word| matches!(word.parts.as_slice(), [Part::Text(_, true), ..]);
        let skipped = usize::from(args.len() > 1 && args.first().as_ref().is_some_and(is_title));
        let rest = args.get(skipped..).unwrap_or_default();
        let at = rest.iter().position(|word| !word.start().starts_with('/')).unwrap_or(rest.len());
        match rest.get(at..).unwrap_or_default().split_first() {
            Some((name, args)) => self.nested(|reader| reader.say(name, args)),
            None => ":".to_owned(),
        }
    }
}
