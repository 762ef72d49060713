//! Where commands read from and write to.

use brush_parser::ast::{IoFileRedirectKind as Kind, IoFileRedirectTarget as Target, IoRedirect};

use super::Paper;
use super::fields::Field;

/// Where a command reads from and writes to.
#[derive(Default)]
pub(super) struct Streams {
    /// What it reads, where that is known.
    pub(super) input: Option<String>,
    /// The file that it writes, and whether behind what is there.
    pub(super) output: Option<(Option<String>, bool)>,
    /// The redirections as a line says them.
    pub(super) sources: Vec<String>,
}

impl Paper {
    pub(super) fn redirect(&mut self, redirect: &IoRedirect, streams: &mut Streams) {
        match redirect {
            IoRedirect::File(descriptor, kind, Target::Filename(word) | Target::Duplicate(word)) => {
                let file = self.fields(&word.value).into_iter().next().unwrap_or_else(Field::unknown);
                let sign = sign_of(kind);
                let before = descriptor.map(|number| number.to_string()).unwrap_or_default();
                streams.sources.push(format!("{before}{sign}{}", file.source));
                let is_usual = |usual: i32| descriptor.is_none_or(|number| i64::from(number) == i64::from(usual));
                match kind {
                    Kind::Read if is_usual(0) => streams.input = self.file(&file).cloned(),
                    Kind::Write | Kind::Clobber | Kind::Append if is_usual(1) => {
                        streams.output = Some((file.value, matches!(kind, Kind::Append)));
                    }
                    _ => {}
                }
            }
            IoRedirect::HereString(_, word) => {
                streams.input = self.single(&word.value).value.map(|text| text + "\n");
            }
            IoRedirect::HereDocument(_, document) => {
                let lines = document.doc.value.split_inclusive('\n');
                let untabbed = |line| if document.remove_tabs { str::trim_start_matches(line, '\t') } else { line };
                streams.input = Some(lines.map(untabbed).collect());
            }
            IoRedirect::OutputAndError(word, is_behind) => {
                let file = self.fields(&word.value).into_iter().next().unwrap_or_else(Field::unknown);
                streams.sources.push(format!("> {}", file.source));
                streams.output = Some((file.value, *is_behind));
            }
            IoRedirect::File(..) => {}
        }
    }

    /// Puts what a command prints where it goes, and says what is left of it.
    pub(super) fn written_to(&mut self, streams: &Streams, output: Option<String>) -> Option<String> {
        let Some((file, is_behind)) = &streams.output else { return output };
        if let Some(file) = file {
            self.write(file, output, *is_behind);
        }
        Some(String::new())
    }

    /// Notes the text of a file.
    pub(super) fn write(&mut self, file: &str, text: Option<String>, is_behind: bool) {
        let name = name_of(file).to_owned();
        let before = self.files.remove(&name).filter(|_| is_behind).unwrap_or_default();
        if let Some(text) = text.filter(|text| self.spend(before.len() + text.len()).is_some()) {
            self.files.insert(name, before + &text);
        }
    }

    /// The text of a file that the line writes.
    pub(super) fn file(&self, file: &Field) -> Option<&String> {
        self.files.get(name_of(file.value.as_deref()?))
    }
}

fn name_of(file: &str) -> &str {
    file.strip_prefix("./").unwrap_or(file)
}

const fn sign_of(kind: &Kind) -> &'static str {
    match kind {
        Kind::Read => "<",
        Kind::Write => ">",
        Kind::Append => ">>",
        Kind::ReadAndWrite => "<>",
        Kind::Clobber => ">|",
        Kind::DuplicateInput => "<&",
        Kind::DuplicateOutput => ">&",
    }
}
