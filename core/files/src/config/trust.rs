//! Which hooks from a project's files a person has approved, and what exactly was approved.
//!
//! An approval is for a fingerprint: the entry as it stands in the file, the project that it belongs to, and the content
//! of the scripts that it names. A change of any of these makes another fingerprint, which is not approved.

mod covers;
mod fingerprint;
mod texts;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::places;
use super::private_file::{PrivateFile, Versioned};
use hookweave_clock::now_ms;
use hookweave_machine::error::{Code, Error};
use hookweave_machine::observer::{ApprovedHook, each_trust_observer};

pub(super) use covers::{Change, Covers, covers};
pub(crate) use fingerprint::hash;
pub(super) use fingerprint::{fingerprint, switch_fingerprint};
pub(super) use texts::Texts;
#[doc(hidden)]
pub use texts::{CoveredPart, CoveredText};

/// Which hooks from a project's files run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Trust {
    /// Those that a person has approved.
    #[default]
    Approved,
    /// All: the host vouches for the project.
    All,
}

/// An approval, or what waits for one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustedHook {
    /// What is approved: `sha256:` and 64 digits.
    pub fingerprint: String,
    /// The project.
    pub project: String,
    /// The file that declares it.
    pub file: String,
    /// The place in the file.
    pub place: String,
    /// The dialect.
    pub dialect: String,
    /// The event as the file names it; empty for a switch.
    pub event: String,
    /// What runs, or what the switch does.
    pub runs: String,
    /// When, in milliseconds since the epoch.
    #[serde(default)]
    pub approved_at: u64,
    /// What the fingerprint was made of, from which is told what changed later.
    #[serde(default)]
    pub covers: Vec<String>,
    /// The fingerprints of earlier approvals of the same hook, which this one replaces.
    #[serde(default)]
    pub replaces: Vec<String>,
}

impl TrustedHook {
    fn named(&self) -> ApprovedHook<'_> {
        ApprovedHook {
            fingerprint: &self.fingerprint,
            project: &self.project,
            file: &self.file,
            place: &self.place,
            dialect: &self.dialect,
            event: &self.event,
            runs: &self.runs,
        }
    }
}

/// Where approvals are kept: a file of the user's that only the user can write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustStore {
    file: PrivateFile,
}

#[derive(Debug, Serialize, Deserialize)]
struct Stored {
    hookweave: u32,
    approved: Vec<TrustedHook>,
    /// The fingerprints of those that were given without a terminal.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    without_terminal: BTreeSet<String>,
}

impl Default for Stored {
    fn default() -> Self {
        Self { hookweave: 1, approved: Vec::new(), without_terminal: BTreeSet::new() }
    }
}

impl Stored {
    /// Keeps nothing about approvals that are gone.
    fn forget_gone(&mut self) {
        let approved = &self.approved;
        self.without_terminal.retain(|given| approved.iter().any(|approval| approval.fingerprint == *given));
    }
}

impl Versioned for Stored {
    fn version(&self) -> u32 {
        self.hookweave
    }
}

impl TrustStore {
    /// A store in this file, which need not exist yet.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { file: PrivateFile::at(path, "the store of approvals", "approve") }
    }

    /// The user's own store, as [`usual`](Self::usual) has it; `invalid_config` for a user without a home.
    pub fn of_this_user() -> Result<Self, Error> {
        Self::usual(&places::Directories::of_this_user()).ok_or_else(|| {
            Error::new(Code::InvalidConfig, "there is no home directory to keep approvals in; name a file for them")
        })
    }

    /// The user's own: `hookweave/trust.json` in the directory for configuration; `None` for a user without a home.
    #[must_use]
    #[doc(hidden)]
    pub fn usual(directories: &places::Directories) -> Option<Self> {
        directories.config.as_ref().map(|config| Self::at(config.join("hookweave").join("trust.json")))
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Everything that is approved, by fingerprint.
    ///
    /// A store that cannot be read, or that others can write, is an error: nothing counts as approved then.
    pub fn approved(&self) -> Result<BTreeMap<String, TrustedHook>, Error> {
        let stored: Stored = self.file.read()?;
        Ok(stored.approved.into_iter().map(|approval| (approval.fingerprint.clone(), approval)).collect())
    }

    /// Refuses a store that a project could bring along; the user's home may be in it, and the store with it.
    #[doc(hidden)]
    pub fn must_not_be_in(&self, project: &Path, home: Option<&Path>) -> Result<(), Error> {
        let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let (file, project) = (real(self.path()), real(project));
        let is_home = home.is_some_and(|home| real(home).starts_with(&project));
        if is_home || !file.starts_with(&project) || !file.exists() {
            return Ok(());
        }
        Err(self.file.refuse(format!(
            "it is in the project {}, which could bring its approvals along; name another, or set XDG_CONFIG_HOME to a folder outside",
            project.display()
        )))
    }

    /// Adds approvals to what is approved; what another process adds meanwhile stays.
    pub fn approve(&self, approvals: &[TrustedHook]) -> Result<(), Error> {
        self.keep(approvals, true)
    }

    /// The same without a terminal, which is kept with them.
    #[doc(hidden)]
    pub fn approve_without_terminal(&self, approvals: &[TrustedHook]) -> Result<(), Error> {
        self.keep(approvals, false)
    }

    /// The fingerprints of approvals that were given without a terminal.
    #[doc(hidden)]
    pub fn given_without_terminal(&self) -> Result<BTreeSet<String>, Error> {
        let mut stored: Stored = self.file.read()?;
        // An older version leaves those that it has revoked.
        stored.forget_gone();
        Ok(stored.without_terminal)
    }

    fn keep(&self, approvals: &[TrustedHook], is_attended: bool) -> Result<(), Error> {
        let now = now_ms();
        self.file.change(|stored: &mut Stored| {
            for approval in approvals {
                stored.approved.retain(|known| {
                    known.fingerprint != approval.fingerprint && !approval.replaces.contains(&known.fingerprint)
                });
                stored.approved.push(TrustedHook { approved_at: now, replaces: Vec::new(), ..approval.clone() });
                if is_attended {
                    stored.without_terminal.remove(&approval.fingerprint);
                } else {
                    stored.without_terminal.insert(approval.fingerprint.clone());
                }
            }
            stored.forget_gone();
            // While no other process writes: it could not know these texts yet, and would take them away.
            self.texts().keep(approvals, &stored.approved);
        })?;
        each_trust_observer(|observer| approvals.iter().for_each(|approval| observer.approved(&approval.named())));
        Ok(())
    }

    pub(super) fn texts(&self) -> Texts {
        Texts::beside(self.path())
    }

    /// What an approval would cover, beside what the one that it replaces covers.
    #[must_use]
    #[doc(hidden)]
    pub fn parts(&self, now: &TrustedHook, approved: Option<&TrustedHook>) -> Vec<CoveredPart> {
        self.texts().parts(now, approved)
    }

    /// Takes approvals back; says how many there were.
    pub fn revoke(&self, fingerprints: &[&str]) -> Result<usize, Error> {
        let mut taken = 0;
        self.file.change(|stored: &mut Stored| {
            let before = stored.approved.len();
            stored.approved.retain(|known| !fingerprints.contains(&known.fingerprint.as_str()));
            taken = before - stored.approved.len();
            stored.forget_gone();
            self.texts().keep(&[], &stored.approved);
        })?;
        if taken > 0 {
            each_trust_observer(|observer| fingerprints.iter().for_each(|fingerprint| observer.revoked(fingerprint)));
        }
        Ok(taken)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn approval(number: u64) -> TrustedHook {
        TrustedHook {
            fingerprint: format!("sha256:{number:064}"),
            project: "/p".into(),
            file: "/p/f".into(),
            place: "hooks[0]".into(),
            dialect: "hookweave".into(),
            event: "PreToolUse".into(),
            runs: "./x.sh".into(),
            approved_at: 0,
            covers: Vec::new(),
            replaces: Vec::new(),
        }
    }

    #[test]
    fn approvals_are_kept_and_taken_back() {
        let dir = tempfile::tempdir().unwrap();
        let store = TrustStore::at(dir.path().join("deep/trust.json"));
        assert!(store.approved().unwrap().is_empty());
        store.approve(&[approval(1), approval(2)]).unwrap();
        store.approve(&[approval(2)]).unwrap();
        assert_eq!(store.approved().unwrap().len(), 2);
        assert_eq!(store.revoke(&[&approval(1).fingerprint, "sha256:no"]).unwrap(), 1);
        assert_eq!(store.approved().unwrap().keys().collect::<Vec<_>>(), [&approval(2).fingerprint]);
    }

    #[test]
    fn how_an_approval_was_given_is_kept_with_it() {
        let dir = tempfile::tempdir().unwrap();
        let store = TrustStore::at(dir.path().join("trust.json"));
        let given = || store.given_without_terminal().unwrap().into_iter().collect::<Vec<_>>();
        store.approve_without_terminal(&[approval(1), approval(2)]).unwrap();
        store.approve(&[approval(3)]).unwrap();
        assert_eq!(given(), [approval(1).fingerprint, approval(2).fingerprint]);
        store.approve(&[approval(1)]).unwrap();
        assert_eq!(given(), [approval(2).fingerprint]);
        store.revoke(&[&approval(2).fingerprint]).unwrap();
        assert!(given().is_empty());
        assert!(!std::fs::read_to_string(store.path()).unwrap().contains("terminal"));
    }

    #[cfg(unix)]
    #[test]
    fn only_the_user_can_write_the_store() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let store = TrustStore::at(dir.path().join("new/trust.json"));
        store.approve(&[approval(1)]).unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(store.path()), mode(&dir.path().join("new"))), (0o600, 0o700));
        std::fs::set_permissions(store.path(), std::fs::Permissions::from_mode(0o666)).unwrap();
        assert!(store.approved().unwrap_err().message().contains("others can write it"));
        assert!(store.approve(&[approval(2)]).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_store_with_a_second_name_approves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let store = TrustStore::at(dir.path().join("own/trust.json"));
        store.approve(&[approval(1)]).unwrap();
        std::fs::hard_link(store.path(), dir.path().join("second")).unwrap();
        let why = store.approved().unwrap_err();
        assert!(why.message().contains("own/trust.json: it has 2 names (hard links)"), "{why}");
        assert!(store.approve(&[approval(2)]).is_err());
        std::fs::remove_file(dir.path().join("second")).unwrap();
        assert_eq!(store.approved().unwrap().len(), 1);
        std::fs::rename(store.path(), dir.path().join("moved")).unwrap();
        std::os::unix::fs::symlink(dir.path().join("moved"), store.path()).unwrap();
        let why = store.approved().unwrap_err();
        assert!(why.message().contains("own/trust.json: it is a symbolic link"), "{why}");
        assert!(store.approve(&[approval(2)]).is_err());
        assert!(store.path().is_symlink());
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_is_a_link_of_the_users_own_is_their_layout() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("dotfiles/config")).unwrap();
        std::os::unix::fs::symlink("dotfiles/config", dir.path().join(".config")).unwrap();
        let store = TrustStore::at(dir.path().join(".config/hookweave/trust.json"));
        store.approve(&[approval(1)]).unwrap();
        assert_eq!(store.approved().unwrap().len(), 1);
        assert!(dir.path().join("dotfiles/config/hookweave/trust.json").is_file());
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_all_users_can_write_proves_nothing() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let store = TrustStore::at(dir.path().join("own/trust.json"));
        store.approve(&[approval(1)]).unwrap();
        let change = |mode| {
            let folder = dir.path().join("own");
            std::fs::set_permissions(folder, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        change(0o777);
        let why = store.approved().unwrap_err();
        assert!(why.message().contains("all users can write its folder"), "{why}");
        for mode in [0o1777, 0o775, 0o700] {
            change(mode);
            assert_eq!(store.approved().unwrap().len(), 1, "{mode:o}");
        }
    }

    #[test]
    fn a_broken_store_approves_nothing_and_is_not_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let store = TrustStore::at(dir.path().join("trust.json"));
        for text in ["{", "[]", r#"{"hookweave": 2, "approved": []}"#] {
            let mut file = tempfile::NamedTempFile::new_in(dir.path()).unwrap();
            file.write_all(text.as_bytes()).unwrap();
            file.persist(store.path()).unwrap();
            assert!(store.approved().is_err(), "{text}");
            assert!(store.approve(&[approval(1)]).is_err(), "{text}");
            assert_eq!(std::fs::read_to_string(store.path()).unwrap(), text);
        }
    }

    #[test]
    fn writers_at_the_same_time_lose_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let store = TrustStore::at(dir.path().join("trust.json"));
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let store = store.clone();
                scope.spawn(move || {
                    for number in 0..5 {
                        store.approve(&[approval(writer * 10 + number)]).unwrap();
                    }
                });
            }
        });
        assert_eq!(store.approved().unwrap().len(), 20);
    }
}
