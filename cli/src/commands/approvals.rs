//! `hookweave approvals`: what you have allowed always, in sessions that keep it.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use hookweave_host::approvals::{KeptApproval, KeptApprovals};
use serde_json::json;

use crate::agent_shell;
use crate::change::{How, confirmed};
use crate::failed::{Failed, Result, Verdict};
use crate::screen::{BOLD, Cell, DIM, Room, Screen, Table, count, json, styled};

/// How much of a fingerprint names it.
const SHORTEST: usize = 6;

/// A day in milliseconds.
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// List and revoke what you have allowed always
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Approvals {
    #[command(subcommand)]
    action: Option<Action>,

    #[command(flatten)]
    listing: Listing,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show what is allowed; the same as `hookweave approvals` alone
    List(Listing),
    /// Ask again about it
    Revoke(Revoke),
}

#[derive(Debug, Args)]
struct Listing {
    /// Print JSON for programs
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    which: Which,
}

#[derive(Debug, Args)]
struct Which {
    /// The file of kept approvals; by default yours
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct Revoke {
    /// Fingerprints, or their first digits
    #[arg(value_name = "FINGERPRINT", required_unless_present = "all")]
    fingerprints: Vec<String>,

    /// Revoke all
    #[arg(long, conflicts_with = "fingerprints")]
    all: bool,

    #[command(flatten)]
    how: How,

    #[command(flatten)]
    which: Which,
}

impl Approvals {
    /// Runs the command.
    pub(crate) fn run(&self, screen: Screen<'_>) -> Result<Verdict> {
        match &self.action {
            None => self.listing.run(screen),
            Some(Action::List(listing)) => listing.run(screen),
            Some(Action::Revoke(revoke)) => {
                agent_shell::refuse("approvals revoke", revoke.how)?;
                revoke.run(screen)
            }
        }
    }
}

impl Which {
    fn kept(&self) -> Result<KeptApprovals> {
        match &self.file {
            Some(file) => Ok(KeptApprovals::at(file)),
            None => Ok(KeptApprovals::of_this_user()?),
        }
    }
}

fn digits(fingerprint: &str) -> &str {
    fingerprint.strip_prefix("sha256:").unwrap_or(fingerprint)
}

/// The one that a person means.
fn find<'a>(all: &'a [KeptApproval], wanted: &str) -> Result<&'a KeptApproval> {
    let begin = digits(wanted);
    if begin.len() < SHORTEST {
        return Err(Failed::new(format!(
            "`{wanted}` is too short; give at least {SHORTEST} digits of the fingerprint"
        )));
    }
    let found: Vec<_> = all.iter().filter(|approval| digits(&approval.fingerprint).starts_with(begin)).collect();
    match found.as_slice() {
        [one] => Ok(one),
        [] => Err(Failed::new(format!("no approval has the fingerprint `{wanted}`; `hookweave approvals` shows them"))),
        _ => Err(Failed::new(format!("`{wanted}` begins several fingerprints; give more digits"))),
    }
}

fn table<'a>(approvals: impl IntoIterator<Item = &'a KeptApproval>) -> Table {
    let now = hookweave_host::clock::now_ms();
    let mut table = Table::new(&[
        ("fingerprint", Room::Whole),
        ("tool", Room::Whole),
        ("what", Room::CutEnd),
        ("asked by", Room::CutEnd),
        ("directory", Room::CutStart),
        ("days left", Room::Whole),
    ]);
    for approval in approvals {
        let what = approval.shown.as_deref().or(approval.prompt.as_deref()).unwrap_or("every question about it");
        table.row([
            Cell::new(BOLD, digits(&approval.fingerprint).get(..12).unwrap_or_default()),
            Cell::from(approval.tool.as_deref().unwrap_or("any")),
            Cell::from(what),
            Cell::from(approval.hook.as_deref().unwrap_or("the host")),
            Cell::new(DIM, &approval.directory),
            Cell::from(approval.expires_at.saturating_sub(now).div_ceil(DAY_MS).to_string()),
        ]);
    }
    table
}

impl Listing {
    fn run(&self, screen: Screen<'_>) -> Result<Verdict> {
        let kept = self.which.kept()?;
        let approvals = kept.list()?;
        if self.json {
            json(screen, &json!({"file": kept.path(), "approvals": approvals}))?;
        } else if approvals.is_empty() {
            writeln!(screen, "Nothing is allowed always.")?;
        } else {
            table(&approvals).write(screen, 0)?;
        }
        Ok(Verdict::Fine)
    }
}

impl Revoke {
    fn run(&self, screen: Screen<'_>) -> Result<Verdict> {
        let kept = self.which.kept()?;
        let all = kept.list()?;
        let chosen: Vec<&KeptApproval> = if self.all {
            all.iter().collect()
        } else {
            self.fingerprints.iter().map(|wanted| find(&all, wanted)).collect::<Result<_>>()?
        };
        if chosen.is_empty() {
            writeln!(screen, "Nothing is allowed always.")?;
            return Ok(Verdict::Fine);
        }
        table(chosen.iter().copied()).write(screen, 0)?;
        screen.flush()?;
        if self.how.dry_run || !(self.how.yes || confirmed()?) {
            writeln!(screen, "{}", styled(DIM, "Nothing was changed."))?;
            return Ok(Verdict::Fine);
        }
        let fingerprints: Vec<&str> = chosen.iter().map(|approval| approval.fingerprint.as_str()).collect();
        let taken = kept.revoke(&fingerprints)?;
        writeln!(screen, "{} revoked.", count(taken, "approval"))?;
        Ok(Verdict::Fine)
    }
}
