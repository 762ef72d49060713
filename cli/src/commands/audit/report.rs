//! `hookweave audit report`: what hooks stopped, and what those that observe would have stopped.

use std::fmt::Write as _;
use std::path::PathBuf;

use anstyle::Style;
use clap::{Args, ValueEnum};
use hookweave_host::audit::{CountedCall, RefusalReport, Refusals, refusals};

use super::{is_log, is_there, report_untrusted, usize_of};
use crate::failed::{Result, Verdict};
use crate::html::{escaped, page};
use crate::screen::{BAD, BOLD, Cell, DIM, Room, Screen, Table, WARN, count, is_quiet, is_verbose, json, styled};

/// How many calls a summary names.
const MOST: usize = 5;

/// `hookweave audit report`
#[derive(Debug, Args)]
pub(super) struct Report {
    /// The log
    #[arg(value_name = "LOG")]
    log: PathBuf,

    /// How the report is printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,

    /// Print JSON for programs; the same as --format json
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Format {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
    /// One page that needs no network.
    Html,
}

impl Report {
    /// Runs the command.
    pub(super) fn run(&self, screen: Screen<'_>) -> Result<Verdict> {
        is_there(&self.log)?;
        let report = refusals(&self.log)?;
        if report.from.is_none() {
            is_log(&self.log)?;
        }
        match if self.json { Format::Json } else { self.format } {
            Format::Json => json(screen, &report)?,
            Format::Html => screen.write_all(html(&report).as_bytes())?,
            Format::Text => text(screen, &report)?,
        }
        let is_readable = report.unreadable_lines == 0;
        Ok(Verdict::of(report_untrusted(&self.log)? && is_readable))
    }
}

/// The kinds of refusals, each with its style and a sentence about its calls.
fn parts(report: &RefusalReport) -> Vec<(&Refusals, Style, String)> {
    let sentence = |refusals: &Refusals, were: &str, was: &str| {
        let calls = count(usize_of(refusals.calls), "call");
        // A call for which no hook ran has no record.
        let of = if report.calls == 0 { String::new() } else { format!(" of {} recorded", report.calls) };
        format!("{calls}{of} {}", if refusals.calls == 1 { was } else { were })
    };
    let mut parts = vec![(&report.would_block, WARN, "would have been stopped", "would have been stopped")];
    if report.would_ask.calls > 0 {
        parts.push((&report.would_ask, WARN, "would have been asked about", "would have been asked about"));
    }
    parts.push((&report.blocked, BAD, "were stopped", "was stopped"));
    parts.into_iter().map(|(refusals, style, were, was)| (refusals, style, sentence(refusals, were, was))).collect()
}

/// From when to when.
fn time(report: &RefusalReport) -> Option<String> {
    Some(format!("from {} to {}", report.from.as_ref()?, report.to.as_ref()?))
}

/// Of what the numbers are no share: a dispatch without hooks has no record.
fn unrecorded(report: &RefusalReport) -> Option<&'static str> {
    (report.calls > 0)
        .then_some("Calls that no hook was selected for are not recorded, so these numbers are no share of all calls.")
}

/// A remark about the numbers.
fn remarks(report: &RefusalReport) -> Vec<String> {
    time(report)
        .into_iter()
        .chain([unrecorded(report), without_inputs(report)].into_iter().flatten().map(str::to_owned))
        .collect()
}

/// Why a report names no commands.
fn without_inputs(report: &RefusalReport) -> Option<&'static str> {
    let is_empty = report.blocked.calls + report.would_block.calls + report.would_ask.calls == 0;
    (!report.has_inputs && !is_empty).then_some(
        "The log keeps digests of what was called. With --audit-inputs redacted (in code: inputs) the report names the commands.",
    )
}

/// Calls with how often, the most frequent first.
fn listed(what: &[CountedCall], most: usize) -> String {
    let mut parts: Vec<String> =
        what.iter().take(most).map(|call| format!("{} \u{d7}{}", call.what, call.calls)).collect();
    if what.len() > most {
        parts.push(format!("{} more", what.len() - most));
    }
    parts.join(", ")
}

fn text(screen: Screen<'_>, report: &RefusalReport) -> Result<()> {
    let most = if is_verbose() { usize::MAX } else { MOST };
    for (refusals, style, sentence) in parts(report) {
        let style = if refusals.calls == 0 { DIM } else { style };
        writeln!(screen, "{}", styled(style, &sentence))?;
        if refusals.calls == 0 {
            continue;
        }
        let mut table =
            Table::new(&[("hook", Room::Whole), ("calls", Room::Whole), ("what", Room::Wrap), ("why", Room::Wrap)]);
        for hook in &refusals.hooks {
            table.row([
                Cell::new(BOLD, hook.hook.as_deref().unwrap_or("(the client)")),
                Cell::from(hook.calls.to_string()),
                Cell::from(listed(&hook.what, most)),
                Cell::new(DIM, hook.reason.as_deref().unwrap_or_default()),
            ]);
        }
        table.write(screen, 2)?;
    }
    if !is_quiet() {
        for remark in remarks(report) {
            writeln!(screen, "{}", styled(DIM, &remark))?;
        }
    }
    Ok(())
}

fn html(report: &RefusalReport) -> String {
    let mut body = "<header>\n<h1>What hooks stopped</h1>\n".to_owned();
    for remark in &remarks(report) {
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(body, "<p>{}</p>", escaped(remark));
    }
    body.push_str("</header>\n<main>\n");
    for (refusals, _, sentence) in parts(report) {
        let _ = writeln!(body, "<section>\n<h2>{}</h2>", escaped(&sentence));
        if refusals.calls > 0 {
            body.push_str(
                "<table>\n<thead><tr><th>hook</th><th>calls</th><th>what</th><th>why</th></tr></thead>\n<tbody>\n",
            );
            for hook in &refusals.hooks {
                let name = escaped(hook.hook.as_deref().unwrap_or("(the client)"));
                let what: Vec<String> = hook
                    .what
                    .iter()
                    .map(|call| format!("<li><code>{}</code> \u{d7}{}</li>", escaped(&call.what), call.calls))
                    .collect();
                let reason = escaped(hook.reason.as_deref().unwrap_or_default());
                let (calls, what) = (hook.calls, what.join(""));
                let _ = writeln!(
                    body,
                    "<tr><th scope=\"row\">{name}</th><td>{calls}</td><td><ul>{what}</ul></td><td>{reason}</td></tr>"
                );
            }
            body.push_str("</tbody>\n</table>\n");
        }
        body.push_str("</section>\n");
    }
    body.push_str("</main>\n");
    page("What hooks stopped", &body)
}
