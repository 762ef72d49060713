//! Approvals of questions that hold in later sessions: "Allow always" of a person, in a file that only the user can write.
//!
//! An approval is for one fingerprint: the hook's content, the working directory, the event and what was asked. It expires,
//! and a person can revoke it. The file holds what people need to recognise a question; what counts is the fingerprint.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::config::Directories;
use crate::config::private_file::{PrivateFile, Versioned};
use crate::config::trust::hash;
use hookweave_clock::now_ms;
use hookweave_machine::error::{Code, Error};
use hookweave_session::{ApprovalStore, Approvals, KeptQuestion, Session};

/// How long an approval holds, in milliseconds: 30 days.
pub const LIFETIME_MS: u64 = 30 * 24 * 60 * 60 * 1000;

/// How many approvals are kept; the person is asked again beyond.
const MAX_APPROVALS: usize = 4096;

/// The longest text that is kept for people, in characters.
const MAX_SHOWN: usize = 200;

/// A person's "Allow always".
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptApproval {
    /// What is approved: `sha256:` and 64 digits.
    pub fingerprint: String,
    /// The directory in which it holds.
    pub directory: String,
    /// The hook that asked; `None` when it was the host's own rule.
    pub hook: Option<String>,
    /// The event that waited.
    pub event: String,
    /// What it holds for: `call`, `prompt` or `tool`.
    pub width: String,
    /// The tool, where the approval is for one.
    pub tool: Option<String>,
    /// The beginning of the question, where the approval is for one.
    pub prompt: Option<String>,
    /// The beginning of what the person was shown of the arguments, where the approval is for these alone.
    pub shown: Option<String>,
    /// When it was given, in milliseconds since the epoch.
    pub approved_at: u64,
    /// Until when it holds.
    pub expires_at: u64,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    hookweave: u32,
    approvals: Vec<KeptApproval>,
}

impl Default for Stored {
    fn default() -> Self {
        Self { hookweave: 1, approvals: Vec::new() }
    }
}

impl Versioned for Stored {
    fn version(&self) -> u32 {
        self.hookweave
    }
}

/// The file of a user's approvals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptApprovals {
    file: PrivateFile,
}

impl KeptApproval {
    /// Whether it holds: it was given before now, and has not expired.
    fn is_current(&self, now: u64) -> bool {
        let lifetime = self.expires_at.saturating_sub(self.approved_at);
        self.approved_at <= now && now < self.expires_at && lifetime <= LIFETIME_MS
    }
}

impl KeptApprovals {
    /// The approvals in this file, which need not exist yet.
    #[must_use]
    pub fn at(path: impl Into<std::path::PathBuf>) -> Self {
        Self { file: PrivateFile::at(path, "the file of kept approvals", "approve") }
    }

    /// The user's own: `hookweave/approvals.json` in the directory for state; `invalid_config` for a user without a home.
    pub fn of_this_user() -> Result<Self, Error> {
        let state = Directories::of_this_user().state.ok_or_else(|| {
            Error::new(Code::InvalidConfig, "there is no home directory to keep approvals in; name a file for them")
        })?;
        Ok(Self::at(state.join("hookweave").join("approvals.json")))
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// The approvals that hold now, the latest last.
    ///
    /// A file that cannot be read, or that others can write, is an error: nothing counts as approved then.
    pub fn list(&self) -> Result<Vec<KeptApproval>, Error> {
        let now = now_ms();
        let stored: Stored = self.file.read()?;
        Ok(stored.approvals.into_iter().filter(|approval| approval.is_current(now)).collect())
    }

    /// Takes approvals back; says how many there were.
    pub fn revoke(&self, fingerprints: &[&str]) -> Result<usize, Error> {
        let mut taken = 0;
        self.file.change(|stored: &mut Stored| {
            let before = stored.approvals.len();
            stored.approvals.retain(|known| !fingerprints.contains(&known.fingerprint.as_str()));
            taken = before - stored.approvals.len();
        })?;
        Ok(taken)
    }

    /// Keeps a session's approvals as its options say; a file that cannot be used is an error.
    pub(crate) fn open_for(session: &Session) -> Result<(), Error> {
        let kept = match &session.settings().keep_approvals {
            Approvals::Session => return Ok(()),
            Approvals::User => Self::of_this_user()?,
            Approvals::File(path) => Self::at(path),
        };
        let directory = session.cwd().map(std::path::PathBuf::from);
        if directory.is_some_and(|directory| kept.path().starts_with(directory)) {
            return Err(kept
                .file
                .refuse("it is in the session's working directory, which could bring it along; name another"));
        }
        kept.list()?;
        session.keep_approvals(std::sync::Arc::new(kept));
        Ok(())
    }
}

fn fingerprint(question: &KeptQuestion<'_>) -> String {
    hash(&json!({"hookweave": 1, "question": question}))
}

fn short(text: &str) -> String {
    let begin: String = text.chars().take(MAX_SHOWN).collect();
    if begin.len() < text.len() { begin + "…" } else { begin }
}

impl ApprovalStore for KeptApprovals {
    fn holds(&self, question: &KeptQuestion<'_>) -> Result<bool, Error> {
        let wanted = fingerprint(question);
        Ok(self.list()?.iter().any(|approval| approval.fingerprint == wanted))
    }

    fn keep(&self, question: &KeptQuestion<'_>) -> Result<(), Error> {
        let now = now_ms();
        let approval = KeptApproval {
            fingerprint: fingerprint(question),
            directory: question.directory.to_owned(),
            hook: question.hook_name.map(short),
            event: question.event.to_owned(),
            width: question.width.to_owned(),
            tool: question.tool.map(short),
            prompt: question.prompt.map(short),
            shown: question.args.and(question.shown).map(short),
            approved_at: now,
            expires_at: now + LIFETIME_MS,
        };
        let mut is_full = false;
        self.file.change(|stored: &mut Stored| {
            stored.approvals.retain(|known| known.is_current(now) && known.fingerprint != approval.fingerprint);
            is_full = stored.approvals.len() >= MAX_APPROVALS;
            if !is_full {
                stored.approvals.push(approval);
            }
        })?;
        if is_full {
            return Err(self.file.refuse(format!("it is full ({MAX_APPROVALS}); run `hookweave approvals revoke`")));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question<'q>(directory: &'q str, hook: Option<&'q str>, args: &'q str) -> KeptQuestion<'q> {
        KeptQuestion {
            directory,
            hook,
            event: "PreToolUse",
            width: "call",
            tool: Some("Bash"),
            prompt: Some("Run Bash?"),
            args: Some(args),
            hook_name: Some("guard"),
            shown: Some(args),
        }
    }

    #[test]
    fn an_approval_is_for_exactly_what_was_asked() {
        let dir = tempfile::tempdir().unwrap();
        let kept = KeptApprovals::at(dir.path().join("deep/approvals.json"));
        let asked = question("/p", Some("sha256:1"), "ls");
        assert_eq!(kept.holds(&asked), Ok(false));
        kept.keep(&asked).unwrap();
        kept.keep(&asked).unwrap();
        assert_eq!(kept.holds(&asked), Ok(true));
        for other in [
            question("/q", Some("sha256:1"), "ls"),
            question("/p", Some("sha256:2"), "ls"),
            question("/p", None, "ls"),
            question("/p", Some("sha256:1"), "ls "),
            KeptQuestion { width: "tool", ..asked.clone() },
            KeptQuestion { tool: None, ..asked.clone() },
            KeptQuestion { prompt: Some("Run?"), ..asked.clone() },
            KeptQuestion { event: "Stop", ..asked.clone() },
        ] {
            assert_eq!(kept.holds(&other), Ok(false), "{other:?}");
        }
        let listed = kept.list().unwrap();
        let [approval] = listed.as_slice() else { panic!("{listed:?}") };
        assert_eq!((approval.tool.as_deref(), approval.shown.as_deref()), (Some("Bash"), Some("ls")));
        assert_eq!(kept.revoke(&[&approval.fingerprint, "sha256:no"]), Ok(1));
        assert_eq!(kept.holds(&asked), Ok(false));
    }

    #[test]
    fn what_is_expired_from_the_future_or_too_long_does_not_hold() {
        let dir = tempfile::tempdir().unwrap();
        let kept = KeptApprovals::at(dir.path().join("approvals.json"));
        let asked = question("/p", None, "ls");
        let now = now_ms();
        for (approved_at, expires_at) in
            [(now - 10, now - 1), (now + 100_000, now + 200_000), (now - 1, now + 2 * LIFETIME_MS)]
        {
            kept.keep(&asked).unwrap();
            kept.file
                .change(|stored: &mut Stored| {
                    for approval in &mut stored.approvals {
                        (approval.approved_at, approval.expires_at) = (approved_at, expires_at);
                    }
                })
                .unwrap();
            assert_eq!(kept.holds(&asked), Ok(false), "{approved_at} {expires_at}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_can_write_or_that_is_odd_approves_nothing() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let kept = KeptApprovals::at(dir.path().join("approvals.json"));
        let asked = question("/p", None, "ls");
        kept.keep(&asked).unwrap();
        let mode = |mode| std::fs::set_permissions(kept.path(), std::fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(std::fs::metadata(kept.path()).unwrap().permissions().mode() & 0o777, 0o600);
        mode(0o622);
        assert!(kept.holds(&asked).unwrap_err().message().contains("others can write it"));
        mode(0o600);
        for text in ["{", "[]", r#"{"hookweave": 2, "approvals": []}"#, r#"{"hookweave": 1, "approvals": [], "x": 1}"#]
        {
            std::fs::write(kept.path(), text).unwrap();
            assert!(kept.holds(&asked).is_err(), "{text}");
            assert!(kept.keep(&asked).is_err(), "{text}");
        }
    }
}
