//! The commands of files and of recorded sessions, for `hookweave scan`. Nothing is run.

mod dockerfile;
mod judge;
mod kind;
mod makefile;
mod npm;
mod pipeline;
mod script;
mod session;
mod walk;

use std::path::Path;

use crate::document;
use crate::failed::{Failed, Result};

pub(crate) use judge::{Found, Hit, Judge, Verdict};
pub(crate) use kind::Kind;
pub(crate) use script::{Held, POWER_SHELL, SHELL, Script};
pub(crate) use session::{Session, read as read_session};
pub(crate) use walk::{below, kind_of};

/// The tool that stands for a shell, by the name or the path of its program.
fn tool_of(program: &str) -> Option<&'static str> {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default().trim_end_matches(".exe");
    match name {
        "sh" | "bash" | "dash" | "ksh" | "zsh" | "ash" => Some(SHELL),
        "pwsh" | "powershell" => Some(POWER_SHELL),
        _ => None,
    }
}

/// The scripts that a file holds, which is no session.
pub(crate) fn read(file: &Path, kind: Kind) -> Result<Held> {
    let text = document::read_text(file)?.replace("\r\n", "\n");
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
    let nodes = || document::yaml::nodes::read(text).map_err(|why| Failed::at(file, text, why.at, why.what));
    let whole =
        |tool| Held { scripts: vec![Script { tool, ..Script::following(1, text.to_owned()) }], ..Held::default() };
    Ok(match kind {
        Kind::Shell => whole(SHELL),
        Kind::PowerShell => whole(POWER_SHELL),
        Kind::Makefile => makefile::read(text),
        Kind::Dockerfile => dockerfile::read(text),
        Kind::Github => pipeline::github(&nodes()?),
        Kind::Gitlab => pipeline::gitlab(&nodes()?),
        Kind::Npm => npm::read(file, text)?,
        Kind::Session => Held::default(),
    })
}
