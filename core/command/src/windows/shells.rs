//! Programs of Windows that run a line: PowerShell and `cmd`.

use super::Language;
use crate::base64;

/// What a shell of Windows is handed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Handed {
    /// A line of its language.
    Line(String, Language),
    /// A file, or nothing that it runs.
    Nothing,
    /// What it runs is not known: it stands elsewhere, or cannot be read.
    Unknown,
}

/// Whether a program is a shell of Windows.
#[must_use]
pub fn is_shell(program: &str) -> bool {
    language(program).is_some()
}

/// The name of a program: without its folder and what only says that it is one, in small letters.
pub(super) fn base(program: &str) -> String {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
    let end = [".exe", ".com"].iter().find_map(|end| name.strip_suffix(end));
    end.map_or(name.clone(), str::to_owned)
}

fn language(program: &str) -> Option<Language> {
    match base(program).as_str() {
        "powershell" | "pwsh" | "pwsh-preview" => Some(Language::PowerShell),
        "cmd" => Some(Language::Cmd),
        _ => None,
    }
}

/// What a program is handed by its words, `None` for those that are filled in; nothing if it is no shell of Windows.
pub(crate) fn handed(program: &str, args: &[Option<&str>]) -> Option<Handed> {
    Some(match language(program)? {
        Language::PowerShell => to_powershell(args),
        _ => to_cmd(args),
    })
}

/// The parameters of PowerShell that take no value, those that take one, and those that say what runs.
const FLAGS: &[&str] = &[
    "interactive",
    "login",
    "mta",
    "noexit",
    "nologo",
    "noninteractive",
    "noni",
    "noprofile",
    "nop",
    "noprofileloadtime",
    "sta",
];
const VALUED: &[&str] = &[
    "configurationfile",
    "configurationname",
    "custompipename",
    "executionpolicy",
    "ep",
    "exec",
    "inputformat",
    "if",
    "outputformat",
    "of",
    "psconsolefile",
    "settingsfile",
    "version",
    "windowstyle",
    "workingdirectory",
    "wd",
    "wo",
];

fn to_powershell(args: &[Option<&str>]) -> Handed {
    let mut rest = args;
    while let Some((first, behind)) = rest.split_first() {
        let Some(word) = *first else { return Handed::Unknown };
        let Some(name) = word.strip_prefix(['-', '/', '–', '—']).filter(|name| !name.is_empty()) else {
            if word == "-" {
                return Handed::Unknown;
            }
            // A file, or to older versions a line.
            return line_of(rest);
        };
        let name = name.trim_start_matches('-').to_ascii_lowercase();
        let (name, value) = name.split_once(':').map_or((name.as_str(), None), |(name, value)| (name, Some(value)));
        let begins = |known: &&str| known.starts_with(name);
        match name {
            "version" | "help" | "h" | "?" if behind.is_empty() => return Handed::Nothing,
            _ if "command".starts_with(name) || "commandwithargs".starts_with(name) || name == "cwa" => {
                return line_of(behind);
            }
            _ if "encodedcommand".starts_with(name) || name == "ec" || name == "enc" => {
                let word = behind.first().copied().flatten().filter(|_| value.is_none());
                return word.and_then(decoded).map_or(Handed::Unknown, |line| Handed::Line(line, Language::PowerShell));
            }
            _ if "encodedarguments".starts_with(name) || name == "ea" => rest = behind.get(1..).unwrap_or_default(),
            _ if "file".starts_with(name) => {
                return if matches!(behind.first(), None | Some(None | Some("-"))) {
                    Handed::Unknown
                } else {
                    Handed::Nothing
                };
            }
            _ if value.is_some() || FLAGS.iter().any(begins) => rest = behind,
            _ if VALUED.iter().any(begins) => rest = behind.get(1..).unwrap_or_default(),
            _ => return Handed::Unknown,
        }
    }
    Handed::Unknown
}

/// The words that are a line together.
fn line_of(words: &[Option<&str>]) -> Handed {
    match words.iter().copied().collect::<Option<Vec<_>>>() {
        Some(words) if !words.is_empty() && words != ["-"] => Handed::Line(words.join(" "), Language::PowerShell),
        _ => Handed::Unknown,
    }
}

/// A line that is encoded as PowerShell takes it.
fn decoded(text: &str) -> Option<String> {
    let bytes = base64::decoded(text)?;
    let (pairs, []) = bytes.as_chunks::<2>() else { return None };
    let units: Vec<u16> = pairs.iter().map(|pair| u16::from_le_bytes(*pair)).collect();
    String::from_utf16(&units).ok()
}

fn to_cmd(args: &[Option<&str>]) -> Handed {
    let mut rest = args;
    while let Some((first, behind)) = rest.split_first() {
        let Some(word) = *first else { return Handed::Unknown };
        // Where `/c` would be a path, it is written `//c`.
        let lower = word.to_ascii_lowercase();
        let Some(option) = lower.strip_prefix("//").or_else(|| lower.strip_prefix('/')) else { return Handed::Unknown };
        if matches!(option, "?" | "help") {
            return Handed::Nothing;
        }
        // `/c` ends the options, and what stands behind it in the same word belongs to the line: `/cdir`, `/d/c`.
        let at = option.split('/').position(|part| part.starts_with(['c', 'k', 'r']));
        if let Some(at) = at {
            let part = option.split('/').nth(at).unwrap_or_default();
            let behind_it = part.get(1..).filter(|text| !text.is_empty());
            let words = behind.iter().copied().collect::<Option<Vec<_>>>();
            return words.map_or(Handed::Unknown, |words| {
                let line = behind_it.into_iter().chain(words).collect::<Vec<_>>().join(" ");
                Handed::Line(line, Language::Cmd)
            });
        }
        rest = behind;
    }
    Handed::Unknown
}
