//! Goes through a line of PowerShell: its statements, pipelines and commands.

use super::cmdlets::{self, Passed, Said};
use super::words::{Part, Style, Word};
use super::{Language, MAX_DEPTH, Written, at_depth, group};
use crate::cursor::Cursor;

/// Writes a line of PowerShell as one of a shell.
pub(super) fn write(text: &str, depth: usize) -> Written {
    let mut reader = Reader::new(text, depth);
    let commands = reader.statements(None);
    let commands: Vec<String> = commands.into_iter().map(|statement| statement.text).collect();
    Written { text: commands.join("\n"), is_whole: reader.is_whole }
}

/// What stands between two ends of a statement.
#[derive(Debug, Default)]
pub(super) struct Statement {
    pub(super) text: String,
    /// The values that it is, if it is no more than these.
    pub(super) values: Option<Vec<Word>>,
    /// What it hands on.
    passed: Passed,
}

/// What a block runs for.
#[derive(Debug, Clone)]
pub(super) struct Each {
    /// The variable that holds it, by its name in a shell.
    pub(super) variable: String,
    pub(super) passed: Passed,
}

/// The variable of a shell that holds what `$_` does.
pub(super) const ITEM: &str = "v_item";

impl Statement {
    fn of(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

/// Words of the grammar that only lead to a block.
const LEADS: &[&str] = &["begin", "clean", "do", "dynamicparam", "else", "end", "finally", "process", "try"];

/// Words of the grammar behind which a condition stands.
const CONDITIONS: &[&str] = &["elseif", "for", "if", "param", "switch", "until", "while"];

/// Words of the grammar of what is not read.
const UNREAD: &[&str] = &["class", "configuration", "data", "enum", "inlinescript", "parallel", "sequence", "workflow"];

pub(super) struct Reader<'t> {
    pub(super) cursor: Cursor<'t>,
    pub(super) depth: usize,
    pub(super) is_whole: bool,
    /// The plain values that the line gives variables, by their names in a shell.
    pub(super) given: Vec<(String, String)>,
    /// What the block that is read runs for.
    pub(super) each: Option<Each>,
    /// The key of the registry in which the line works.
    key: Option<String>,
}

/// How many values of a variable are tried as the name of a command.
const MAX_GIVEN: usize = 8;

impl<'t> Reader<'t> {
    pub(super) const fn new(text: &'t str, depth: usize) -> Self {
        Self { cursor: Cursor::new(text), depth, is_whole: true, given: Vec::new(), each: None, key: None }
    }

    /// The values that the line gives a variable.
    fn values_of(&self, word: &Word) -> Vec<String> {
        let [Part::Variable(name)] = word.parts.as_slice() else { return Vec::new() };
        self.given.iter().filter(|(known, _)| known == name).map(|(_, value)| value.clone()).take(MAX_GIVEN).collect()
    }

    /// Reads a block that runs for each of what is passed on.
    fn block_for(&mut self, variable: &str, passed: &Passed) -> String {
        let each = Each { variable: variable.to_owned(), passed: passed.clone() };
        let outer = self.each.replace(each);
        let block = self.block('}');
        self.each = outer;
        match passed {
            Passed::Paths(paths) if block.contains(variable) && !paths.is_empty() => {
                format!("for {variable} in {}; do {block}; done", paths.join(" "))
            }
            _ => block,
        }
    }

    /// Whether a word is what the block that is read runs for.
    pub(super) fn is_each(&self, word: &Word) -> bool {
        let each = self.each.as_ref();
        each.is_some_and(|each| word.parts == [Part::Variable(each.variable.clone())])
    }

    /// What a command is passed; one that ends processes may be handed them as words.
    fn handed_on<'p>(&'p self, command: &mut cmdlets::Written, passed: &'p Passed) -> &'p Passed {
        let Some(each) = self.each.as_ref().filter(|each| matches!(each.passed, Passed::Processes(_))) else {
            return passed;
        };
        let Some(at) = command.args.iter().position(|arg| matches!(arg.as_slice(), [word] if self.is_each(word)))
        else {
            return passed;
        };
        if !command.name.fixed().is_some_and(|name| cmdlets::ends_processes(&name)) {
            return passed;
        }
        command.args.remove(at);
        if at > 0 && command.args.get(at - 1).and_then(|arg| arg.first()?.parameter()).is_some() {
            command.args.remove(at - 1);
        }
        &each.passed
    }

    /// Steps over what separates words, also over the ends of lines.
    pub(super) fn skip(&mut self, lines: bool) {
        loop {
            let rest = self.cursor.rest();
            if rest.starts_with("<#") {
                let end = rest.find("#>");
                self.is_whole &= end.is_some();
                self.cursor.at += end.map_or(rest.len(), |end| end + 2);
            } else if rest.starts_with('#') {
                self.cursor.take_while(|letter| letter != '\n');
            } else if rest.starts_with("`\n") || rest.starts_with("`\r\n") {
                self.cursor.takes("`");
                self.cursor.takes("\r");
                self.cursor.takes("\n");
            } else if self
                .cursor
                .peek()
                .is_some_and(|letter| letter.is_whitespace() && (lines || !matches!(letter, '\n' | '\r')))
            {
                self.cursor.next();
            } else {
                return;
            }
        }
    }

    /// Goes one level deeper; what is too deep is not understood.
    pub(super) fn nested<T: Default>(&mut self, go: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= MAX_DEPTH {
            self.is_whole = false;
            self.cursor.at = self.cursor.text.len();
            return T::default();
        }
        self.depth += 1;
        let done = go(self);
        self.depth -= 1;
        done
    }

    /// Reads statements to the end, or behind what closes them.
    pub(super) fn statements(&mut self, closes: Option<char>) -> Vec<Statement> {
        self.nested(|reader| {
            let mut statements = Vec::new();
            loop {
                reader.skip(true);
                while reader.cursor.takes(";") {
                    reader.skip(true);
                }
                let from = reader.cursor.at;
                match reader.cursor.peek() {
                    None => {
                        reader.is_whole &= closes.is_none();
                        return statements;
                    }
                    letter if letter == closes => {
                        reader.cursor.next();
                        return statements;
                    }
                    // What runs beside the line.
                    Some('&')
                        if !statements.is_empty()
                            && reader.cursor.second().is_none_or(|next| next.is_whitespace() || next == ';')
                            && reader.is_end_of_job() =>
                    {
                        reader.cursor.next();
                    }
                    _ => {
                        let statement = reader.statement();
                        if !statement.text.is_empty() || statement.values.is_some() {
                            statements.push(statement);
                        }
                    }
                }
                if reader.cursor.at == from {
                    reader.is_whole = false;
                    reader.cursor.next();
                }
            }
        })
    }

    /// Whether nothing of a command stands behind a `&`.
    fn is_end_of_job(&self) -> bool {
        let behind = self.cursor.rest().get(1..).unwrap_or_default().trim_start_matches([' ', '\t']);
        behind.is_empty() || behind.starts_with(['\n', '\r', ';', ')', '}'])
    }

    /// The commands of a block, one behind the other.
    pub(super) fn block(&mut self, closes: char) -> String {
        let statements = self.statements(Some(closes));
        let texts: Vec<String> = statements.into_iter().map(|statement| statement.text).collect();
        if texts.is_empty() { ":".to_owned() } else { texts.join("; ") }
    }

    fn statement(&mut self) -> Statement {
        if self.cursor.peek() == Some('{') {
            self.cursor.next();
            let block = self.block('}');
            return Statement::of(format!("{{ {block}; }}"));
        }
        let rest = self.cursor.rest();
        let length = rest.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or_default().to_ascii_lowercase();
        let behind = rest.get(length..).unwrap_or_default();
        let next = behind.trim_start().chars().next();
        let is_word = !word.is_empty() && !behind.starts_with(['-', '.', '\\', '/', ':', '_']);
        if is_word {
            let is_condition = CONDITIONS.contains(&word.as_str())
                && (next == Some('(') || word == "switch" && behind.starts_with([' ', '\t', '\n']));
            if is_condition {
                self.cursor.at += length;
                return self.condition();
            }
            match word.as_str() {
                "foreach" if next == Some('(') => {
                    self.cursor.at += length;
                    return self.for_each();
                }
                "catch" | "trap" if matches!(next, Some('{' | '[')) => {
                    self.cursor.at += length;
                    self.skip(true);
                    while self.cursor.peek() == Some('[') {
                        self.cursor.take_while(|letter| letter != ']');
                        self.cursor.takes("]");
                        self.skip(true);
                        self.cursor.takes(",");
                        self.skip(true);
                    }
                    return Statement::default();
                }
                "function" | "filter" => {
                    self.cursor.at += length;
                    self.skip(false);
                    self.cursor.take_while(|letter| !letter.is_whitespace() && !matches!(letter, '{' | '('));
                    self.skip(true);
                    return if self.cursor.takes("(") { Statement::of(self.block(')')) } else { Statement::default() };
                }
                "return" | "throw" | "exit" | "break" | "continue" => {
                    self.cursor.at += length;
                    self.skip(false);
                    let is_end = self
                        .cursor
                        .peek()
                        .is_none_or(|letter| matches!(letter, ';' | '\n' | '\r' | '}' | ')' | '|' | '&'));
                    return if is_end { Statement::default() } else { self.chain() };
                }
                "using" if matches!(next, Some('n' | 'N' | 'm' | 'M' | 'a' | 'A')) => {
                    self.cursor.take_while(|letter| !matches!(letter, '\n' | ';'));
                    return Statement::default();
                }
                _ if LEADS.contains(&word.as_str()) && next == Some('{') => {
                    self.cursor.at += length;
                    return Statement::default();
                }
                _ if UNREAD.contains(&word.as_str()) => self.is_whole = false,
                _ => {}
            }
        }
        self.chain()
    }

    /// A condition in parentheses: the block behind it is a statement of its own.
    fn condition(&mut self) -> Statement {
        self.skip(true);
        while self.cursor.peek() == Some('-') {
            self.cursor.take_while(|letter| letter == '-' || letter.is_ascii_alphabetic());
            self.skip(true);
        }
        if !self.cursor.takes("(") {
            return Statement::default();
        }
        Statement::of(self.block(')'))
    }

    /// `foreach ($x in …) { … }`.
    fn for_each(&mut self) -> Statement {
        self.skip(true);
        self.cursor.takes("(");
        self.skip(true);
        let variable = if self.cursor.peek() == Some('$') { self.variable() } else { Word::unknown() };
        self.skip(true);
        self.cursor.take_while(|letter| letter.is_ascii_alphabetic());
        self.skip(true);
        let is_twice = self.is_in_parentheses();
        self.cursor.at += usize::from(is_twice);
        let statements = self.statements(Some(')'));
        self.skip(true);
        self.is_whole &= !is_twice || self.cursor.takes(")");
        self.skip(true);
        let name = variable.say(Style::WORD);
        let name = name.trim_matches(|letter| "\"${}".contains(letter));
        let mut values = Vec::new();
        let mut before = Vec::new();
        let mut passed = Passed::Other;
        for statement in statements {
            match (statement.values, statement.passed) {
                (Some(words), _) => {
                    values.extend(words.iter().map(|word| word.say(Style { runs: true, ..Style::PATH })));
                }
                (None, of_command) => {
                    before.push(statement.text);
                    passed = of_command;
                }
            }
        }
        if !values.is_empty() {
            passed = Passed::Paths(values);
        }
        let has_block = self.cursor.takes("{");
        before.push(match (has_block, is_name(name)) {
            (false, _) => ":".to_owned(),
            (true, true) => self.block_for(name, &passed),
            (true, false) => self.block('}'),
        });
        Statement::of(before.join("; "))
    }

    /// Whether all up to the next `)` that closes what is open stands in parentheses of its own.
    fn is_in_parentheses(&self) -> bool {
        let mut depth = 0_usize;
        let rest = self.cursor.rest();
        let end = rest.find(|letter| {
            match letter {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0
        });
        let behind = end.and_then(|end| rest.get(end + 1..)).unwrap_or_default();
        rest.starts_with('(') && behind.trim_start().starts_with(')')
    }

    /// Pipelines with `&&` and `||` between them.
    pub(super) fn chain(&mut self) -> Statement {
        let mut first = self.pipeline();
        loop {
            self.skip(false);
            let sign = ["&&", "||"].into_iter().find(|sign| self.cursor.takes(sign));
            let Some(sign) = sign else { return first };
            self.skip(true);
            let next = self.pipeline();
            let text =
                |statement: &Statement| if statement.text.is_empty() { ":".to_owned() } else { statement.text.clone() };
            first = Statement::of(format!("{} {sign} {}", text(&first), text(&next)));
        }
    }

    fn pipeline(&mut self) -> Statement {
        let mut all: Vec<String> = Vec::new();
        let mut passed = Passed::Nothing;
        let mut values;
        loop {
            let element = self.element(&passed);
            all.push(if element.0.text.is_empty() { ":".to_owned() } else { element.0.text });
            passed = element.0.passed;
            values = element.1;
            self.skip(false);
            let before = self.cursor.at;
            // A line that begins with a pipe goes on with the one before.
            self.skip(true);
            if self.cursor.rest().starts_with('|') && !self.cursor.rest().starts_with("||") {
                self.cursor.next();
                self.skip(true);
            } else {
                self.cursor.at = before;
                break;
            }
        }
        let values = values.filter(|_| all.len() == 1);
        Statement { text: all.join(" | "), values, passed }
    }

    /// A part of a pipeline, and its values if it is no more than these.
    fn element(&mut self, passed: &Passed) -> (Said, Option<Vec<Word>>) {
        self.skip(false);
        let Some(letter) = self.cursor.peek() else { return (Said::default(), None) };
        let second = self.cursor.second();
        match letter {
            '&' => {
                self.cursor.next();
                (self.called(passed, false), None)
            }
            '.' if second.is_some_and(|next| next.is_whitespace() || matches!(next, '{' | '(' | '$' | '"' | '\'')) => {
                self.cursor.next();
                (self.called(passed, true), None)
            }
            '{' => {
                self.cursor.next();
                let block = self.block('}');
                (Said { text: format!("{{ {block}; }}"), passed: Passed::Other, is_whole: true }, None)
            }
            '"' | '\'' | '$' | '(' | '@' | '[' | '!' | ',' => self.expressed(),
            letter if is_quote(letter) => self.expressed(),
            '-' | '+' if second.is_some_and(|next| next.is_ascii_digit() || matches!(next, '$' | '(')) => {
                self.expressed()
            }
            '-' if second.is_some_and(|next| next.is_ascii_alphabetic()) => self.expressed(),
            letter if letter.is_ascii_digit() && self.is_number() => self.expressed(),
            _ => {
                let name = self.bareword();
                (self.command(name, passed), None)
            }
        }
    }

    /// Whether what begins with a digit is a number, or a sum of some.
    fn is_number(&self) -> bool {
        let rest = self.cursor.rest();
        let end = rest.find(|letter: char| letter.is_whitespace() || "|;&)}],>".contains(letter)).unwrap_or(rest.len());
        let word = rest.get(..end).unwrap_or_default().to_ascii_lowercase();
        let word = ["kb", "mb", "gb", "tb"].iter().find_map(|unit| word.strip_suffix(unit)).unwrap_or(&word);
        let hexadecimal =
            word.strip_prefix("0x").is_some_and(|digits| digits.chars().all(|digit| digit.is_ascii_hexdigit()));
        hexadecimal || word.chars().all(|letter| letter.is_ascii_digit() || ".+-*/%".contains(letter))
    }

    /// What stands behind `&` and `.`: a block, or a command whose name may be worked out.
    fn called(&mut self, passed: &Passed, is_read: bool) -> Said {
        self.skip(false);
        if self.cursor.takes("{") {
            let block = self.block('}');
            let mut said = self.command(Word::of("ForEach-Object"), passed);
            said.text = format!("{{ {block}; {}; }}", said.text);
            return said;
        }
        let name = match self.cursor.peek() {
            Some('$' | '(' | '@' | '[') => self.value(),
            Some(letter) if is_quote(letter) => self.value(),
            _ => self.bareword(),
        };
        // A command by its name runs as it does behind `&`.
        let is_file = name.fixed().is_none_or(|name| name.to_ascii_lowercase().ends_with(".ps1"));
        if is_read && is_file && !name.parts.is_empty() {
            let file = Word { parts: name.parts, is_spread: false };
            let said = self.command(Word::of("."), &Passed::Nothing);
            let _ = said.is_whole;
            return Said {
                text: format!(". {}{}", file.say(Style::PATH), said.text.strip_prefix('.').unwrap_or_default()),
                ..said
            };
        }
        self.command(name, passed)
    }

    /// The arguments of a command, and it with them.
    fn command(&mut self, name: Word, passed: &Passed) -> Said {
        if name.parts.is_empty() {
            return Said::default();
        }
        let mut command = cmdlets::Written { name, ..cmdlets::Written::default() };
        let mut redirects = String::new();
        let mut goes_on = false;
        loop {
            self.skip(false);
            let Some(letter) = self.cursor.peek() else { break };
            if matches!(letter, ';' | '\n' | '\r' | '|' | ')' | '}' | '&') {
                break;
            }
            if self.cursor.takes("--%") {
                // The rest of the line is the program's.
                let rest = self.cursor.take_while(|letter| !matches!(letter, '\n' | '|'));
                command.args.extend(cmdlets::split(rest).iter().map(|word| vec![Word::of(word)]));
                break;
            }
            if let Some(redirect) = self.redirect() {
                redirects.push_str(&redirect);
                continue;
            }
            if letter == ',' {
                self.cursor.next();
                goes_on = true;
                continue;
            }
            let from = self.cursor.at;
            let word = match letter {
                '{' => {
                    self.cursor.next();
                    let runs_for_each = command.name.fixed().is_some_and(|name| cmdlets::runs_for_each(&name));
                    let block = if runs_for_each { self.block_for(ITEM, passed) } else { self.block('}') };
                    command.blocks.push(block);
                    Word::unknown()
                }
                '$' | '(' => self.value_in_word(),
                '@' if matches!(self.cursor.second(), Some('(' | '{' | '\'' | '"')) => self.value(),
                '@' => {
                    self.cursor.next();
                    self.cursor.take_while(|letter| letter.is_ascii_alphanumeric() || letter == '_');
                    // Any words with any names.
                    self.is_whole = false;
                    Word { is_spread: true, ..Word::unknown() }
                }
                letter if is_quote(letter) => self.value(),
                _ => self.bareword(),
            };
            if self.cursor.at == from {
                self.is_whole = false;
                self.cursor.next();
                continue;
            }
            match command.args.last_mut().filter(|_| goes_on) {
                Some(list) => list.push(word),
                None => command.args.push(vec![word]),
            }
            goes_on = false;
        }
        // `ForEach-Object Kill` calls a method of each.
        let runs_for_each = command.name.fixed().is_some_and(|name| cmdlets::runs_for_each(&name));
        let method = command.args.iter().flatten().filter_map(Word::fixed).find_map(|name| cmdlets::of_method(&name));
        if let Some(name) = method.filter(|_| runs_for_each) {
            let meant = cmdlets::Written { name: Word::of(name), ..cmdlets::Written::default() };
            command.blocks.push(cmdlets::say(&meant, passed, self.depth).text);
        }
        // A key of the registry has the same name in a variable.
        let given = |word: &Word| self.values_of(word).into_iter().find(|value| cmdlets::is_key(value));
        for word in command.args.iter_mut().flatten() {
            if let Some(key) = given(word) {
                *word = Word::of(&key);
            }
        }
        let passed = &self.handed_on(&mut command, passed).clone();
        let mut said = cmdlets::say(&command, passed, self.depth);
        // What is worked out is no name that anything is known of.
        self.is_whole &= said.is_whole && command.name != Word::unknown() && !cmdlets::rebinds(&command);
        let mut more = Vec::new();
        for value in self.values_of(&command.name) {
            let named = cmdlets::Written { name: Word::of(&value), ..command.clone() };
            more.push(cmdlets::say(&named, passed, self.depth).text);
        }
        if let Some(within) = self.key.as_deref().and_then(|key| cmdlets::within_key(&command, key)) {
            more.push(cmdlets::say(&within, passed, self.depth).text);
        }
        if let Some(path) = cmdlets::enters(&command) {
            self.key = Some(path).filter(|path| cmdlets::is_key(path));
        }
        let is_evaluation = command
            .name
            .fixed()
            .is_some_and(|name| name.eq_ignore_ascii_case("iex") || name.eq_ignore_ascii_case("Invoke-Expression"));
        for line in command.args.iter().flatten().filter(|_| is_evaluation).flat_map(|word| self.values_of(word)) {
            more.push(at_depth(&line, Language::PowerShell, self.depth + 1).text);
        }
        more.retain(|text| !text.is_empty());
        if !more.is_empty() {
            more.insert(0, said.text);
            said.text = group(&more);
        }
        said.text.push_str(&redirects);
        said
    }

    /// `> file`, `2>&1`, `*>> file`.
    pub(super) fn redirect(&mut self) -> Option<String> {
        let rest = self.cursor.rest();
        let stream =
            rest.starts_with(|letter: char| letter.is_ascii_digit() || letter == '*') && rest.get(1..2) == Some(">");
        let rest = if stream { rest.get(1..)? } else { rest };
        if !rest.starts_with(['>', '<']) {
            return None;
        }
        self.cursor.at += usize::from(stream);
        let sign = if self.cursor.takes(">>") {
            ">>"
        } else if self.cursor.takes(">") {
            ">"
        } else {
            self.cursor.next();
            "<"
        };
        if self.cursor.takes("&") {
            self.cursor.take_while(|letter| letter.is_ascii_digit());
            return Some(String::new());
        }
        self.skip(false);
        let file = match self.cursor.peek() {
            Some('$' | '(') => self.value_in_word(),
            Some(letter) if is_quote(letter) => self.value(),
            _ => self.bareword(),
        };
        if file.parts.is_empty() {
            self.is_whole = false;
            return Some(String::new());
        }
        let is_nowhere = file.fixed().is_some_and(|file| file.eq_ignore_ascii_case("$null"));
        Some(if is_nowhere { format!(" {sign} /dev/null") } else { format!(" {sign} {}", file.say(Style::PATH)) })
    }

    /// A part of a pipeline that is worked out: what it is, is printed.
    fn expressed(&mut self) -> (Said, Option<Vec<Word>>) {
        let expression = self.expression();
        self.is_whole &= expression.is_whole;
        let mut redirects = expression.redirects.clone();
        loop {
            self.skip(false);
            match self.redirect() {
                Some(redirect) => redirects.push_str(&redirect),
                None => break,
            }
        }
        let values = expression.values;
        let outputs: Vec<String> = values.iter().flat_map(Word::commands).cloned().collect();
        let mut commands = expression.commands;
        let is_output = !outputs.is_empty() && values.iter().all(|word| word.parts.len() == 1);
        let said: Vec<String> = values.iter().map(|word| word.say(Style::WORD)).collect();
        if is_output {
            commands.extend(outputs);
        } else if !said.is_empty() {
            commands.push(format!("echo {}", said.join(" ")));
        }
        let is_value = commands.len() == 1 && redirects.is_empty() && expression.is_plain && !said.is_empty();
        let paths = values.iter().map(|word| word.say(Style { runs: false, ..Style::PATH })).collect();
        let passed = if is_output { Passed::Other } else { Passed::Paths(paths) };
        let text = if commands.is_empty() { String::new() } else { format!("{}{redirects}", group(&commands)) };
        (Said { text, passed, is_whole: true }, is_value.then_some(values))
    }
}

/// Quotes of every kind that PowerShell takes as such.
pub(super) fn is_quote(letter: char) -> bool {
    is_single(letter) || is_double(letter)
}

pub(super) fn is_single(letter: char) -> bool {
    matches!(letter, '\'' | '‘' | '’' | '‚' | '‛')
}

pub(super) fn is_double(letter: char) -> bool {
    matches!(letter, '"' | '“' | '”' | '„')
}

/// Whether a text is the name of a variable of a shell.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}
