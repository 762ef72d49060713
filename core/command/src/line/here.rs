//! Here-documents: what stands in them is no command, but what is filled in there may be one.

use super::flat::Scan;

/// A here-document that begins with the next line.
pub(super) struct Here {
    end: String,
    is_quoted: bool,
    tabs_go: bool,
}

impl<'t> Scan<'t, '_> {
    /// Reads what stands behind `<<`.
    pub(super) fn here_begins(&mut self) -> Option<()> {
        let tabs_go = self.cursor.takes("-");
        while matches!(self.cursor.peek(), Some(' ' | '\t')) {
            self.cursor.at += 1;
        }
        let (end, is_quoted) = self.here_end()?;
        self.pending.push(Here { end, is_quoted, tabs_go });
        // It is read, and nothing else of it matters here.
        self.out.push_str("</dev/null");
        self.fresh = false;
        Some(())
    }

    fn here_end(&mut self) -> Option<(String, bool)> {
        let (mut end, mut is_quoted) = (String::new(), false);
        loop {
            match self.cursor.peek() {
                None | Some(' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')') => break,
                Some(mark @ ('\'' | '"')) => {
                    self.cursor.at += 1;
                    let (inside, _) = self.cursor.rest().split_once(mark)?;
                    self.cursor.at += inside.len() + 1;
                    if inside.contains(['$', '`', '\\', '\n']) {
                        return None;
                    }
                    end.push_str(inside);
                    is_quoted = true;
                }
                Some('\\') => {
                    self.cursor.at += 1;
                    end.push(self.cursor.next().filter(char::is_ascii_alphanumeric)?);
                    is_quoted = true;
                }
                Some(letter) if letter.is_alphanumeric() || "_-.+!%@:,/=".contains(letter) => {
                    self.cursor.at += letter.len_utf8();
                    end.push(letter);
                }
                Some(_) => return None,
            }
        }
        (!end.is_empty()).then_some((end, is_quoted))
    }

    /// Reads the here-documents that begin on this line.
    pub(super) fn here_documents(&mut self) -> Option<()> {
        for here in std::mem::take(&mut self.pending) {
            let body = self.here_body(&here)?;
            if !here.is_quoted {
                let mut filled = Scan::new(body, self.line, self.depth);
                while let Some(letter) = filled.cursor.next() {
                    filled.here_letter(letter)?;
                }
            }
        }
        Some(())
    }

    /// In a here-document quotes are letters, and what is filled in is filled in between them too.
    fn here_letter(&mut self, letter: char) -> Option<()> {
        if letter == '$' && self.cursor.peek().is_some_and(|next| next.is_alphanumeric() || "_{@*#?-$!".contains(next))
        {
            self.line.is_dynamic = true;
        }
        self.quoted(letter)
    }

    fn here_body(&mut self, here: &Here) -> Option<&'t str> {
        let body = self.cursor.rest();
        let mut length = 0;
        loop {
            let from = body.get(length..)?;
            if from.is_empty() {
                return None;
            }
            let (written, taken) = from.split_once('\n').map_or((from, from.len()), |(line, _)| (line, line.len() + 1));
            let line = if here.tabs_go { written.trim_start_matches('\t') } else { written };
            if line == here.end {
                self.cursor.at += length + taken;
                // The line behind the end begins anew.
                return body.get(..length);
            }
            if !here.is_quoted && line.ends_with('\\') {
                // A continued line may swallow the end.
                return None;
            }
            length += taken;
        }
    }
}
