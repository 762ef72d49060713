//! `hookweave lint`: what will surprise in hooks files, before it does.

mod fix;
mod sarif;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use hookweave_host::config::lint::{Finding, RULES, lint};
use hookweave_host::config::load::LoadOptions;
use serde_json::json;

use crate::failed::{Failed, Result, Verdict};
use crate::policy::{Policy, Which, relative};
use crate::screen::{BAD, BOLD, Cell, DIM, GOOD, Room, Screen, Table, WARN, count, is_quiet, json, shown, styled};
use crate::snippet::{self, Badness};

/// Report likely mistakes in hooks files
#[derive(Debug, Args)]
#[command(after_help = "Exits with 1 when there are findings, so that it can guard a build.")]
pub(crate) struct Lint {
    /// Files to check; by default all that are found here
    #[arg(value_name = "FILE", conflicts_with_all = ["files", "sources", "plugins", "agent_files"])]
    paths: Vec<PathBuf>,

    /// Leave out findings of this rule; may be repeated
    #[arg(long = "allow", value_name = "RULE")]
    allowed: Vec<String>,

    /// List the rules
    #[arg(long)]
    rules: bool,

    /// Fix what can be fixed for certain, such as misspelt keys; shows each change
    #[arg(long)]
    fix: bool,

    /// Show what --fix would change and write nothing
    #[arg(long)]
    diff: bool,

    /// How findings are printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,

    /// Print JSON for programs; the same as --format json
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    which: Which,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Format {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
    /// Annotations of GitHub Actions.
    Github,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
}

impl Lint {
    /// Runs the command.
    pub(crate) fn run(&self, screen: Screen<'_>) -> Result<Verdict> {
        let format = if self.json { Format::Json } else { self.format };
        if self.rules {
            return rules(screen, format);
        }
        if let Some(unknown) = self.allowed.iter().find(|allowed| !RULES.iter().any(|(rule, _)| rule == allowed)) {
            let hint = hookweave_host::error::did_you_mean(unknown, RULES.iter().map(|(rule, _)| *rule));
            return Err(Failed::new(format!(
                "--allow `{unknown}` is no rule{hint}; `hookweave lint --rules` lists them"
            )));
        }
        let named: Vec<PathBuf> = self.paths.iter().chain(&self.which.files).cloned().collect();
        let files = if named.is_empty() { self.found()? } else { named };
        if (self.fix || self.diff) && format != Format::Text {
            return Err(Failed::new("--fix and --diff show changes to people; take --format and --json out"));
        }
        if self.diff {
            return fix::all(screen, self, &files, true).map(Verdict::of);
        }
        if self.fix {
            fix::all(screen, self, &files, false)?;
        }
        let mut findings = Vec::new();
        for file in &files {
            findings.extend(self.findings(lint(file, &self.options())?));
        }
        match format {
            Format::Json => json(screen, &json!({"files": files, "findings": described(&findings)}))?,
            Format::Github => findings.iter().try_for_each(|finding| annotation(screen, finding))?,
            Format::Sarif => json(screen, &sarif::log(&findings))?,
            Format::Text => self.text(screen, &files, &findings)?,
        }
        Ok(Verdict::of(findings.is_empty()))
    }

    fn options(&self) -> LoadOptions<'_> {
        LoadOptions { dialect: self.which.dialect.as_deref(), ..LoadOptions::default() }
    }

    /// The findings that are wanted.
    fn findings(&self, mut found: Vec<Finding>) -> Vec<Finding> {
        found.retain(|finding| !self.allowed.iter().any(|allowed| allowed == finding.rule));
        found
    }

    fn found(&self) -> Result<Vec<PathBuf>> {
        Ok(Policy::load(&self.which.to_look_at())?.report.found.into_iter().map(|found| found.file).collect())
    }

    fn text(&self, screen: Screen<'_>, files: &[PathBuf], findings: &[Finding]) -> Result<()> {
        let below = self.which.directory();
        for finding in findings {
            let problem = &finding.problem;
            let (badness, style, word) =
                if problem.fatal { (Badness::Error, BAD, "error") } else { (Badness::Warning, WARN, "warning") };
            if !is_quiet() {
                snippet::problem(screen, problem, badness, Some(finding.rule), &below)?;
                continue;
            }
            let file = relative(&problem.file, &below);
            let position = [problem.line, problem.column].into_iter().flatten().map(|number| format!(":{number}"));
            writeln!(
                screen,
                "{}{}: {} {} {}",
                shown(&file),
                position.collect::<String>(),
                styled(style, &format!("{word}:")),
                shown(&problem.message),
                styled(DIM, &format!("[{}]", finding.rule)),
            )?;
        }
        if is_quiet() {
            return Ok(());
        }
        let looked = format!("{} in {}", count(findings.len(), "finding"), count(files.len(), "file"));
        write!(screen, "{}", styled(if findings.is_empty() { GOOD } else { BOLD }, &looked))?;
        let fixable = findings.iter().filter(|finding| finding.problem.fix.is_some()).count();
        if fixable > 0 {
            write!(screen, "; {} fixes {fixable} of them", styled(BOLD, "hookweave lint --fix"))?;
        }
        Ok(writeln!(screen)?)
    }
}

/// Findings for programs.
fn described(findings: &[Finding]) -> Vec<serde_json::Value> {
    let described = |finding: &Finding| {
        let mut value = serde_json::to_value(finding).unwrap_or_default();
        let fixable = finding.problem.fix.is_some().into();
        value.as_object_mut().map(|value| value.insert("fixable".to_owned(), fixable));
        value
    };
    findings.iter().map(described).collect()
}

fn rules(screen: Screen<'_>, format: Format) -> Result<Verdict> {
    if format == Format::Json {
        let rules: Vec<_> = RULES.iter().map(|(rule, finds)| json!({"rule": rule, "finds": finds})).collect();
        json(screen, &rules)?;
        return Ok(Verdict::Fine);
    }
    let mut table = Table::new(&[("rule", Room::Whole), ("finds", Room::Wrap)]);
    for (rule, finds) in RULES {
        table.row([Cell::new(BOLD, rule), Cell::from(finds)]);
    }
    table.write(screen, 0)?;
    Ok(Verdict::Fine)
}

/// One finding as a workflow command, with the characters escaped that would end it.
fn annotation(screen: Screen<'_>, finding: &Finding) -> Result<()> {
    let data = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| data(text).replace(':', "%3A").replace(',', "%2C");
    let problem = &finding.problem;
    let level = if problem.fatal { "error" } else { "warning" };
    let file = relative(&problem.file, Path::new("."));
    let line = problem.line.map(|line| format!(",line={line}")).unwrap_or_default();
    let column = problem.column.map(|column| format!(",col={column}")).unwrap_or_default();
    let message = data(&shown(&problem.message));
    Ok(writeln!(
        screen,
        "::{level} file={}{line}{column},title={}::{message}",
        property(&shown(&file)),
        property(finding.rule)
    )?)
}
