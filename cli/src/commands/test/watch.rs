//! Waits until something changes that what comes of tests may depend on.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::agents::{AGENTS, Agent};
use crate::cases::look_for;

/// How often watched files are looked at.
const PAUSE: Duration = Duration::from_millis(150);

/// Looking for files of cases that are new takes a walk through all folders: after so many looks at those that are known.
const WALK: usize = 7;

/// hookweave's own files, which may come to be.
const OWN: &[&str] = &["hookweave.toml", "hookweave.json", "hookweave.local.toml", "hookweave.local.json"];

/// What is looked at to see that a file is another one; nothing where it is not there.
type State = Option<(SystemTime, u64)>;

/// What is watched.
#[derive(Debug)]
pub(super) struct Watch<'p> {
    /// Files of cases, or directories in which to look for them.
    paths: &'p [PathBuf],
    /// Files that a run depended on, as they were before it. They stay: a run that could not begin knows of none.
    known: BTreeMap<PathBuf, State>,
    cases: Vec<PathBuf>,
}

impl<'p> Watch<'p> {
    /// Of these places alone, so far.
    pub(super) const fn of(paths: &'p [PathBuf]) -> Self {
        Self { paths, known: BTreeMap::new(), cases: Vec::new() }
    }

    /// A run begins: what changes from now on is a change.
    pub(super) fn begin(&mut self) {
        self.cases = self.look();
        for (file, known) in &mut self.known {
            *known = state(file);
        }
        let of_agents = || AGENTS.iter().flat_map(Agent::project_files);
        for case in self.cases.clone() {
            let folder = case.parent().unwrap_or_else(|| Path::new(".")).to_path_buf();
            self.add(OWN.iter().copied().chain(of_agents()).map(|file| folder.join(file)));
            self.add([case]);
        }
    }

    /// Watches these files too.
    pub(super) fn add(&mut self, files: impl IntoIterator<Item = PathBuf>) {
        for file in files {
            let now = state(&file);
            self.known.entry(file).or_insert(now);
        }
    }

    /// Waits for a change.
    pub(super) fn wait(&self) {
        let mut last = None;
        for look in 1.. {
            std::thread::sleep(PAUSE);
            let now: Vec<State> = self.known.keys().map(|file| state(file)).collect();
            // Editors write in several steps: it has to stay as it is for a moment.
            if !now.iter().eq(self.known.values()) && last.as_ref() == Some(&now) {
                return;
            }
            last = Some(now);
            if look % WALK == 0 && self.look() != self.cases {
                return;
            }
        }
    }

    /// The files of cases that are there. One that is gone for a moment is being written.
    fn look(&self) -> Vec<PathBuf> {
        look_for(self.paths).unwrap_or_default()
    }
}

fn state(file: &Path) -> State {
    let meta = std::fs::metadata(file).ok()?;
    Some((meta.modified().ok()?, meta.len()))
}
