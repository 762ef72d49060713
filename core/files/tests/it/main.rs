//! Configuration files: what readers take and refuse, what is found and trusted, what reloads and lints say.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests end with a message, measure time and start programs"
)]

mod discovery;
mod hostile;
mod json_schema;
mod linting;
mod merging;
mod readers;
mod reloading;
mod schema;
mod speed;
mod trusting;
mod wire_schema;

use std::path::{Path, PathBuf};

use hookweave_files::config::discover::{Discovery, discover};
use hookweave_files::config::load::{Configuration, LoadOptions, load};
use hookweave_files::config::trust::TrustStore;
use hookweave_files::config::{Directories, Format, Loaded, Source, read};
use hookweave_machine::hook::Scope;

/// A machine of its own: home, project, administrator's files, store of approvals.
pub(crate) struct World {
    root: tempfile::TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for dir in ["home", "project/.git", "machine"] {
            std::fs::create_dir_all(root.path().join(dir)).unwrap();
        }
        Self { root }
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        std::fs::canonicalize(self.root.path()).unwrap().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: &str) -> PathBuf {
        let file = self.path(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
        file
    }

    pub(crate) fn directories(&self) -> Directories {
        Directories {
            home: Some(self.path("home")),
            config: Some(self.path("home/.config")),
            state: Some(self.path("home/.local/state")),
            claude: None,
            codex: None,
            machine: Some(self.path("machine")),
        }
    }

    pub(crate) fn store(&self) -> TrustStore {
        TrustStore::usual(&self.directories()).unwrap()
    }

    pub(crate) fn discovery(&self) -> Discovery<'static> {
        Discovery { directories: self.directories(), ..Discovery::new(self.path("project")) }
    }

    pub(crate) fn discover(&self) -> Configuration {
        discover(&self.discovery()).unwrap()
    }

    pub(crate) fn options(&self) -> LoadOptions<'static> {
        LoadOptions { directories: self.directories(), ..LoadOptions::default() }
    }

    pub(crate) fn load(&self, path: &str) -> Configuration {
        load(&self.path(path), &self.options()).unwrap()
    }
}

/// Reads a text as if it stood in a project.
pub(crate) fn read_as(format: Format, text: &str) -> Loaded {
    read_in(format, Scope::Project, text)
}

pub(crate) fn read_in(format: Format, scope: Scope, text: &str) -> Loaded {
    let source = Source {
        file: PathBuf::from("/project/file"),
        scope,
        dialect: format.dialect().unwrap(),
        project_dir: Some(PathBuf::from("/project")),
        plugin: None,
        claude: None,
        catalogue: None,
    };
    read(format, text, &source)
}

/// What runs, in order.
pub(crate) fn runs(configuration: &Configuration) -> Vec<String> {
    configuration.hooks.iter().map(|ready| ready.declared.spec.origin.as_ref().unwrap().runs.clone()).collect()
}

/// A hook of Claude Code's shape.
pub(crate) fn claude(event: &str, matcher: &str, command: &str) -> String {
    serde_json::json!({"hooks": {event: [{"matcher": matcher, "hooks": [{"type": "command", "command": command}]}]}})
        .to_string()
}

/// A script that can be started.
pub(crate) fn executable(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
}
