//! Lexical forms of a file path, so that a pattern meets the place that a path means and not only how it is written.
//!
//! Nothing here asks the file system: links and case folding are the host's affair.

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// The forms of one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathForms {
    /// As the event spells it.
    pub(crate) raw: String,
    /// The places that it can mean: a backslash is a separator or a letter, `~` the home directory or a name.
    pub(crate) places: Vec<NormalizedPath>,
    /// The working directory is known, so that relative paths and relative patterns have a place.
    is_anchored: bool,
    /// Its target is unknown: it has a NUL, at which some programs stop reading, or names what only the host knows.
    is_odd: bool,
}

/// A normalised path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NormalizedPath {
    /// From the root, or as given when neither the path nor the working directory has one.
    pub(crate) full: String,
    /// From the working directory, when the place lies inside it.
    pub(crate) relative: Option<String>,
    /// From the project's directory, where that is another.
    from_project: FromProject,
}

/// Where a place lies in a project that is not the working directory.
#[derive(Debug, Clone, PartialEq, Eq)]
enum FromProject {
    /// The working directory is the project's, or no project is known.
    Same,
    /// The rest of the path.
    Inside(String),
    Outside,
}

impl PathForms {
    /// The forms of a path in a working directory and a project; a directory that is not given from the root is none.
    ///
    /// An agent chooses its working directory: what is said of a project's files holds wherever it has gone.
    pub(crate) fn new(raw: &str, cwd: Option<&str>, project: Option<&str>) -> Self {
        let composed = compose(raw);
        let whole = |directory: &str| {
            let directory = compose(directory).replace('\\', "/");
            is_absolute(&directory).then(|| resolve(&directory, None))
        };
        let cwd = cwd.and_then(whole);
        let project = project.and_then(whole).filter(|project| cwd.as_ref() != Some(project));
        let from = Directories { cwd: cwd.as_deref(), project: project.as_deref() };
        let mut forms = Self {
            raw: raw.to_owned(),
            places: Vec::with_capacity(1),
            is_anchored: cwd.is_some(),
            is_odd: composed.contains('\0'),
        };
        forms.read(&composed, from);
        if composed.contains('\\') {
            forms.read(&composed.replace('\\', "/"), from);
        }
        forms
    }

    /// Adds what a spelling can mean.
    fn read(&mut self, path: &str, from: Directories<'_>) {
        self.add(path, from);
        match other_reading(path) {
            Reading::Same => {}
            Reading::Unknown => self.is_odd = true,
            Reading::Also(paths) => paths.iter().for_each(|path| self.add(path, from)),
        }
    }

    fn add(&mut self, path: &str, from: Directories<'_>) {
        let place = NormalizedPath::new(path, from);
        if !self.places.contains(&place) {
            self.places.push(place);
        }
    }

    /// Every form, for "select on any".
    pub(crate) fn forms(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.raw.as_str()).chain(self.places.iter().flat_map(|place| {
            std::iter::once(place.full.as_str()).chain(place.relative.as_deref()).chain(place.inside_project())
        }))
    }

    /// Whether it is unknown if the path matches a pattern that may begin at the working directory.
    pub(crate) fn is_open(&self, from_cwd: bool) -> bool {
        self.is_odd || (!self.is_anchored && (from_cwd || self.places.iter().any(|place| !is_absolute(&place.full))))
    }

    /// Whether the name of the last component is unknown.
    pub(crate) fn has_open_name(&self) -> bool {
        let is_open =
            |place: &NormalizedPath| matches!(base_name(&place.full), "" | ".." | "~") && !is_absolute(&place.full);
        self.is_odd || (!self.is_anchored && self.places.iter().any(is_open))
    }

    /// Whether the answer of some pattern could be unknown.
    pub(crate) const fn may_be_open(&self) -> bool {
        self.is_odd || !self.is_anchored
    }
}

/// The directories that a relative path or pattern may begin at.
#[derive(Debug, Clone, Copy)]
struct Directories<'d> {
    cwd: Option<&'d str>,
    /// Where it is not the working directory.
    project: Option<&'d str>,
}

impl NormalizedPath {
    fn new(path: &str, from: Directories<'_>) -> Self {
        let full = resolve(path, from.cwd);
        let relative = from.cwd.and_then(|cwd| inside(&full, cwd)).map(ToOwned::to_owned);
        let from_project = from.project.map_or(FromProject::Same, |project| {
            inside(&full, project).map_or(FromProject::Outside, |rest| FromProject::Inside(rest.to_owned()))
        });
        Self { full, relative, from_project }
    }

    fn inside_project(&self) -> Option<&str> {
        if let FromProject::Inside(rest) = &self.from_project { Some(rest) } else { None }
    }

    /// Whether the path from the working directory passes a test, and that from the project's does too.
    pub(crate) fn all_relative(&self, test: impl Fn(&str) -> bool) -> bool {
        let of_project = match &self.from_project {
            FromProject::Same => true,
            FromProject::Inside(rest) => test(rest),
            FromProject::Outside => false,
        };
        of_project && self.relative.as_deref().is_some_and(test)
    }
}

/// What else a spelling can mean than a path of those letters.
enum Reading {
    /// Nothing else.
    Same,
    /// What only the host knows.
    Unknown,
    /// These paths, as many tools read it.
    Also(Vec<String>),
}

/// How tools read what a system takes for a name: `~` as a home directory, `file:` as an address, `C:x` as a file of a drive.
fn other_reading(path: &str) -> Reading {
    if let Some(rest) = path.strip_prefix('~') {
        return match rest.split_once('/') {
            None if !rest.is_empty() => Reading::Same,
            Some((user, _)) if !user.is_empty() => Reading::Unknown,
            _ => std::env::home_dir()
                .and_then(|home| home.into_os_string().into_string().ok())
                .map_or(Reading::Unknown, |home| Reading::Also(vec![format!("{}{rest}", home.replace('\\', "/"))])),
        };
    }
    if is_address(path) {
        return of_address(path).map_or(Reading::Unknown, Reading::Also);
    }
    match path.as_bytes() {
        [drive, b':', next, ..] if drive.is_ascii_alphabetic() && *next != b'/' => {
            Reading::Also(vec![path.get(2..).unwrap_or_default().to_owned()])
        }
        _ => Reading::Same,
    }
}

/// Whether a URL parser reads a `file:` address: it passes over white space at both ends, and tabs and line breaks anywhere.
pub(crate) fn is_address(path: &str) -> bool {
    let letters = path.trim_start_matches(|letter| letter <= ' ').bytes();
    let mut letters = letters.filter(|byte| !matches!(byte, b'\t' | b'\n' | b'\r'));
    b"file:".iter().all(|wanted| letters.next().is_some_and(|letter| letter.eq_ignore_ascii_case(wanted)))
}

/// The paths of a `file:` address, without its host: those that a URL parser reads (`file:etc` is `/etc`), and those that
/// a tool reads that cuts the scheme off (`file:etc` is `etc`). `None` where one of them is no text.
fn of_address(address: &str) -> Option<Vec<String>> {
    let clean = address.trim_matches(|letter| letter <= ' ').replace(['\t', '\n', '\r'], "");
    let url = url::Url::parse(&clean).ok().filter(|url| url.scheme() == "file")?;
    let mut paths = vec![of_path(url.path())?, without_scheme(clean.get(5..)?)?];
    if address.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:")) {
        paths.push(without_scheme(address.get(5..)?)?);
    }
    Some(paths)
}

/// The path behind `file:`, as it is written.
fn without_scheme(address: &str) -> Option<String> {
    let address = address.split(['?', '#']).next().unwrap_or_default();
    of_path(match address.strip_prefix("//") {
        Some(rest) => rest.find('/').and_then(|slash| rest.get(slash..)).unwrap_or("/"),
        None => address,
    })
}

/// The path that stands in an address.
fn of_path(path: &str) -> Option<String> {
    let path = compose(&decoded(path)?);
    let is_drive = |rest: &&str| matches!(rest.as_bytes(), [drive, b':', ..] if drive.is_ascii_alphabetic());
    Some(path.strip_prefix('/').filter(is_drive).map(ToOwned::to_owned).unwrap_or(path))
}

/// A text in which `%41` stands for `A`.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut parts = text.split('%');
    bytes.extend(parts.next().unwrap_or_default().bytes());
    for part in parts {
        let digits = part.get(..2).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
        bytes.push(u8::from_str_radix(digits, 16).ok().filter(|byte| *byte != 0)?);
        bytes.extend(part.get(2..)?.bytes());
    }
    String::from_utf8(bytes).ok()
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

/// Whether a path is given from a root: the system's, or that of a drive.
pub(crate) fn is_absolute(path: &str) -> bool {
    !root_of(path).is_empty()
}

/// The root that a path begins with: `/`, `C:/`, or none.
fn root_of(path: &str) -> &str {
    match path.as_bytes() {
        [b'/', ..] => path.get(..1),
        [drive, b':', b'/', ..] if drive.is_ascii_alphabetic() => path.get(..3),
        _ => None,
    }
    .unwrap_or_default()
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
    let root = root_of(whole);
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.get(root.len()..).unwrap_or_default().split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => _ = parts.pop(),
            ".." if !root.is_empty() => {}
            part => parts.push(part),
        }
    }
    format!("{root}{}", parts.join("/"))
}

/// The rest of a path below a directory. A drive is the same in both cases of its letter.
fn inside<'p>(path: &'p str, directory: &str) -> Option<&'p str> {
    let (root, own) = (root_of(directory), root_of(path));
    if !own.eq_ignore_ascii_case(root) {
        return None;
    }
    let below = directory.get(root.len()..)?;
    let rest = path.get(own.len()..)?.strip_prefix(below)?;
    if below.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(path: &str, cwd: Option<&str>) -> (String, Option<String>) {
        let forms = PathForms::new(path, cwd, None);
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
        let forms = PathForms::new("src\\..\\.env", Some("/w"), None);
        assert_eq!(forms.places.len(), 2);
        assert!(forms.forms().any(|form| form == ".env"));
    }

    #[test]
    fn a_drive_is_a_root() {
        assert_eq!(place("C:/../../x", None).0, "C:/x");
        assert_eq!(place("c:/w/x", Some("C:\\w")), ("c:/w/x".into(), Some("x".into())));
        assert!(PathForms::new("C:k", Some("C:\\w"), None).forms().any(|form| form == "C:/w/k"));
        assert_eq!(place("..\\..\\x", Some("C:\\w")).0, "C:/w/..\\..\\x");
        assert!(PathForms::new("..\\..\\x", Some("C:\\w"), None).forms().any(|form| form == "C:/x"));
    }

    #[test]
    fn what_tools_read_otherwise_has_that_place_too() {
        let has = |path: &str, wanted: &str| PathForms::new(path, Some("/w"), None).forms().any(|form| form == wanted);
        let home = std::env::home_dir().unwrap().to_string_lossy().into_owned();
        assert!(has("~/.ssh/id", &format!("{home}/.ssh/id")) && has("~", &home));
        assert!(!PathForms::new("~lock.doc", Some("/w"), None).is_open(true));
        assert!(PathForms::new("~root/x", Some("/w"), None).is_open(false));
        assert!(has("file:///etc/pass%77d", "/etc/passwd") && has("FILE://host/etc/x?y#z", "/etc/x"));
        assert!(has("file:/C:/x", "C:/x") && has("file:secrets/k", "secrets/k"));
        assert!(has("file:/cafe%CC%81", "/caf\u{e9}"));
        for address in [
            "file:etc/passwd",
            "file:./etc/passwd",
            "file:../etc/passwd",
            "FiLe:etc/passwd",
            "fi\tle:///etc/passwd",
            "file:///e\ttc/pass\nwd",
            "\n file:///etc/passwd",
            "file:///etc/passwd ",
            "file:\\etc\\passwd",
            "file:/\\/etc/passwd",
            "file:///x/.%2E/etc/passwd",
        ] {
            assert!(has(address, "/etc/passwd"), "{address:?}");
        }
        assert!(has("file", "/w/file") && has("profile:etc/passwd", "/w/profile:etc/passwd"));
        assert!(!has("profile:etc/passwd", "/etc/passwd"));
        assert!(PathForms::new("file:///%zz", Some("/w"), None).is_open(false));
        assert!(PathForms::new("/a\0b", Some("/w"), None).is_open(false));
    }

    #[test]
    fn without_a_working_directory_what_is_relative_is_open() {
        for cwd in [None, Some(""), Some("sub"), Some(".")] {
            let (relative, absolute) = (PathForms::new("a/b", cwd, None), PathForms::new("/a/b", cwd, None));
            assert!(relative.is_open(false) && relative.is_open(true), "{cwd:?}");
            assert!(!absolute.is_open(false) && absolute.is_open(true), "{cwd:?}");
            assert!(!relative.has_open_name() && PathForms::new("a/../..", cwd, None).has_open_name(), "{cwd:?}");
        }
        assert!(!PathForms::new("a/b", Some("/w"), None).is_open(true));
    }

    #[test]
    fn a_path_is_placed_in_the_project_too() {
        let forms = |path: &str, cwd: &str| PathForms::new(path, Some(cwd), Some("/p"));
        assert!(forms("k", "/p/secrets").forms().any(|form| form == "secrets/k"));
        assert!(forms("/p/secrets/k", "/tmp").forms().any(|form| form == "secrets/k"));
        let all = |path: &str, cwd: &str| forms(path, cwd).places[0].all_relative(|rest| rest == "src/a");
        assert!(all("src/a", "/p") && !all("src/a", "/q") && !all("src/a", "/p/other") && !all("/p/src/a", "/q"));
    }

    #[test]
    fn letters_are_composed() {
        assert_eq!(place("cafe\u{301}.txt", None).0, "caf\u{e9}.txt");
    }
}
