//! Words of PowerShell and what is worked out in them: texts, variables, members, the methods that read and run.

use super::cmdlets;
use super::powershell::{ITEM, Reader, is_double, is_quote, is_single};
use super::words::{Part, Style, Word};
use super::{Language, at_depth};

/// Something that is worked out.
#[derive(Debug, Default)]
pub(super) struct Expression {
    /// What it is, a word for each item of a list.
    pub(super) values: Vec<Word>,
    /// What it runs besides.
    pub(super) commands: Vec<String>,
    pub(super) redirects: String,
    /// It is no more than its values.
    pub(super) is_plain: bool,
    pub(super) is_whole: bool,
}

/// Variables of PowerShell and of the system that are known folders.
const FOLDERS: &[(&str, &str)] = &[
    ("systemdrive", "C:"),
    ("homedrive", "C:"),
    ("systemroot", "C:\\Windows"),
    ("windir", "C:\\Windows"),
    ("programfiles", "C:\\Program Files"),
    ("programfiles(x86)", "C:\\Program Files"),
    ("programw6432", "C:\\Program Files"),
    ("programdata", "C:\\ProgramData"),
    ("allusersprofile", "C:\\ProgramData"),
    ("public", "C:\\Users\\Public"),
    ("temp", "/tmp"),
    ("tmp", "/tmp"),
    ("userprofile", "~"),
    ("home", "~"),
    ("homepath", "~"),
    ("appdata", "~\\AppData\\Roaming"),
    ("localappdata", "~\\AppData\\Local"),
];

/// A variable of the system, as Windows names it.
pub(super) fn of_system(name: &str) -> Word {
    let lower = name.to_ascii_lowercase();
    if let Some((_, folder)) = FOLDERS.iter().find(|(known, _)| *known == lower) {
        return Word { parts: vec![Part::Text((*folder).to_owned(), true)], is_spread: false };
    }
    variable(&name.to_ascii_uppercase())
}

/// What of a file or of a process stands for it.
const SELF: &[&str] = &["FullName", "Id", "Name", "Path", "ProcessName", "PSPath"];

fn variable(name: &str) -> Word {
    let name: String = name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect();
    Word { parts: vec![Part::Variable(name)], is_spread: false }
}

/// A variable by its name and what it belongs to.
fn of_name(name: &str) -> Word {
    let lower = name.to_ascii_lowercase();
    let (scope, plain) = lower.split_once(':').unwrap_or(("", &lower));
    match (scope, plain) {
        ("env", _) => of_system(name.split_once(':').map_or("", |(_, name)| name)),
        (_, "home") => of_system("home"),
        (_, "pwd") => variable("PWD"),
        (_, "profile") => Word::of("~/.config/powershell/profile.ps1"),
        (_, "true" | "false" | "null") => Word { parts: vec![Part::Text(format!("${plain}"), true)], is_spread: false },
        (
            _,
            "_" | "args" | "input" | "psitem" | "matches" | "" | "?" | "^" | "$" | "psscriptroot" | "error" | "pid",
        ) => Word::unknown(),
        ("" | "global" | "local" | "private" | "script" | "using", plain) => variable(&format!("v_{plain}")),
        _ => Word::unknown(),
    }
}

impl Reader<'_> {
    /// A word without quotes, or with some in it.
    pub(super) fn bareword(&mut self) -> Word {
        let mut word = Word::default();
        while let Some(letter) = self.cursor.peek() {
            match letter {
                letter if letter.is_whitespace() || ";|&(){},<>".contains(letter) => break,
                '`' => {
                    self.cursor.next();
                    match self.cursor.next() {
                        // A line that goes on ends the word.
                        Some('\n' | '\r') | None => break,
                        Some(letter) => word.push(&escaped(letter), true),
                    }
                }
                '$' => {
                    let part = self.value_in_text();
                    word.add(part);
                }
                letter if is_quote(letter) => {
                    let part = self.quoted();
                    word.add(part);
                }
                // Dashes of every kind begin a parameter.
                '–' | '—' | '―' if word.parts.is_empty() => {
                    self.cursor.next();
                    word.push("-", false);
                }
                letter => {
                    self.cursor.next();
                    word.push(letter.encode_utf8(&mut [0; 4]), false);
                }
            }
        }
        word
    }

    /// A text in quotes.
    fn quoted(&mut self) -> Word {
        let mut word = Word { parts: vec![Part::Text(String::new(), true)], is_spread: false };
        let Some(quote) = self.cursor.next() else { return word };
        loop {
            let Some(letter) = self.cursor.peek() else {
                self.is_whole = false;
                return word;
            };
            match letter {
                letter if is_single(quote) && is_single(letter) || is_double(quote) && is_double(letter) => {
                    self.cursor.next();
                    // A quote twice is one.
                    if !self
                        .cursor
                        .peek()
                        .is_some_and(|next| is_single(quote) && is_single(next) || is_double(quote) && is_double(next))
                    {
                        return word;
                    }
                    self.cursor.next();
                    word.push(letter.encode_utf8(&mut [0; 4]), true);
                }
                '`' if is_double(quote) => {
                    self.cursor.next();
                    let letter = self.cursor.next().unwrap_or('`');
                    word.push(&escaped(letter), true);
                }
                '$' if is_double(quote) => {
                    let part = self.value_in_text();
                    word.add(part);
                }
                letter => {
                    self.cursor.next();
                    word.push(letter.encode_utf8(&mut [0; 4]), true);
                }
            }
        }
    }

    /// `@'…'@` and `@"…"@`.
    fn here_text(&mut self) -> Word {
        self.cursor.next();
        let quote = self.cursor.next().unwrap_or('\'');
        self.cursor.take_while(|letter| letter != '\n');
        self.cursor.takes("\n");
        let rest = self.cursor.rest();
        let Some(end) = rest.find(&format!("\n{quote}@")) else {
            self.is_whole = false;
            self.cursor.at = self.cursor.text.len();
            return Word::unknown();
        };
        let inside = rest.get(..end).unwrap_or_default();
        let stop = self.cursor.at + end + 3;
        if is_single(quote) {
            self.cursor.at = stop;
            return Word { parts: vec![Part::Text(inside.to_owned(), true)], is_spread: false };
        }
        let mut reader = Reader::new(inside, self.depth);
        let mut word = Word { parts: vec![Part::Text(String::new(), true)], is_spread: false };
        while let Some(letter) = reader.cursor.peek() {
            match letter {
                '$' => {
                    let part = reader.value_in_text();
                    word.add(part);
                }
                '`' => {
                    reader.cursor.next();
                    let letter = reader.cursor.next().unwrap_or('`');
                    word.push(&escaped(letter), true);
                }
                letter => {
                    reader.cursor.next();
                    word.push(letter.encode_utf8(&mut [0; 4]), true);
                }
            }
        }
        self.is_whole &= reader.is_whole;
        self.cursor.at = stop;
        word
    }

    /// A variable, or what commands print, within a text.
    fn value_in_text(&mut self) -> Word {
        if self.cursor.rest().starts_with("$(") {
            self.cursor.at += 2;
            return self.parenthesised();
        }
        let is_variable =
            self.cursor.second().is_some_and(|next| next.is_ascii_alphanumeric() || "_{?^$:".contains(next));
        if is_variable {
            return self.variable();
        }
        self.cursor.next();
        Word { parts: vec![Part::Text("$".to_owned(), true)], is_spread: false }
    }

    /// A variable by its name.
    pub(super) fn variable(&mut self) -> Word {
        self.cursor.next();
        if self.cursor.takes("{") {
            let name = self.cursor.take_while(|letter| letter != '}');
            self.cursor.takes("}");
            return self.named(name);
        }
        if self.cursor.peek().is_some_and(|letter| "?^$".contains(letter)) {
            self.cursor.next();
            return Word::unknown();
        }
        let rest = self.cursor.rest();
        let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
        let mut end = rest.find(|letter| !is_name(letter)).unwrap_or(rest.len());
        // `$env:X`, and not the `:` behind a drive or of `::`.
        let behind = rest.get(end..).unwrap_or_default();
        if behind.starts_with(':') && behind.chars().nth(1).is_some_and(is_name) {
            let more = behind.get(1..).unwrap_or_default();
            end += 1 + more.find(|letter| !is_name(letter)).unwrap_or(more.len());
        }
        self.cursor.at += end;
        // What is set there makes a name mean another command.
        self.is_whole &= !rest.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("alias:"));
        self.named(rest.get(..end).unwrap_or_default())
    }

    /// A variable by its name; `$_` is known where a block runs for each of something.
    fn named(&self, name: &str) -> Word {
        let is_item = name == "_" || name.eq_ignore_ascii_case("psitem");
        let of_block = self.each.as_ref().is_some_and(|each| each.variable == ITEM);
        if is_item && of_block {
            Word { parts: vec![Part::Variable(ITEM.to_owned())], is_spread: false }
        } else {
            of_name(name)
        }
    }

    /// What stands within parentheses: values, or what commands print.
    fn parenthesised(&mut self) -> Word {
        let statements = self.statements(Some(')'));
        if let [only] = statements.as_slice()
            && let Some([value]) = only.values.as_deref()
        {
            return value.clone();
        }
        let texts: Vec<String> = statements.into_iter().map(|statement| statement.text).collect();
        if texts.is_empty() { Word::of("") } else { Word::output(texts.join("; ")) }
    }

    /// A value as an argument, with what is put behind it in the same word.
    pub(super) fn value_in_word(&mut self) -> Word {
        let mut word = self.value();
        let more = self.bareword();
        word.add(more);
        word
    }

    /// A value with its members.
    pub(super) fn value(&mut self) -> Word {
        self.nested(|reader| {
            let mut commands = Vec::new();
            let values = reader.atom(&mut commands);
            let mut word = match values.as_slice() {
                [one] => one.clone(),
                [] => Word::default(),
                several => {
                    Word { parts: several.iter().flat_map(|word| word.parts.clone()).collect(), is_spread: true }
                }
            };
            if !commands.is_empty() {
                word.parts.push(Part::Output(commands.join("; ")));
            }
            word
        })
    }

    /// One part of an expression, with its members.
    fn atom(&mut self, commands: &mut Vec<String>) -> Vec<Word> {
        let Some(letter) = self.cursor.peek() else { return Vec::new() };
        match letter {
            '@' if matches!(self.cursor.second(), Some('\'' | '"')) => vec![self.here_text()],
            '@' if self.cursor.second() == Some('{') => {
                self.cursor.at += 2;
                self.table(commands);
                vec![Word::unknown()]
            }
            '@' if self.cursor.second() == Some('(') => {
                self.cursor.at += 2;
                let words = self.list();
                self.members(words, "", commands)
            }
            '(' => {
                self.cursor.next();
                let words = self.list();
                self.members(words, "", commands)
            }
            '$' => {
                let word = self.value_in_text();
                self.members(vec![word], "", commands)
            }
            '{' => {
                self.cursor.next();
                let block = self.block('}');
                commands.push(format!("{{ {block}; }}"));
                self.members(vec![Word::of("")], "", commands)
            }
            '[' => {
                self.cursor.next();
                let kind = self.cursor.take_while(|letter| letter != ']').trim().to_ascii_lowercase();
                self.is_whole &= self.cursor.takes("]");
                let kind = kind.strip_prefix("system.").unwrap_or(&kind).to_owned();
                if self.cursor.rest().starts_with("::") {
                    return self.members(Vec::new(), &kind, commands);
                }
                self.skip(false);
                // What it is cast to.
                self.nested(|reader| reader.atom(commands))
            }
            letter if is_quote(letter) => {
                let word = self.quoted();
                self.members(vec![word], "", commands)
            }
            _ => Vec::new(),
        }
    }

    /// The values of a list in parentheses.
    fn list(&mut self) -> Vec<Word> {
        let statements = self.statements(Some(')'));
        if statements.iter().all(|statement| statement.values.is_some()) {
            return statements.into_iter().flat_map(|statement| statement.values.unwrap_or_default()).collect();
        }
        let texts: Vec<String> = statements.into_iter().map(|statement| statement.text).collect();
        vec![Word::output(texts.join("; "))]
    }

    /// The entries of `@{ a = 1 }`: their names run nothing.
    fn table(&mut self, commands: &mut Vec<String>) {
        self.nested(|reader| {
            loop {
                reader.skip(true);
                if reader.cursor.takes(";") {
                    continue;
                }
                if reader.cursor.takes("}") {
                    return;
                }
                if reader.cursor.peek().is_none() {
                    reader.is_whole = false;
                    return;
                }
                let from = reader.cursor.at;
                match reader.cursor.peek() {
                    Some('$' | '(' | '[') => {
                        let word = reader.value();
                        commands.extend(word.commands().cloned());
                    }
                    Some(letter) if is_quote(letter) => {
                        reader.quoted();
                    }
                    _ => {
                        reader.cursor.take_while(|letter| !letter.is_whitespace() && !"=;}{(".contains(letter));
                    }
                }
                reader.skip(true);
                if reader.cursor.takes("=") {
                    reader.skip(true);
                    let value = reader.chain();
                    commands.extend(Some(value.text).filter(|text| !text.is_empty()));
                }
                if reader.cursor.at == from {
                    reader.is_whole = false;
                    reader.cursor.next();
                }
            }
        });
    }

    /// What stands behind a value: `.Name`, `[0]`, `.Run(x)`.
    fn members(&mut self, mut words: Vec<Word>, kind: &str, commands: &mut Vec<String>) -> Vec<Word> {
        loop {
            let rest = self.cursor.rest();
            let sign = ["::", "?.", "."].into_iter().find(|sign| rest.starts_with(sign));
            if let Some(sign) = sign {
                let next = rest.get(sign.len()..).and_then(|rest| rest.chars().next());
                if !next.is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, '_' | '$' | '\'' | '"' | '('))
                {
                    return words;
                }
                self.cursor.at += sign.len();
                let name = match next {
                    Some('$' | '\'' | '"' | '(') => {
                        let word = self.nested(|reader| {
                            let mut inner = Vec::new();
                            let words = if reader.cursor.peek() == Some('$') {
                                vec![reader.value_in_text()]
                            } else {
                                reader.atom(&mut inner)
                            };
                            commands.extend(inner);
                            words.into_iter().next().unwrap_or_default()
                        });
                        word.fixed()
                    }
                    _ => Some(
                        self.cursor.take_while(|letter| letter.is_ascii_alphanumeric() || letter == '_').to_owned(),
                    ),
                };
                let is_itself =
                    name.as_deref().is_some_and(|name| SELF.iter().any(|known| known.eq_ignore_ascii_case(name)));
                let called = self.cursor.takes("(");
                if !called && is_itself && matches!(words.as_slice(), [word] if self.is_each(word)) {
                    continue;
                }
                if called {
                    let args = self.arguments(commands);
                    words = self.method(&words, kind, name.as_deref(), &args, commands);
                } else {
                    let outputs: Vec<Part> = words
                        .into_iter()
                        .flat_map(|word| word.parts)
                        .filter(|part| matches!(part, Part::Output(_)))
                        .collect();
                    let unknown = Word::unknown();
                    words = vec![if outputs.is_empty() { unknown } else { Word { parts: outputs, is_spread: false } }];
                }
            } else if rest.starts_with('[') && !words.is_empty() {
                self.cursor.next();
                let inside = self.statements(Some(']'));
                commands.extend(inside.into_iter().filter(|inside| inside.values.is_none()).map(|inside| inside.text));
                let outputs = words.iter().flat_map(Word::commands).cloned().collect::<Vec<_>>();
                words = vec![if outputs.is_empty() { Word::unknown() } else { Word::output(outputs.join("; ")) }];
            } else {
                return words;
            }
        }
    }

    /// The arguments of a method, behind its `(`.
    fn arguments(&mut self, commands: &mut Vec<String>) -> Vec<Word> {
        let mut words = Vec::new();
        for statement in self.statements(Some(')')) {
            match statement.values {
                Some(values) => words.extend(values),
                None if statement.text.is_empty() => {}
                None => {
                    commands.push(statement.text.clone());
                    words.push(Word::output(statement.text));
                }
            }
        }
        words
    }

    /// What a method does.
    fn method(
        &mut self,
        target: &[Word],
        kind: &str,
        name: Option<&str>,
        args: &[Word],
        commands: &mut Vec<String>,
    ) -> Vec<Word> {
        let path = |at: usize| args.get(at).map(|word| word.say(Style::PATH)).unwrap_or_default();
        let text = |at: usize| args.get(at).map(|word| word.say(Style::WORD)).unwrap_or_default();
        let name = name.unwrap_or_default().to_ascii_lowercase();
        let output = |command: String| vec![Word::output(command)];
        match (kind, name.as_str()) {
            (
                _,
                "downloadstring"
                | "downloaddata"
                | "openread"
                | "getstringasync"
                | "getasync"
                | "getbytearrayasync"
                | "downloadstringtaskasync",
            ) if kind.is_empty() => output(format!("curl {}", text(0))),
            ("", "downloadfile" | "downloadfileasync" | "downloadfiletaskasync") => {
                output(format!("curl -o {} {}", path(1), text(0)))
            }
            ("", "uploadfile" | "uploadfiletaskasync") => output(format!(
                "curl -T {} {}",
                args.last().map(|word| word.say(Style::PATH)).unwrap_or_default(),
                text(0)
            )),
            ("", "uploadstring" | "uploaddata" | "postasync" | "putasync") => output(format!(
                "curl -d {} {}",
                args.last().map(|word| word.say(Style::WORD)).unwrap_or_default(),
                text(0)
            )),
            (
                "io.file",
                "readalltext" | "readallbytes" | "readalllines" | "readlines" | "openread" | "opentext" | "open",
            ) => output(format!("cat {}", path(0))),
            ("io.file", "writealltext" | "writeallbytes" | "writealllines" | "create" | "openwrite" | "createtext") => {
                output(format!("echo {} > {}", text(1), path(0)))
            }
            ("io.file", "appendalltext" | "appendalllines" | "appendtext") => {
                output(format!("echo {} >> {}", text(1), path(0)))
            }
            ("io.file", "delete") => output(format!("rm {}", path(0))),
            ("io.file", "copy") => output(format!("cp {} {}", path(0), path(1))),
            ("io.file" | "io.directory", "move") => output(format!("mv {} {}", path(0), path(1))),
            ("io.directory", "delete") => output(format!("rm -r {}", path(0))),
            ("io.directory", "createdirectory") => output(format!("mkdir -p {}", path(0))),
            ("diagnostics.process", "start") => {
                let mut command =
                    cmdlets::Written { name: args.first().cloned().unwrap_or_default(), ..cmdlets::Written::default() };
                for word in args.get(1..).unwrap_or_default() {
                    match word.fixed() {
                        Some(text) => {
                            command.args.extend(cmdlets::split(&text).iter().map(|word| vec![Word::of(word)]));
                        }
                        None => command.args.push(vec![word.clone()]),
                    }
                }
                let said = cmdlets::say(&command, &cmdlets::Passed::Nothing, self.depth);
                self.is_whole &= said.is_whole;
                output(said.text)
            }
            ("environment", "getenvironmentvariable") => {
                let name = args.first().and_then(Word::fixed);
                vec![name.map_or_else(Word::unknown, |name| of_system(&name))]
            }
            ("scriptblock" | "management.automation.scriptblock", "create")
            | (_, "invokescript" | "newscriptblock" | "addscript") => match args.first().and_then(Word::fixed) {
                Some(line) => {
                    let said = at_depth(&line, Language::PowerShell, self.depth + 1);
                    self.is_whole &= said.is_whole;
                    output(format!("{{ {}; }}", if said.text.is_empty() { ":" } else { &said.text }))
                }
                None => output(format!("eval {}", text(0))),
            },
            ("", method @ ("delete" | "kill")) if matches!(target, [word] if self.is_each(word)) => {
                let passed = self.each.as_ref().map(|each| each.passed.clone()).unwrap_or_default();
                let name = Word::of(cmdlets::of_method(method).unwrap_or_default());
                // `Delete($true)` deletes what is in a folder too.
                let recurses = method == "delete" && !args.is_empty();
                let args = recurses.then(|| vec![Word::of("-Recurse")]).into_iter().collect();
                let command = cmdlets::Written { name, args, blocks: Vec::new() };
                output(cmdlets::say(&command, &passed, self.depth).text)
            }
            // `(Get-Process x).Kill()` is `Stop-Process (Get-Process x)`; others delete what is theirs.
            ("", method @ ("delete" | "kill"))
                if method == "kill" || target.iter().flat_map(Word::commands).next().is_some() =>
            {
                let name = Word::of(cmdlets::of_method(method).unwrap_or_default());
                let command = cmdlets::Written { name, args: vec![target.to_vec()], blocks: Vec::new() };
                output(cmdlets::say(&command, &cmdlets::Passed::Nothing, self.depth).text)
            }
            // A block that is written out has been read; what else is called may run anything.
            (_, "invoke" | "invokereturnasis" | "invokewithcontext" | "begininvoke") => {
                self.is_whole &= target.iter().all(|word| word.fixed().is_some());
                vec![Word::unknown()]
            }
            _ => {
                commands.extend(target.iter().flat_map(Word::commands).cloned());
                vec![Word::unknown()]
            }
        }
    }

    /// Something that is worked out, up to the end of its part of a pipeline.
    pub(super) fn expression(&mut self) -> Expression {
        let before = std::mem::replace(&mut self.is_whole, true);
        let mut done = self.worked_out();
        done.is_whole = self.is_whole;
        self.is_whole = before;
        done
    }

    fn worked_out(&mut self) -> Expression {
        let mut done = Expression { is_plain: true, ..Expression::default() };
        // Items of a list, each of texts that are put together.
        let mut is_computed = false;
        let mut joins = false;
        loop {
            self.skip(false);
            let Some(letter) = self.cursor.peek() else { break };
            if matches!(letter, ';' | '\n' | '\r' | ')' | '}' | ']' | '|' | '&') {
                break;
            }
            if let Some(redirect) = self.redirect() {
                done.redirects.push_str(&redirect);
                continue;
            }
            match letter {
                ',' => {
                    self.cursor.next();
                    self.skip(true);
                    joins = false;
                }
                '+' if self.cursor.second() != Some('=') && self.cursor.second() != Some('+') => {
                    self.cursor.next();
                    self.skip(true);
                    joins = true;
                }
                '=' => {
                    self.cursor.next();
                    self.assigned(&mut done, is_computed);
                    return done;
                }
                '+' | '-' | '*' | '/' | '%' | '?' if self.is_assignment() => {
                    self.cursor.take_while(|letter| letter != '=');
                    self.cursor.next();
                    self.assigned(&mut done, true);
                    return done;
                }
                '"' | '\'' | '$' | '(' | '@' | '[' | '{' => self.item(&mut done, &mut joins),
                letter if is_quote(letter) => self.item(&mut done, &mut joins),
                letter if letter.is_alphanumeric() || letter == '_' => {
                    let text = self.cursor.take_while(|letter| letter.is_alphanumeric() || "_.".contains(letter));
                    done.values.push(Word::of(text));
                }
                _ => {
                    self.cursor.next();
                    self.cursor.take_while(|letter| letter.is_ascii_alphabetic());
                    is_computed = true;
                    joins = false;
                }
            }
        }
        if is_computed {
            let parts: Vec<Part> = done
                .values
                .drain(..)
                .flat_map(|word| word.parts)
                .filter(|part| matches!(part, Part::Output(_)))
                .collect();
            done.values.push(if parts.is_empty() { Word::unknown() } else { Word { parts, is_spread: false } });
        }
        done.is_plain = done.commands.is_empty();
        done
    }

    /// `+=` and its kind.
    fn is_assignment(&self) -> bool {
        ["+=", "-=", "*=", "/=", "%=", "??="].iter().any(|sign| self.cursor.rest().starts_with(sign))
    }

    fn item(&mut self, done: &mut Expression, joins: &mut bool) {
        let from = self.cursor.at;
        let words = self.nested(|reader| reader.atom(&mut done.commands));
        if self.cursor.at == from {
            self.is_whole = false;
            self.cursor.next();
        }
        for word in words {
            match done.values.last_mut().filter(|_| *joins) {
                Some(last) => last.add(word),
                None => done.values.push(word),
            }
            *joins = false;
        }
    }

    /// What stands behind `=`.
    fn assigned(&mut self, done: &mut Expression, adds: bool) {
        self.skip(true);
        let value = self.nested(Self::chain);
        let target = done.values.pop();
        done.values.clear();
        done.is_plain = false;
        let name = match target.as_ref().map(|target| target.parts.as_slice()) {
            Some([Part::Variable(name)]) if name != "_" && !adds => name.clone(),
            _ => {
                done.commands.extend(Some(value.text).filter(|text| !text.is_empty()));
                return;
            }
        };
        if let Some([value]) = value.values.as_deref()
            && let Some(value) = value.fixed()
        {
            self.given.push((name.clone(), value));
        }
        done.commands.push(match value.values.as_deref() {
            Some([word]) => format!("{name}={}", word.say(Style::WORD)),
            Some(_) => format!("{name}=\"${{_}}\""),
            None if value.text.is_empty() => format!("{name}="),
            None => format!("{name}=\"$({})\"", value.text),
        });
    }
}

/// What a letter behind a backtick is.
fn escaped(letter: char) -> String {
    match letter {
        'n' => "\n",
        't' => "\t",
        'r' | '0' | 'a' | 'b' | 'f' | 'v' | 'e' => "",
        letter => return letter.to_string(),
    }
    .to_owned()
}
