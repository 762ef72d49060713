//! How far an installation reaches.

use clap::ValueEnum;

/// Whose settings are changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Reach {
    /// This project's, shared by everyone who works on it.
    #[default]
    Project,
    /// Your own for this project, where the agent has such a file.
    Local,
    /// Yours, for all projects.
    User,
    /// The machine's, which its administrator writes for everyone.
    Managed,
}
