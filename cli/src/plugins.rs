//! Agents that load a plugin in JavaScript instead of running commands: the file that asks hookweave there.

use std::path::{Path, PathBuf};

use hookweave_host::config::Directories;

use crate::failed::{Failed, Result};
use crate::policy::relative;
use crate::reach::Reach;

/// One agent.
#[derive(Debug)]
pub(crate) struct PluginAgent {
    /// Its name, and that of the package's entry for it.
    pub(crate) name: &'static str,
    /// The file below the project, and below the user's home.
    project: &'static str,
    user: &'static str,
    /// What the file holds.
    pub(crate) text: &'static str,
}

/// Every such agent.
pub(crate) const PLUGIN_AGENTS: &[PluginAgent] = &[
    PluginAgent {
        name: "opencode",
        project: ".opencode/plugin/hookweave.js",
        user: ".config/opencode/plugin/hookweave.js",
        text: include_str!("plugins/opencode.js"),
    },
    PluginAgent {
        name: "pi",
        project: ".pi/extensions/hookweave.js",
        user: ".pi/agent/extensions/hookweave.js",
        text: include_str!("plugins/pi.js"),
    },
];

/// The agent of this name, if it has plugins.
pub(crate) fn plugin_agent(name: &str) -> Option<&'static PluginAgent> {
    PLUGIN_AGENTS.iter().find(|agent| agent.name == name)
}

impl PluginAgent {
    /// The plugin's file, and the directory that it must not lead out of.
    pub(crate) fn file(&self, reach: Reach, project: &Path) -> Result<(PathBuf, PathBuf)> {
        match reach {
            Reach::Project => Ok((project.join(self.project), project.to_path_buf())),
            Reach::User => {
                let home = Directories::of_this_user().home;
                let home = home.ok_or_else(|| Failed::new("you have no home directory; set HOME"))?;
                Ok((home.join(self.user), home))
            }
            Reach::Local | Reach::Managed => {
                let why = format!("{} loads plugins of a project and of a user alone", self.name);
                Err(Failed::new(format!("{why}; use --scope project or --scope user")))
            }
        }
    }

    /// Whether a file's text asks hookweave: the one that is installed, or a line of a person's own.
    pub(crate) fn is_asked_by(&self, text: &str) -> bool {
        text.contains(&format!("hookweave/{}", self.name))
    }

    /// What a person does so that the package is found.
    pub(crate) fn how_to_have_the_package(&self, file: &Path) -> String {
        let file = file.strip_prefix(".").unwrap_or(file);
        let folder = file.parent().and_then(Path::parent).unwrap_or_else(|| Path::new("."));
        let [file, folder] = [file, folder].map(|path| relative(path, Path::new(".")));
        let what = format!("{file} does not find the npm package hookweave, so {} refuses everything", self.name);
        format!("{what}; `npm install --prefix {folder} hookweave`")
    }
}

/// Where an agent would find the package for a plugin; `None` where it would not, and the plugin refuses everything.
pub(crate) fn package_for(file: &Path) -> Option<PathBuf> {
    let file = std::path::absolute(file).ok()?;
    let mut found = file.ancestors().skip(1).map(|folder| folder.join("node_modules/hookweave"));
    found.find(|package| package.join("package.json").is_file())
}
