//! Sums and parameters: in both a shell may run what a variable holds.

use super::flat::Scan;

impl<'t> Scan<'t, '_> {
    /// Reads a sum up to and with its `))`.
    pub(super) fn sum(&mut self) -> Option<&'t str> {
        let inside = self.until_closed()?;
        self.line.reads_sum(inside)?;
        Some(inside)
    }

    /// The three sums of `for ((…; …; …))`.
    pub(super) fn sums(&mut self) -> Option<()> {
        let inside = self.until_closed()?;
        let parts: Vec<&str> = inside.split(';').collect();
        for part in &parts {
            self.line.reads_sum(part)?;
        }
        (parts.len() == 3).then_some(())
    }

    fn until_closed(&mut self) -> Option<&'t str> {
        let rest = self.cursor.rest();
        let mut open = 0_usize;
        for (at, letter) in rest.char_indices() {
            match letter {
                '(' => open += 1,
                ')' if open == 0 => {
                    let inside = rest.get(..at)?;
                    self.cursor.at += at;
                    return self.cursor.takes("))").then_some(inside);
                }
                ')' => open -= 1,
                '\'' | '"' | '`' | '\\' | '\n' => return None,
                _ => {}
            }
        }
        None
    }
}

/// What a sum does.
pub(super) struct Sum {
    /// It reads variables.
    pub(super) reads: bool,
    /// It sets variables.
    pub(super) assigns: bool,
}

/// Reads a sum; `None` when it is none that every shell reads alike.
pub(super) fn sum(text: &str) -> Option<Sum> {
    let mut letters = text.chars().peekable();
    let mut reads = false;
    while let Some(letter) = letters.next() {
        match letter {
            '$' => {
                // `$name` is read as the name is; what stands behind `$1` or `$(` is not known.
                letters.next_if(|next| next.is_ascii_alphabetic() || *next == '_')?;
                reads = true;
            }
            letter if letter.is_ascii_alphabetic() || letter == '_' => reads = true,
            letter if letter.is_ascii_digit() || " \t+-*/%<>=!&|^~?:,.()#[]".contains(letter) => {}
            _ => return None,
        }
    }
    Some(Sum { reads, assigns: assigns(text) })
}

/// Whether a sum sets a variable: `=`, `+=` and the like, `++`, `--`.
pub(super) fn assigns(text: &str) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find(['=', '<', '>', '!', '+', '-']) {
        rest = rest.get(at..).unwrap_or_default();
        if ["<<=", ">>=", "++", "--"].iter().any(|sign| rest.starts_with(sign)) {
            return true;
        }
        let is_compared = ["==", "!=", "<=", ">="].iter().any(|sign| rest.starts_with(sign));
        if !is_compared && rest.starts_with('=') {
            return true;
        }
        let is_shift = rest.starts_with("<<") || rest.starts_with(">>");
        rest = rest.get(if is_compared || is_shift { 2 } else { 1 }..).unwrap_or_default();
    }
    false
}

/// Whether what stands between `${` and `}` fills in a variable and does nothing else.
pub(super) fn parameter(inside: &str) -> Option<()> {
    let text = inside.strip_prefix('#').filter(|rest| !rest.is_empty()).unwrap_or(inside);
    let length = match text.chars().next()? {
        letter if letter.is_ascii_digit() => text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()),
        letter if letter.is_ascii_alphabetic() || letter == '_' => {
            text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len())
        }
        '@' | '*' | '#' | '?' | '-' | '$' | '!' if text.len() == 1 => 1,
        _ => return None,
    };
    let mut rest = text.get(length..)?;
    if let Some(index) = rest.strip_prefix('[') {
        let (index, behind) = index.split_once(']')?;
        let is_plain = matches!(index, "@" | "*") || !index.is_empty() && index.chars().all(|c| c.is_ascii_digit());
        rest = is_plain.then_some(behind)?;
    }
    let is_plain = |text: &str| text.chars().all(|c| c.is_alphanumeric() || "_./:,@%+*?^#~= -".contains(c));
    let operator = rest.strip_prefix(':').unwrap_or(rest);
    let fine = rest.is_empty()
        || operator.starts_with(['-', '+', '?']) && is_plain(operator)
        || rest.starts_with(['%', '#', '^', ',', '/']) && is_plain(rest)
        || rest.starts_with(':') && operator.chars().all(|c| c.is_ascii_digit() || c == ':');
    fine.then_some(())
}
