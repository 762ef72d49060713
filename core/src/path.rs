//! Lexical forms of a file path, so that a pattern meets the place that a path means and not only how it is written.
//!
//! Nothing here asks the file system: links and case folding are the host's affair.

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// The forms of one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathForms {
    /// As the event spells it.
    pub(crate) raw: String,
    /// The place it means; two when a backslash can be read as a separator or as a letter.
    pub(crate) places: Vec<Place>,
}

/// A normalised path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// From the root, or as given when neither the path nor the working directory has one.
    pub(crate) full: String,
    /// From the working directory, when the place lies inside it.
    pub(crate) relative: Option<String>,
}

impl PathForms {
    pub(crate) fn new(raw: &str, cwd: Option<&str>) -> Self {
        let composed = compose(raw);
        let cwd = cwd.map(|cwd| resolve(&compose(cwd).replace('\\', "/"), None));
        let mut places = vec![Place::new(&composed, cwd.as_deref())];
        if composed.contains('\\') {
            let place = Place::new(&composed.replace('\\', "/"), cwd.as_deref());
            if !places.contains(&place) {
                places.push(place);
            }
        }
        Self { raw: raw.to_owned(), places }
    }

    /// Every form, for "select on any".
    pub(crate) fn forms(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.raw.as_str()).chain(
            self.places.iter().flat_map(|place| std::iter::once(place.full.as_str()).chain(place.relative.as_deref())),
        )
    }
}

impl Place {
    fn new(path: &str, cwd: Option<&str>) -> Self {
        let full = resolve(path, cwd);
        let relative = cwd.and_then(|cwd| inside(&full, cwd)).map(ToOwned::to_owned);
        Self { full, relative }
    }
}

/// The last component of a path, in the form that a pattern without `/` is held against.
pub(crate) fn base_name(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    path.rsplit_once('/').map_or(path, |(_, base)| base)
}

/// Unicode composed form: `é` is one letter, however it was typed.
pub(crate) fn compose(text: &str) -> String {
    if text.is_ascii() || is_nfc_quick(text.chars()) == IsNormalized::Yes {
        return text.to_owned();
    }
    text.nfc().collect()
}

fn is_absolute(path: &str) -> bool {
    let bytes = path.as_bytes();
    path.starts_with('/') || matches!(bytes, [drive, b':', b'/', ..] if drive.is_ascii_alphabetic())
}

/// Joins to the working directory and takes out `.`, `..` and doubled separators.
fn resolve(path: &str, cwd: Option<&str>) -> String {
    let joined;
    let whole = match cwd {
        Some(cwd) if !is_absolute(path) => {
            joined = format!("{cwd}/{path}");
            joined.as_str()
        }
        _ => path,
    };
    let rooted = whole.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => _ = parts.pop(),
            ".." if rooted => {}
            part => parts.push(part),
        }
    }
    let body = parts.join("/");
    if rooted { format!("/{body}") } else { body }
}

/// The rest of a path below a directory.
fn inside<'p>(path: &'p str, directory: &str) -> Option<&'p str> {
    let rest = path.strip_prefix(directory)?;
    if directory.ends_with('/') { Some(rest) } else { rest.strip_prefix('/') }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(path: &str, cwd: Option<&str>) -> (String, Option<String>) {
        let forms = PathForms::new(path, cwd);
        let first = forms.places.first().unwrap().clone();
        (first.full, first.relative)
    }

    #[test]
    fn dots_and_doubled_separators_vanish() {
        assert_eq!(place("src/./a//../b.py", None).0, "src/b.py");
        assert_eq!(place("/a/../../etc/passwd", None).0, "/etc/passwd");
        assert_eq!(place("../up", None).0, "../up");
    }

    #[test]
    fn a_path_is_placed_in_its_working_directory() {
        assert_eq!(place("a.py", Some("/w")), ("/w/a.py".into(), Some("a.py".into())));
        assert_eq!(place("/w/src/a.py", Some("/w/")), ("/w/src/a.py".into(), Some("src/a.py".into())));
        assert_eq!(place("../x", Some("/w")), ("/x".into(), None));
        assert_eq!(place("/wx/a", Some("/w")).1, None);
        assert_eq!(place("a", Some("/")), ("/a".into(), Some("a".into())));
    }

    #[test]
    fn a_backslash_has_two_readings() {
        let forms = PathForms::new("src\\..\\.env", Some("/w"));
        assert_eq!(forms.places.len(), 2);
        assert!(forms.forms().any(|form| form == ".env"));
    }

    #[test]
    fn letters_are_composed() {
        assert_eq!(place("cafe\u{301}.txt", None).0, "caf\u{e9}.txt");
    }
}
