//! `hookweave trust`: which hooks from projects' files you have approved.

mod review;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use hookweave_host::config::Directories;
use hookweave_host::config::load::{LostApproval, UntrustedHook};
use hookweave_host::config::trust::{TrustStore, TrustedHook};
use hookweave_host::files::LoadReport;
use serde_json::json;

use crate::agent_shell;
use crate::change::{How, can_ask, confirmed};
use crate::delegates;
use crate::failed::{Failed, Result, Verdict};
use crate::policy::{Which, relative};
use crate::screen::{BAD, BOLD, Cell, DIM, GOOD, Room, Screen, Table, WARN, count, json, shown, styled};

/// From how many on the lost hooks of a file that is there have one text.
const MANY_LOST: usize = 4;

/// How much of a fingerprint names it.
const SHORTEST: usize = 6;

/// List, give and revoke approvals of hooks from projects' files
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Trust {
    #[command(subcommand)]
    action: Option<Action>,

    #[command(flatten)]
    listing: Listing,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show what is approved and what waits here; the same as `hookweave trust` alone
    List(Listing),
    /// Approve hooks of this project
    Approve(Approve),
    /// Revoke approvals
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
struct Approve {
    /// Fingerprints, or their first digits; by default everything that waits
    #[arg(value_name = "FINGERPRINT")]
    fingerprints: Vec<String>,

    /// Show all that changed since it was approved, and nothing of what did not
    #[arg(long)]
    diff: bool,

    #[command(flatten)]
    how: How,

    #[command(flatten)]
    which: Which,
}

#[derive(Debug, Args)]
struct Revoke {
    /// Fingerprints, or their first digits, or files: all approvals of a file, also if it is gone
    #[arg(value_name = "FINGERPRINT|FILE", required_unless_present_any = ["all", "project"])]
    fingerprints: Vec<String>,

    /// Revoke all approvals of all projects
    #[arg(long, conflicts_with = "fingerprints")]
    all: bool,

    /// Revoke all approvals of this project
    #[arg(long, conflicts_with_all = ["fingerprints", "all"])]
    project: bool,

    #[command(flatten)]
    how: How,

    #[command(flatten)]
    which: Which,
}

impl Trust {
    /// Runs the command.
    pub(crate) fn run(&self, screen: Screen<'_>) -> Result<Verdict> {
        match &self.action {
            None => self.listing.run(screen),
            Some(Action::List(listing)) => listing.run(screen),
            Some(Action::Approve(approve)) => {
                agent_shell::refuse("trust approve", approve.how)?;
                approve.run(screen)
            }
            Some(Action::Revoke(revoke)) => {
                agent_shell::refuse("trust revoke", revoke.how)?;
                revoke.run(screen)
            }
        }
    }
}

/// Where approvals are kept.
pub(crate) fn store(which: &Which) -> Result<TrustStore> {
    if let Some(file) = &which.trust_store {
        return Ok(TrustStore::at(file));
    }
    TrustStore::usual(&Directories::of_this_user()).ok_or_else(|| {
        Failed::new("you have no directory for configuration; set HOME, or name a file with --trust-store")
    })
}

/// Keeps approvals, and that they were given without a terminal if they were.
pub(crate) fn approve(store: &TrustStore, approvals: &[TrustedHook]) -> Result<()> {
    let keep = if can_ask() { TrustStore::approve } else { TrustStore::approve_without_terminal };
    Ok(keep(store, approvals)?)
}

/// The digits that name a fingerprint.
fn short(fingerprint: &str) -> &str {
    let digits = fingerprint.strip_prefix("sha256:").unwrap_or(fingerprint);
    digits.get(..12).unwrap_or(digits)
}

/// The one that a person means.
fn find<'a>(all: &[&'a TrustedHook], wanted: &str) -> Result<&'a TrustedHook> {
    let digits = wanted.strip_prefix("sha256:").unwrap_or(wanted);
    if digits.len() < SHORTEST {
        return Err(Failed::new(format!(
            "`{wanted}` is too short; give at least {SHORTEST} digits of the fingerprint"
        )));
    }
    let meant = |approval: &&&TrustedHook| approval.fingerprint.trim_start_matches("sha256:").starts_with(digits);
    let found: Vec<&&TrustedHook> = all.iter().filter(meant).collect();
    match found.as_slice() {
        [one] => Ok(one),
        [] => Err(Failed::new(format!("no hook has the fingerprint `{wanted}`; `hookweave trust list` shows them"))),
        _ => Err(Failed::new(format!("`{wanted}` begins several fingerprints; give more digits"))),
    }
}

/// Approvals by where their hooks stand, and whether they were given without a terminal.
fn table<'a>(approvals: impl Iterator<Item = &'a TrustedHook>, unasked: &BTreeSet<String>) -> Table {
    let mut approvals: Vec<&TrustedHook> = approvals.collect();
    approvals.sort_by(|one, other| (&one.file, &one.place).cmp(&(&other.file, &other.place)));
    let mut table = Table::new(&[
        ("fingerprint", Room::Whole),
        ("event", Room::Whole),
        ("runs", Room::CutEnd),
        ("file", Room::CutStart),
    ]);
    for approval in approvals {
        let event = if approval.event.is_empty() { "a switch" } else { &approval.event };
        let how = if unasked.contains(&approval.fingerprint) { ", approved without a terminal" } else { "" };
        table.row([
            Cell::new(BOLD, short(&approval.fingerprint)),
            Cell::from(event),
            Cell::from(&approval.runs),
            Cell::new(
                DIM,
                format!("{} ({}{how})", relative(Path::new(&approval.file), Path::new(".")), approval.place),
            ),
        ]);
    }
    table
}

impl Listing {
    fn run(&self, screen: Screen<'_>) -> Result<Verdict> {
        let store = store(&self.which)?;
        let (approved, unasked) = (store.approved()?, store.given_without_terminal()?);
        let LoadReport { untrusted: waiting, lost, .. } = delegates::load(&self.which.to_look_at())?.0.report;
        if self.json {
            let approved: Vec<&TrustedHook> = approved.values().collect();
            let whole = json!({
                "store": store.path(), "approved": approved, "without_terminal": unasked, "waiting": waiting,
            });
            json(screen, &whole)?;
            return Ok(Verdict::Fine);
        }
        if approved.is_empty() {
            writeln!(screen, "Nothing is approved yet.")?;
        } else {
            writeln!(screen, "{}", styled(GOOD, "Approved"))?;
            table(approved.values(), &unasked).write(screen, 2)?;
        }
        if !waiting.is_empty() {
            writeln!(screen, "\n{}", styled(WARN, "Waiting for your approval here"))?;
            table(waiting.iter().map(|waiting| &waiting.approval), &BTreeSet::new()).write(screen, 2)?;
            for hook in waiting.iter().filter(|hook| hook.unsure.is_some()) {
                let which = short(&hook.approval.fingerprint);
                writeln!(screen, "  {which}: {}", styled(DIM, &shown(&hook.why)))?;
            }
            writeln!(screen, "  Review them, then run {}", styled(BOLD, "hookweave trust approve"))?;
        }
        gone(screen, &lost.iter().filter(|lost| lost.is_gone).collect::<Vec<_>>())?;
        Ok(Verdict::Fine)
    }
}

impl Approve {
    fn run(&self, screen: Screen<'_>) -> Result<Verdict> {
        let store = store(&self.which)?;
        let LoadReport { untrusted: waiting, lost, .. } = delegates::load(&self.which.to_look_at())?.0.report;
        let (taken_out, missing): (Vec<&LostApproval>, Vec<&LostApproval>) =
            lost.iter().filter(|lost| lost.is_gone).partition(|lost| lost.is_taken_out);
        let (able, unable): (Vec<&UntrustedHook>, Vec<&UntrustedHook>) =
            waiting.iter().partition(|waiting| !waiting.approval.fingerprint.is_empty());
        for hook in &unable {
            writeln!(
                screen,
                "{} {}: {}",
                styled(WARN, "cannot be approved:"),
                shown(&hook.approval.runs),
                shown(&hook.why)
            )?;
        }
        let of_taken_out = taken_out.iter().map(|lost| &lost.approval);
        let all: Vec<&TrustedHook> = able.iter().map(|hook| &hook.approval).chain(of_taken_out).collect();
        let chosen: Vec<&TrustedHook> = if self.fingerprints.is_empty() {
            all
        } else {
            self.fingerprints.iter().map(|wanted| find(&all, wanted)).collect::<Result<_>>()?
        };
        gone(screen, &missing)?;
        if chosen.is_empty() {
            writeln!(screen, "Nothing waits for your approval here.")?;
            return Ok(Verdict::of(unable.is_empty() && missing.is_empty()));
        }
        let approved = store.approved()?;
        for hook in able.iter().filter(|hook| chosen.contains(&&hook.approval)) {
            show(screen, hook)?;
            let earlier = hook.approval.replaces.iter().find_map(|replaced| approved.get(replaced));
            review::show(screen, &store.parts(&hook.approval, earlier), self.diff)?;
            writeln!(screen, "  {}", styled(DIM, &hook.why))?;
        }
        let dropped: Vec<&TrustedHook> =
            taken_out.iter().map(|lost| &lost.approval).filter(|approval| chosen.contains(approval)).collect();
        dropped.iter().try_for_each(|approval| show_taken_out(screen, approval))?;
        if !agreed(screen, self.how)? {
            return Ok(Verdict::Fine);
        }
        let chosen: Vec<TrustedHook> = chosen.into_iter().filter(|one| !dropped.contains(one)).cloned().collect();
        if !chosen.is_empty() {
            approve(&store, &chosen)?;
            writeln!(screen, "{}", styled(GOOD, &format!("{} approved.", count(chosen.len(), "hook"))))?;
        }
        if !dropped.is_empty() {
            let fingerprints: Vec<&str> = dropped.iter().map(|approval| approval.fingerprint.as_str()).collect();
            let taken = store.revoke(&fingerprints)?;
            writeln!(screen, "{} of what is no longer there revoked.", count(taken, "approval"))?;
        }
        Ok(Verdict::of(missing.is_empty()))
    }
}

/// Shows an approved hook that its file has no more, which an approval of the file as it is accepts.
fn show_taken_out(screen: Screen<'_>, approval: &TrustedHook) -> Result<()> {
    let event = if approval.event.is_empty() { "a switch" } else { &approval.event };
    let what = styled(BAD, "no longer there:");
    let which = styled(BOLD, short(&approval.fingerprint));
    writeln!(screen, "{which} {what} {} {}", shown(event), styled(DIM, &approval.dialect))?;
    writeln!(screen, "  ran     {}", shown(&approval.runs))?;
    writeln!(screen, "  file    {} ({})", shown(&approval.file), shown(&approval.place))?;
    let what = "it was approved and guards nothing any more once you accept that";
    Ok(writeln!(screen, "  {}", styled(DIM, what))?)
}

/// What became of approved hooks that are lost; those of one file with one cause have one text.
pub(crate) fn lost_texts(lost: &[&LostApproval]) -> Vec<String> {
    let (mut told, mut texts) = (BTreeSet::new(), Vec::new());
    for one in lost {
        let file = &one.approval.file;
        let cause = (file, one.is_gone, one.is_taken_out);
        let of_cause = |other: &&&LostApproval| (&other.approval.file, other.is_gone, other.is_taken_out) == cause;
        let number = lost.iter().filter(of_cause).count();
        let is_there = Path::new(file).exists();
        if number < if is_there { MANY_LOST } else { 2 } {
            texts.push(one.why.clone());
        } else if told.insert(cause) {
            let out = format!("or run `hookweave trust revoke {file}` if it is to go");
            let approvals = count(number, "approval");
            texts.push(match (one.is_gone, one.is_taken_out, is_there) {
                (true, _, false) => format!("{file} is gone, which {approvals} are for; put it back, {out}"),
                (true, false, true) => {
                    format!(
                        "{file}: {approvals} are for what cannot be read now; fix the file (`hookweave lint`), {out}"
                    )
                }
                _ => {
                    // Those of one policy have one place.
                    let first = lost.iter().filter(of_cause).min_by_key(|other| &other.approval.runs);
                    let others = count(number - 1, "other hook");
                    format!("{} (as with {others} of the file)", first.map_or("", |first| &first.why))
                }
            });
        }
    }
    texts
}

/// Shows the approvals of hooks that are gone: no approval of what is there opens the gates that they guarded.
fn gone(screen: Screen<'_>, lost: &[&LostApproval]) -> Result<()> {
    for text in lost_texts(lost) {
        writeln!(screen, "{} {}", styled(BAD, "lost:"), shown(&text))?;
    }
    Ok(())
}

/// Shows what an approval would be for.
fn show(screen: Screen<'_>, hook: &UntrustedHook) -> Result<()> {
    let approval = &hook.approval;
    let event = if approval.event.is_empty() { "a switch" } else { &approval.event };
    writeln!(
        screen,
        "{} {} {}",
        styled(BOLD, short(&approval.fingerprint)),
        shown(event),
        styled(DIM, &approval.dialect)
    )?;
    writeln!(screen, "  runs    {}", shown(&approval.runs))?;
    let line = hook.line.map(|line| format!(":{line}")).unwrap_or_default();
    Ok(writeln!(screen, "  file    {}{line} ({})", shown(&approval.file), shown(&approval.place))?)
}

/// Whether to proceed.
fn agreed(screen: Screen<'_>, how: How) -> Result<bool> {
    screen.flush()?;
    let agreed = !how.dry_run && (how.yes || confirmed()?);
    if !agreed {
        writeln!(screen, "{}", styled(DIM, "Nothing was changed."))?;
    }
    Ok(agreed)
}

/// The directory that is meant, by its real name.
fn project_here(which: &Which) -> Result<PathBuf> {
    let directory = which.directory();
    std::fs::canonicalize(&directory).map_err(|error| Failed::file(&directory, error))
}

impl Revoke {
    /// The approvals that a word means: one by its fingerprint, or those of a file.
    fn meant<'a>(&self, all: &[&'a TrustedHook], wanted: &str) -> Result<Vec<&'a TrustedHook>> {
        if !wanted.contains(['/', '\\', '.']) {
            return find(all, wanted).map(|one| vec![one]);
        }
        let file = project_here(&self.which)?.join(wanted);
        // By its folder's real name, since the file itself may be gone.
        let folder = file.parent().and_then(|folder| std::fs::canonicalize(folder).ok());
        let real = folder.zip(file.file_name()).map_or_else(|| file.clone(), |(folder, name)| folder.join(name));
        let is_meant = |approval: &&&TrustedHook| [&file, &real].iter().any(|file| Path::new(&approval.file) == **file);
        let found: Vec<&TrustedHook> = all.iter().filter(is_meant).copied().collect();
        if found.is_empty() {
            return Err(Failed::new(format!(
                "nothing of `{wanted}` is approved; `hookweave trust list` shows what is"
            )));
        }
        Ok(found)
    }

    fn run(&self, screen: Screen<'_>) -> Result<Verdict> {
        let store = store(&self.which)?;
        let approved = store.approved()?;
        let all: Vec<&TrustedHook> = approved.values().collect();
        let chosen: Vec<&TrustedHook> = if self.all {
            all
        } else if self.project {
            let project = project_here(&self.which)?;
            all.into_iter().filter(|approval| project.starts_with(&approval.project)).collect()
        } else {
            let meant = self.fingerprints.iter().map(|wanted| self.meant(&all, wanted)).collect::<Result<Vec<_>>>()?;
            meant.into_iter().flatten().collect()
        };
        if chosen.is_empty() {
            writeln!(screen, "Nothing is approved.")?;
            return Ok(Verdict::Fine);
        }
        table(chosen.iter().copied(), &store.given_without_terminal()?).write(screen, 0)?;
        if agreed(screen, self.how)? {
            let fingerprints: Vec<&str> = chosen.iter().map(|approval| approval.fingerprint.as_str()).collect();
            let taken = store.revoke(&fingerprints)?;
            writeln!(screen, "{} revoked.", count(taken, "approval"))?;
        }
        Ok(Verdict::Fine)
    }
}
