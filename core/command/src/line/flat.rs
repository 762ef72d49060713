//! Takes out of a command line what nests: what is left has neither substitutions nor here-documents nor comments.
//!
//! Shells disagree about odd texts, and so do parsers. What the shells that agents use do not all read in one way is not
//! understood.

use super::here::Here;
use super::{Line, MAX_DEPTH, MAX_NESTING, constants, is_bearable, walk};
use crate::cursor::Cursor;

/// What stands for something that is filled in when the line runs.
pub(super) const FILLED: &str = "${_}";

/// Stands for a sum: any number.
pub(super) const NUMBER: &str = "${#}";

/// Reads a text and adds its commands; `None` when it is unknown what it runs.
pub(super) fn collect(text: &str, line: &mut Line, depth: usize) -> Option<()> {
    if depth > MAX_DEPTH {
        return None;
    }
    let mut scan = Scan::new(text, line, depth);
    scan.plain(false)?;
    scan.finish()
}

/// Goes through a text once.
pub(super) struct Scan<'t, 'l> {
    pub(super) cursor: Cursor<'t>,
    pub(super) out: String,
    pub(super) line: &'l mut Line,
    pub(super) depth: usize,
    /// A word would begin here.
    pub(super) fresh: bool,
    /// Where the word began in what is put out.
    word: usize,
    /// Here-documents that begin with the next line.
    pub(super) pending: Vec<Here>,
}

impl<'t, 'l> Scan<'t, 'l> {
    pub(super) fn new(text: &'t str, line: &'l mut Line, depth: usize) -> Self {
        Self { cursor: Cursor::new(text), out: String::new(), line, depth, fresh: true, word: 0, pending: Vec::new() }
    }

    fn operator(&mut self, letter: char) {
        self.out.push(letter);
        self.fresh = true;
    }

    /// Puts out a part of a word.
    pub(super) fn part(&mut self, part: &str) {
        if self.fresh {
            self.word = self.out.len();
        }
        self.fresh = false;
        self.out.push_str(part);
    }

    fn letter(&mut self, letter: char) {
        self.part(letter.encode_utf8(&mut [0; 4]));
    }

    /// The word that has begun.
    pub(super) fn begun(&self) -> &str {
        if self.fresh { "" } else { self.out.get(self.word..).unwrap_or_default() }
    }

    /// Has what is left parsed, and adds its commands.
    fn finish(self) -> Option<()> {
        if !is_bearable(&self.out) {
            return None;
        }
        walk::add(&self.out, self.line, self.depth)
    }

    /// Reads to the end, or behind the `)` that closes a substitution.
    pub(super) fn plain(&mut self, closes: bool) -> Option<()> {
        let mut open = 0_usize;
        loop {
            let Some(letter) = self.cursor.next() else {
                return (!closes && self.pending.is_empty()).then_some(());
            };
            let from = self.cursor.at;
            match letter {
                '\\' => self.escape()?,
                '\'' => self.single()?,
                '"' => self.double()?,
                '`' => self.backtick(false)?,
                '$' => self.dollar(false)?,
                '#' if self.fresh => self.comment()?,
                '\n' => {
                    self.operator(letter);
                    self.here_documents()?;
                }
                '<' => self.less()?,
                '>' if self.cursor.peek() == Some('(') => self.process()?,
                ' ' | '\t' | '>' | ';' | '&' | '|' => self.operator(letter),
                '(' => open += self.open()?,
                ')' if open == 0 && closes => {
                    // Within a substitution the `)` of `case` is not counted.
                    let is_case = |word: &str| word == "case";
                    let has_case = self.out.split([' ', '\t', '\n', ';', '&', '|', '(']).any(is_case);
                    return (!has_case && self.pending.is_empty()).then_some(());
                }
                ')' => {
                    open = open.saturating_sub(1);
                    self.operator(')');
                }
                letter if letter.is_control() || letter.is_whitespace() => return None,
                letter => self.letter(letter),
            }
            // Where the text of a here-document begins within a word, shells do not agree.
            let is_torn = !self.pending.is_empty() && self.cursor.text.get(from..self.cursor.at)?.contains('\n');
            if is_torn || open > MAX_NESTING {
                return None;
            }
        }
    }

    fn escape(&mut self) -> Option<()> {
        let letter = self.cursor.next()?;
        if letter == '\n' {
            // A line goes on. Where that makes one operator or one `$(` of two halves, it is there to hide it.
            let joins =
                self.out.ends_with(['$', '<', '>', '&', '|', '(', ')', ';', '!', '=', '{', '[', '#', '\\', '\n']);
            let blank = self.cursor.peek().is_none_or(|next| next == ' ' || next == '\t');
            return (blank || !joins).then_some(());
        }
        if letter.is_control() {
            return None;
        }
        self.part("\\");
        self.letter(letter);
        Some(())
    }

    fn single(&mut self) -> Option<()> {
        let (quoted, _) = self.cursor.rest().split_once('\'')?;
        if has_control(quoted) {
            return None;
        }
        self.part("'");
        self.out.push_str(quoted);
        self.out.push('\'');
        self.cursor.at += quoted.len() + 1;
        Some(())
    }

    fn double(&mut self) -> Option<()> {
        self.part("\"");
        loop {
            match self.cursor.next()? {
                '"' => {
                    self.out.push('"');
                    return Some(());
                }
                letter => self.quoted(letter)?,
            }
        }
    }

    /// A letter between double quotes or in a here-document.
    pub(super) fn quoted(&mut self, letter: char) -> Option<()> {
        match letter {
            '\\' => match self.cursor.next()? {
                '\n' => {
                    // `"$\` and `(x)"` on the next line are one `$(x)`.
                    if self.out.ends_with('$') {
                        return None;
                    }
                }
                next if next.is_control() => return None,
                next => {
                    self.out.push('\\');
                    self.out.push(next);
                }
            },
            '`' => self.backtick(true)?,
            '$' => self.dollar(true)?,
            letter if letter.is_control() && !matches!(letter, '\n' | '\t') => return None,
            letter => self.out.push(letter),
        }
        Some(())
    }

    fn comment(&mut self) -> Option<()> {
        if self.out.ends_with(['<', '>']) {
            return None;
        }
        let length = self.cursor.rest().find('\n').unwrap_or(self.cursor.rest().len());
        self.cursor.at += length;
        Some(())
    }

    /// What follows a `$`.
    fn dollar(&mut self, quoted: bool) -> Option<()> {
        match self.cursor.peek() {
            Some('(') if self.cursor.rest().starts_with("((") => {
                // Some shells read what is no sum as a substitution that begins with a subshell.
                self.cursor.at += 2;
                self.sum()?;
                self.line.is_dynamic = true;
                self.part(NUMBER);
            }
            Some('(') => {
                self.cursor.at += 1;
                let from = self.cursor.at;
                self.substituted()?;
                let inside = self.cursor.text.get(from..self.cursor.at)?.trim_end_matches(')');
                self.part(constants::stands_for(inside).unwrap_or(FILLED));
            }
            Some('{') => {
                self.cursor.at += 1;
                let (inside, _) = self.cursor.rest().split_once('}')?;
                super::arithmetic::parameter(inside)?;
                // No one else may write what stands for the output of a program.
                if constants::TEMPORARY.strip_prefix("${").and_then(|name| name.strip_suffix('}')) == Some(inside) {
                    return None;
                }
                self.cursor.at += inside.len() + 1;
                self.part("${");
                self.out.push_str(inside);
                self.out.push('}');
            }
            Some('\'') if !quoted => {
                self.cursor.at += 1;
                self.ansi()?;
            }
            Some('[') => return None,
            Some(letter @ ('@' | '*' | '#' | '?' | '-' | '$' | '!')) => {
                self.cursor.at += 1;
                self.part("$");
                self.out.push(letter);
            }
            Some(_) | None => self.part("$"),
        }
        Some(())
    }

    /// `$'…'`, of which sh reads only the quotes.
    fn ansi(&mut self) -> Option<()> {
        let (inside, _) = self.cursor.rest().split_once('\'')?;
        if inside.ends_with('\\') || has_control(inside) {
            return None;
        }
        self.cursor.at += inside.len() + 1;
        self.part("$'");
        self.out.push_str(inside);
        self.out.push('\'');
        Some(())
    }

    /// A command substitution, behind its `(`.
    fn substituted(&mut self) -> Option<()> {
        if self.depth >= MAX_DEPTH {
            return None;
        }
        self.line.is_dynamic = true;
        let mut inner = Scan::new(self.cursor.text, self.line, self.depth + 1);
        inner.cursor.at = self.cursor.at;
        inner.plain(true)?;
        self.cursor.at = inner.cursor.at;
        inner.finish()
    }

    /// `<(…)` and `>(…)`.
    fn process(&mut self) -> Option<()> {
        self.cursor.at += 1;
        self.substituted()?;
        self.part(FILLED);
        Some(())
    }

    fn backtick(&mut self, quoted: bool) -> Option<()> {
        let mut inside = String::new();
        loop {
            match self.cursor.next()? {
                '`' => break,
                '\\' => match self.cursor.next()? {
                    letter @ ('`' | '\\' | '$') => inside.push(letter),
                    '"' if quoted => inside.push('"'),
                    letter => {
                        inside.push('\\');
                        inside.push(letter);
                    }
                },
                letter => inside.push(letter),
            }
        }
        self.line.is_dynamic = true;
        collect(&inside, self.line, self.depth + 1)?;
        self.part(FILLED);
        Some(())
    }

    fn less(&mut self) -> Option<()> {
        if self.cursor.peek() == Some('(') {
            return self.process();
        }
        if self.cursor.takes("<<") {
            self.out.push_str("<<<");
            self.fresh = true;
            return Some(());
        }
        if self.cursor.takes("<") {
            return self.here_begins();
        }
        self.operator('<');
        Some(())
    }

    /// A `(` outside of quotes; says how many are open then.
    fn open(&mut self) -> Option<usize> {
        let ahead = self.cursor.rest().trim_start_matches([' ', '\t']);
        let is_function = ahead.starts_with(')');
        if !self.fresh && !is_function {
            // `a=(…)` sets an array; elsewhere it is a pattern, in which some shells run commands.
            let name = self.begun().strip_suffix('=').map(|name| name.strip_suffix('+').unwrap_or(name));
            if !name.is_some_and(super::words::is_name) {
                return None;
            }
        }
        if is_function {
            let blanks = self.cursor.rest().len() - ahead.len();
            self.cursor.at += blanks + 1;
            self.out.push_str("()");
            self.fresh = true;
            return Some(0);
        }
        if self.fresh && self.cursor.takes("(") {
            self.double_parentheses()?;
            return Some(0);
        }
        if self.out.trim_end_matches([' ', '\t', '\n']).ends_with('(') {
            // A subshell that begins with a subshell is not to be read as a sum.
            self.out.push_str(" :;");
        }
        self.operator('(');
        Some(1)
    }

    /// `((…))`: a sum to some shells, a subshell within a subshell to others.
    fn double_parentheses(&mut self) -> Option<()> {
        if self.out.trim_end().ends_with("for") {
            self.sums()?;
            self.out.push_str("((0;0;0))");
        } else {
            let inside = self.sum()?;
            collect(inside, self.line, self.depth + 1)?;
            self.out.push_str("(:)");
        }
        self.line.does_more = true;
        self.fresh = true;
        Some(())
    }
}

/// Whether a quoted text has a letter that shells take out or that no command line has.
fn has_control(text: &str) -> bool {
    text.chars().any(|letter| letter.is_control() && !matches!(letter, '\n' | '\t'))
}
