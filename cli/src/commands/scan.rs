//! `hookweave scan`: what a policy says of the commands in files and in recorded sessions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde::Serialize;
use serde_json::{Value, json};

use super::init::usual_policies;
use crate::delegates;
use crate::failed::{Failed, Result, Verdict as Exit};
use crate::policy::{Policy, TrustChoice, Which, relative};
use crate::progress::Progress;
use crate::sarif;
use crate::scan::{self, Found, Hit, Judge, Kind, Verdict};
use crate::screen::{BAD, BOLD, DIM, GOOD, Screen, WARN, clipped, count, is_quiet, json, shown, styled};
use crate::snippet;

/// The page of the rules of policies.
const PAGE: &str = "https://github.com/hookweave/hookweave/blob/main/docs/policies.md";

/// How many lines of one file are named that cannot be read.
const MOST_UNREAD: usize = 10;

/// Judge the commands of files and of recorded sessions by a policy
#[derive(Debug, Args)]
#[command(after_help = "\
Nothing is run. Read are scripts of a shell, Makefiles, Dockerfiles, workflows of GitHub, pipelines of GitLab, package.json,
and sessions of Claude Code, Codex and `hookweave record` (.jsonl). Examples:
  hookweave scan deploy.sh Makefile .github/workflows
  hookweave scan --policy git --policy secrets:strict ~/.claude/projects

The policy is that of --policy, else that of the hooks here, else that of `hookweave init`. Hooks that run programs are not
asked; hooks that wait for an approval count.

Exits with 1 where something would be blocked (--fail-on), with 2 where something cannot be read.")]
pub(crate) struct Scan {
    /// Files, and folders in which files of these kinds are looked for; by default the current one
    #[arg(value_name = "FILE")]
    paths: Vec<PathBuf>,

    /// Judge by this policy that comes with hookweave, such as `git` or `secrets:strict`; may be repeated
    #[arg(short, long = "policy", value_name = "NAME", conflicts_with_all = ["files", "sources"])]
    policies: Vec<String>,

    /// The kind of the files, if it is not known by their names
    #[arg(long = "as", value_enum, value_name = "KIND")]
    kind: Option<Kind>,

    /// From which verdict on the exit code is 1
    #[arg(long, value_enum, default_value_t)]
    fail_on: FailOn,

    /// How findings are printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,

    /// Print JSON for programs; the same as --format json
    #[arg(long)]
    json: bool,

    /// Directory whose hooks are used, and in which the commands of files run; by default the current one
    #[arg(short = 'C', long = "cwd", value_name = "DIR", help_heading = "Which hooks")]
    cwd: Option<PathBuf>,

    /// Use only this hooks file; may be repeated
    #[arg(short = 'f', long = "file", value_name = "FILE", help_heading = "Which hooks")]
    files: Vec<PathBuf>,

    /// Only hooks of this dialect or scope; may be repeated
    #[arg(long = "source", value_name = "NAME", conflicts_with = "files", help_heading = "Which hooks")]
    sources: Vec<String>,
}

/// From which verdict on a scan fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum FailOn {
    /// Where a person would be asked.
    Ask,
    /// Where a command would be refused.
    #[default]
    Block,
    /// Never.
    Never,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Format {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
}

/// A command and one of the rules that it meets.
#[derive(Debug, Serialize)]
struct Finding {
    file: PathBuf,
    line: usize,
    tool: String,
    command: String,
    #[serde(flatten)]
    hit: Hit,
}

/// What is not judged.
#[derive(Debug, Serialize)]
struct Unread {
    file: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    why: String,
}

/// What came of a scan.
#[derive(Debug, Default)]
struct Report {
    files: usize,
    commands: usize,
    blocked: usize,
    asked: usize,
    findings: Vec<Finding>,
    unread: Vec<Unread>,
}

impl Report {
    fn add(&mut self, file: &Path, found: Found) {
        let Found { line, tool, command, hits } = found;
        match hits.first().map(|hit| hit.verdict) {
            Some(Verdict::Blocked) => self.blocked += 1,
            Some(Verdict::Asks) => self.asked += 1,
            None => {}
        }
        let (file, command) = (file.to_path_buf(), clipped(&command).into_owned());
        let finding = |hit| Finding { file: file.clone(), line, tool: tool.clone(), command: command.clone(), hit };
        self.findings.extend(hits.into_iter().map(finding));
    }

    fn unread(&mut self, file: &Path, line: Option<usize>, why: impl Into<String>) {
        self.unread.push(Unread { file: file.to_path_buf(), line, why: why.into() });
    }

    /// A file, and what is wrong with it; messages of files begin with their names.
    fn unread_file(&mut self, file: &Path, why: &Failed) {
        if let Failed::Place(place) = why {
            return self.unread(file, Some(place.line), place.what.as_str());
        }
        let text = why.to_string();
        let alone = text.strip_prefix(&format!("{}: ", file.display())).unwrap_or(&text);
        self.unread(file, None, alone);
    }

    /// The lines of a file that are not understood, as many as a person reads.
    fn unread_lines(&mut self, file: &Path, mut lines: Vec<(usize, String)>) {
        let more = lines.len().saturating_sub(MOST_UNREAD);
        lines.truncate(MOST_UNREAD);
        for (line, why) in lines {
            self.unread(file, Some(line), why);
        }
        if more > 0 {
            self.unread(file, None, format!("{} more cannot be read", count(more, "line")));
        }
    }
}

/// By what commands are judged: by the hooks that were chosen, or by policies by their names.
#[derive(Debug)]
enum Basis {
    Hooks(Which),
    Policies(Vec<String>),
}

impl Basis {
    /// The judge of commands that run in a project.
    fn judge(&self, project: &Path, below: &Path) -> Result<Judge> {
        let policy = match self {
            Self::Hooks(which) => delegates::load_for(which, project)?.0,
            Self::Policies(names) => Policy::of_names(names, project)?,
        };
        Ok(Judge::new(policy, below))
    }
}

/// The judge of the project of a session, made once for those that follow each other.
struct Judges<'b> {
    basis: &'b Basis,
    below: PathBuf,
    last: (PathBuf, Judge),
}

impl Judges<'_> {
    fn of(&mut self, project: &Path) -> Result<&Judge> {
        if self.last.0 != project {
            self.last = (project.to_path_buf(), self.basis.judge(project, &self.below)?);
        }
        Ok(&self.last.1)
    }
}

impl Scan {
    /// Runs the command.
    pub(crate) fn run(&self, screen: Screen<'_>) -> Result<Exit> {
        let format = if self.json { Format::Json } else { self.format };
        let below = self.cwd.clone().unwrap_or_else(|| PathBuf::from("."));
        let project = std::path::absolute(&below).map_err(|error| Failed::file(&below, error))?;
        let (basis, judge) = self.basis(&project, &below)?;
        let rules: Vec<Hit> = judge.rules().into_iter().cloned().collect();
        let not_asked = judge.not_asked.clone();
        let mut report = Report::default();
        let files = self.to_read(&mut report)?;
        let mut judges = Judges { basis: &basis, below, last: (project.clone(), judge) };
        let mut progress = Progress::new("scanning", format != Format::Text);
        for (done, (file, kind)) in files.iter().enumerate() {
            progress.count(done, files.len());
            let read = match kind {
                Kind::Session => sessions(&mut judges, &project, file, &mut report),
                kind => scripts(judges.of(&project)?, file, *kind, &mut report),
            };
            match read {
                Ok(()) => report.files += 1,
                Err(why) => report.unread_file(file, &why),
            }
        }
        drop(progress);
        match format {
            Format::Json => {
                let policies = if let Basis::Policies(names) = &basis { names.as_slice() } else { &[] };
                let Report { files, commands, blocked, asked, findings, unread } = &report;
                json(
                    screen,
                    &json!({
                        "policies": policies, "not_asked": not_asked, "findings": findings, "unread": unread,
                        "files": files, "commands": commands, "blocked": blocked, "asked": asked,
                    }),
                )?;
            }
            Format::Sarif => json(screen, &sarif_log(&rules, &report.findings))?,
            Format::Text => text(screen, &report, &basis, &not_asked)?,
        }
        let mut err = anstream::stderr().lock();
        for Unread { file, line, why } in &report.unread {
            let line = line.map(|line| format!(":{line}")).unwrap_or_default();
            snippet::failed(&mut err, &Failed::new(format!("{}{line}: {why}", relative(file, Path::new(".")))))?;
        }
        if !report.unread.is_empty() {
            return Err(Failed::new(format!("{} not judged", count(report.unread.len(), "place"))));
        }
        let fails = match self.fail_on {
            FailOn::Ask => report.blocked + report.asked > 0,
            FailOn::Block => report.blocked > 0,
            FailOn::Never => false,
        };
        Ok(Exit::of(!fails))
    }

    /// By what is judged, and the judge of the project.
    fn basis(&self, project: &Path, below: &Path) -> Result<(Basis, Judge)> {
        let judged = |basis: Basis| basis.judge(project, below).map(|judge| (basis, judge));
        if !self.policies.is_empty() {
            return judged(Basis::Policies(self.policies.clone()));
        }
        let which = Which {
            cwd: self.cwd.clone(),
            files: self.files.clone(),
            sources: self.sources.clone(),
            // None of them runs: what waits for an approval judges all the same.
            trust: TrustChoice::All,
            ..Which::default()
        };
        let (basis, judge) = judged(Basis::Hooks(which))?;
        if judge.has_own_rules() {
            return Ok((basis, judge));
        }
        if let Some(file) = self.files.first() {
            let fix = "write `block` or `ask` in place of a command, or name a policy with --policy";
            return Err(Failed::file(file, format!("has no hook that decides about a call by itself; {fix}")));
        }
        let (basis, mut usual) = judged(Basis::Policies(usual_policies()))?;
        usual.not_asked = judge.not_asked;
        Ok((basis, usual))
    }

    /// The files that are meant.
    fn to_read(&self, report: &mut Report) -> Result<Vec<(PathBuf, Kind)>> {
        let here = [PathBuf::from(".")];
        let paths = if self.paths.is_empty() { here.as_slice() } else { &self.paths };
        let mut files = Vec::new();
        for path in paths {
            if path.is_dir() {
                let below = scan::below(path);
                files.extend(below.files);
                for why in below.unread {
                    report.unread(path, None, why.to_string());
                }
            } else if let Some(kind) = self.kind.or_else(|| scan::kind_of(path)) {
                files.push((path.clone(), kind));
            } else if path.exists() {
                report.unread(path, None, "is of no kind that is read here; name its kind with --as");
            } else {
                report.unread(path, None, "is not there; name a file or a folder that exists");
            }
        }
        if files.is_empty() && report.unread.is_empty() {
            let kinds = "scripts of a shell, Makefiles, Dockerfiles, pipelines, package.json and sessions are read";
            return Err(Failed::new(format!("no file here holds commands; {kinds}")));
        }
        Ok(files)
    }
}

/// Judges the scripts of a file.
fn scripts(judge: &Judge, file: &Path, kind: Kind, report: &mut Report) -> Result<()> {
    let held = scan::read(file, kind)?;
    for script in &held.scripts {
        let (commands, found) = judge.script(script)?;
        report.commands += commands;
        for one in found {
            report.add(file, one);
        }
    }
    report.unread_lines(file, held.unread);
    Ok(())
}

/// Judges the calls of a session, in the project in which the agent was started.
fn sessions(judges: &mut Judges<'_>, here: &Path, file: &Path, report: &mut Report) -> Result<()> {
    let scan::Session { project, calls, mut unread, is_known } = scan::read_session(file)?;
    if !is_known {
        return Err(Failed::new("is no session of Claude Code, Codex or `hookweave record`"));
    }
    let judge = judges.of(project.as_deref().unwrap_or(here))?;
    for call in calls {
        report.commands += 1;
        match judge.call(call.line, &call.payload) {
            Ok(found) => found.into_iter().for_each(|found| report.add(file, found)),
            Err(why) => unread.push((call.line, why.to_string())),
        }
    }
    report.unread_lines(file, unread);
    Ok(())
}

fn sarif_log(rules: &[Hit], findings: &[Finding]) -> Value {
    let level = |verdict: Verdict| if verdict == Verdict::Blocked { "error" } else { "warning" };
    let rule = |hit: &Hit| {
        let finds = hit.reason.as_deref().unwrap_or(&hit.rule);
        sarif::rule(&hit.rule, finds, hit.instead.as_deref().unwrap_or(finds), PAGE, level(hit.verdict))
    };
    let result = |finding: &Finding| {
        let Finding { file, line, command, hit, .. } = finding;
        let index = rules.iter().position(|rule| rule.rule == hit.rule).unwrap_or_default();
        let message = format!("{command}: {}", message(hit));
        sarif::result((&hit.rule, index), level(hit.verdict), &message, file, (*line, 1))
    };
    let rules: Vec<Value> = rules.iter().map(rule).collect();
    sarif::log(&rules, &findings.iter().map(result).collect::<Vec<_>>())
}

/// Why a rule decides so, and what to do instead.
fn message(hit: &Hit) -> String {
    let instead = hit.instead.as_deref().map(|instead| format!(". Instead: {instead}")).unwrap_or_default();
    format!("{}{instead}", hit.reason.as_deref().unwrap_or("no reason is given"))
}

fn text(screen: Screen<'_>, report: &Report, basis: &Basis, not_asked: &[String]) -> Result<()> {
    let mut known: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for Finding { command, hit, .. } in &report.findings {
        *known.entry((&hit.rule, command)).or_default() += 1;
    }
    let mut last = None;
    for finding in &report.findings {
        let Finding { file, line, tool, command, hit } = finding;
        // The same command again is counted where it stands first.
        let Some(times) = known.remove(&(hit.rule.as_str(), command.as_str())) else { continue };
        let what = match hit.verdict {
            Verdict::Blocked => styled(BAD, "blocked"),
            Verdict::Asks => styled(WARN, "asks   "),
        };
        let place = format!("{}:{line}", relative(file, Path::new(".")));
        if is_quiet() {
            writeln!(screen, "{place}: {what} {} {}", shown(command), styled(DIM, &format!("[{}]", hit.rule)))?;
            continue;
        }
        if last != Some((file, line, command)) {
            let tool = if tool == scan::SHELL { String::new() } else { format!("{tool} ") };
            let call = command.strip_prefix(&tool).unwrap_or(command);
            let more = if times > 1 { format!("  (and {})", count(times - 1, "more place")) } else { String::new() };
            writeln!(
                screen,
                "{what}  {}  {}{}",
                styled(BOLD, &place),
                shown(&format!("{tool}{call}")),
                styled(DIM, &more)
            )?;
        }
        last = Some((file, line, command));
        let of = hit.place.as_deref().map(|place| styled(DIM, &format!(" ({place})"))).unwrap_or_default();
        let reason = hit.reason.as_deref().map(|reason| format!(": {}", shown(reason))).unwrap_or_default();
        writeln!(screen, "  {}{of}{reason}", shown(&hit.rule))?;
        if let Some(instead) = &hit.instead {
            writeln!(screen, "  {}", styled(DIM, &format!("instead: {instead}")))?;
        }
    }
    if is_quiet() {
        return Ok(());
    }
    let Report { files, commands, blocked, asked, .. } = report;
    let style = if *blocked > 0 { BAD } else { GOOD };
    let what = format!("{blocked} would be blocked, {asked} asked about");
    writeln!(screen, "{}, of {} in {}", styled(style, &what), count(*commands, "command"), count(*files, "file"))?;
    let by = match basis {
        Basis::Hooks(_) => "by the hooks here".to_owned(),
        Basis::Policies(names) => format!("by the policies {}", names.join(", ")),
    };
    writeln!(screen, "{}", styled(DIM, &by))?;
    if !not_asked.is_empty() {
        let names = not_asked.join(", ");
        let what = format!("not asked, because programs would run: {names}");
        writeln!(screen, "{}", styled(WARN, &what))?;
    }
    Ok(())
}
