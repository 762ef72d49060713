//! Changes to a user's files: shown first, confirmed, and written as a whole or not at all.

use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use similar::{ChangeTag, TextDiff};

use crate::failed::{Failed, Result};
use crate::policy::relative;
use crate::screen::{BAD, BOLD, DIM, GOOD, Screen, count, is_verbose, shown, shown_lines, styled};

/// How long the shortest difference of two texts is looked for; a longer one is shown then.
const MAX_COMPARING: Duration = Duration::from_secs(2);

/// How a change is made.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct How {
    /// Show what would change and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Write without asking
    #[arg(short, long, conflicts_with = "dry_run")]
    pub(crate) yes: bool,
}

/// A file as it is and as it is to be.
#[derive(Debug)]
pub(crate) struct Change {
    /// The file.
    pub(crate) file: PathBuf,
    /// What is there; `None` when nothing is.
    pub(crate) before: Option<String>,
    /// What is to be there; `None` to take the file away.
    pub(crate) after: Option<String>,
    /// Whether it is a program.
    pub(crate) executable: bool,
    /// Whether the text is this command's own: a line says that it is new.
    pub(crate) is_ours: bool,
}

impl Change {
    /// Whether nothing would change.
    pub(crate) fn is_empty(&self) -> bool {
        self.before == self.after
    }

    fn show(&self, screen: Screen<'_>, brief: bool) -> Result<()> {
        let file = shown(&relative(&self.file, Path::new(".")));
        let word = match (&self.before, &self.after) {
            (None, _) => "new file",
            (_, None) => "taken away",
            _ => "changed",
        };
        if brief && self.is_ours && self.before.is_none() {
            let lines = count(self.after.as_deref().unwrap_or_default().lines().count(), "line");
            return Ok(writeln!(screen, "{} {}", styled(BOLD, &file), styled(DIM, &format!("({word}, {lines})")))?);
        }
        writeln!(screen, "{} {}", styled(BOLD, &file), styled(DIM, &format!("({word})")))?;
        let (before, after) = (self.before.as_deref().unwrap_or_default(), self.after.as_deref().unwrap_or_default());
        difference(before, after).iter().try_for_each(|line| Ok(writeln!(screen, "{line}")?))
    }

    fn write(&self) -> Result<()> {
        let refuse = |error: std::io::Error| Failed::file(&self.file, format!("cannot be written: {error}"));
        let folder = self.file.parent().unwrap_or_else(|| Path::new("."));
        if self.after.is_some() {
            std::fs::create_dir_all(folder).map_err(refuse)?;
        }
        // Until it is dropped no other command compares or writes here.
        let _alone = alone(folder).map_err(refuse)?;
        if read(&self.file)? != self.before {
            return Err(Failed::file(&self.file, "has changed meanwhile; nothing was written, run the command again"));
        }
        let Some(after) = &self.after else { return std::fs::remove_file(&self.file).map_err(refuse) };
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(refuse)?;
        file.write_all(after.as_bytes()).map_err(refuse)?;
        self.keep_mode(file.as_file()).map_err(refuse)?;
        file.as_file().sync_all().map_err(refuse)?;
        file.persist(&self.file).map(drop).map_err(|error| refuse(error.error))
    }

    /// A file that takes another one's place has its permissions; a new one those that are usual.
    #[cfg(unix)]
    fn keep_mode(&self, file: &std::fs::File) -> std::io::Result<()> {
        use std::os::unix::fs::PermissionsExt as _;
        let usual = if self.executable { 0o755 } else { 0o644 };
        let mode = std::fs::metadata(&self.file).map_or(usual, |meta| meta.permissions().mode() & 0o777);
        file.set_permissions(std::fs::Permissions::from_mode(mode))
    }

    #[cfg(not(unix))]
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "the same shape as on Unix")]
    fn keep_mode(&self, _file: &std::fs::File) -> std::io::Result<()> {
        Ok(())
    }
}

/// The lines that differ between two texts, with some around them, ready for the screen.
pub(crate) fn difference(before: &str, after: &str) -> Vec<String> {
    let diff = TextDiff::configure().timeout(MAX_COMPARING).diff_lines(before, after);
    let mut lines = Vec::new();
    for (at, group) in diff.grouped_ops(3).iter().enumerate() {
        if at > 0 {
            lines.push(styled(DIM, "  …"));
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let line = shown_lines(change.value().trim_end_matches(['\n', '\r']));
            lines.push(match change.tag() {
                ChangeTag::Delete => format!("{BAD}- {line}{BAD:#}"),
                ChangeTag::Insert => format!("{GOOD}+ {line}{GOOD:#}"),
                ChangeTag::Equal => format!("  {line}"),
            });
        }
    }
    lines
}

/// Waits until no other process changes files of a folder by this command. The folder itself is locked, so that nothing
/// is left behind.
#[cfg(unix)]
fn alone(folder: &Path) -> std::io::Result<std::fs::File> {
    let folder = std::fs::File::open(folder)?;
    rustix::fs::flock(&folder, rustix::fs::FlockOperation::LockExclusive)?;
    Ok(folder)
}

/// Folders have no locks here: the comparison alone notices another process.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "the same shape as on Unix")]
const fn alone(_folder: &Path) -> std::io::Result<()> {
    Ok(())
}

/// A file's content; `None` if there is no file.
pub(crate) fn read(file: &Path) -> Result<Option<String>> {
    match std::fs::symlink_metadata(file) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failed::unreadable(file, &error)),
        Ok(_) => crate::document::read_text(file).map(Some),
    }
}

/// The real place of a file. A link that leads out of the file's directory is refused: it would redirect the write to
/// another file.
pub(crate) fn real_place(file: &Path, within: &Path) -> Result<PathBuf> {
    let within = std::fs::canonicalize(within).map_err(|error| Failed::file(within, error))?;
    let mut there = file.to_path_buf();
    let mut rest = Vec::new();
    // The nearest part that is there, and what is to be made below it.
    while std::fs::symlink_metadata(&there).is_err() {
        let (Some(name), Some(parent)) = (there.file_name(), there.parent()) else { break };
        rest.push(name.to_os_string());
        there = if parent.as_os_str().is_empty() { PathBuf::from(".") } else { parent.to_path_buf() };
    }
    let real = std::fs::canonicalize(&there)
        .map_err(|error| Failed::file(&there, format!("leads nowhere: {error}; take the link away")))?;
    if !real.starts_with(&within) {
        let why = format!("leads out of {} to {}; change that file by hand", within.display(), real.display());
        return Err(Failed::file(file, why));
    }
    Ok(rest.iter().rev().fold(real, |path, name| path.join(name)))
}

/// Shows changes and makes them, without a question, unless it is a dry run.
pub(crate) fn show_or_write(screen: Screen<'_>, changes: &[Change], dry_run: bool) -> Result<()> {
    changes.iter().try_for_each(|change| change.show(screen, false))?;
    if dry_run { Ok(()) } else { changes.iter().try_for_each(Change::write) }
}

/// Shows changes and makes them if they are confirmed; returns whether they were made.
pub(crate) fn make(screen: Screen<'_>, changes: &[Change], how: How) -> Result<bool> {
    let changes: Vec<&Change> = changes.iter().filter(|change| !change.is_empty()).collect();
    if changes.is_empty() {
        writeln!(screen, "Nothing to change.")?;
        return Ok(false);
    }
    for change in &changes {
        change.show(screen, !how.dry_run && !is_verbose())?;
    }
    if how.dry_run {
        writeln!(screen, "{}", styled(DIM, "Nothing was written (--dry-run)."))?;
        return Ok(false);
    }
    if !how.yes {
        // Changes must be readable before they can be confirmed.
        screen.flush()?;
        if !confirmed()? {
            writeln!(screen, "Nothing was written.")?;
            return Ok(false);
        }
    }
    for change in &changes {
        change.write()?;
    }
    writeln!(screen, "{}", styled(GOOD, "Written."))?;
    Ok(true)
}

/// Whether there is a terminal to ask on.
pub(crate) fn can_ask() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks at the terminal; without one nothing is confirmed.
pub(crate) fn confirmed() -> Result<bool> {
    is_answered_yes("Go ahead?")
}

/// Asks a question at the terminal.
pub(crate) fn is_answered_yes(question: &str) -> Result<bool> {
    if !can_ask() {
        return Err(Failed::new(
            "there is no terminal to confirm on; run it with --yes, or with --dry-run to look only",
        ));
    }
    let mut err = std::io::stderr().lock();
    write!(err, "{} [y/N] ", shown(question))?;
    err.flush()?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
