//! `hookweave lint`: what will surprise in hooks files, before it does.

mod fix;
mod sarif;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use hookweave_host::config::lint::{Finding, RULES, Rule, Severity, lint, rule};
use hookweave_host::config::load::LoadOptions;
use serde_json::json;

use crate::failed::{Failed, Result, Verdict};
use crate::policy::{Policy, Which, relative};
use crate::screen::{BAD, BOLD, Cell, DIM, GOOD, Room, Screen, Table, WARN, count, is_quiet, json, shown, styled};
use crate::snippet::{self, FIXABLE};

/// Report likely mistakes in hooks files
#[derive(Debug, Args)]
#[command(after_help = "\
Exits with 1 when there are errors or warnings, so that it can guard a build; with 2 when a file cannot be read, or when
there is none. Notes alone are no failure.")]
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

    /// Say why a rule matters, and what to do
    #[arg(long, value_name = "RULE", conflicts_with_all = ["rules", "fix", "diff"])]
    explain: Option<String>,

    /// Count findings by rule in place of showing them
    #[arg(long, conflicts_with_all = ["fix", "diff"])]
    statistics: bool,

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
        self.allowed.iter().try_for_each(|allowed| known_rule("--allow", allowed).map(drop))?;
        if let Some(name) = &self.explain {
            return explain(screen, format, known_rule("--explain", name)?);
        }
        let named: Vec<PathBuf> = self.paths.iter().chain(&self.which.files).cloned().collect();
        let files = if named.is_empty() { self.found()? } else { named };
        if files.is_empty() {
            return Err(Failed::new("no hooks files here; name one, or write one with `hookweave init`"));
        }
        if (self.fix || self.diff || self.statistics) && format != Format::Text {
            return Err(Failed::new("--fix, --diff and --statistics are for people; take --format and --json out"));
        }
        if self.diff {
            return fix::all(screen, self, &files, true).map(Verdict::of);
        }
        if self.fix {
            fix::all(screen, self, &files, false)?;
        }
        let mut findings = Vec::new();
        let mut unread: Vec<Failed> = Vec::new();
        for file in &files {
            match lint(file, &self.options()) {
                Ok(found) => findings.extend(self.findings(found)),
                Err(why) => unread.push(why.into()),
            }
        }
        match format {
            Format::Json => json(screen, &json!({"files": files, "findings": described(&findings)}))?,
            Format::Github => findings.iter().try_for_each(|finding| annotation(screen, finding))?,
            Format::Sarif => json(screen, &sarif::log(&findings))?,
            Format::Text if self.statistics => statistics(screen, &findings)?,
            // Of files that cannot be read there is nothing to say but that.
            Format::Text if unread.len() == files.len() => {}
            Format::Text => self.text(screen, files.len() - unread.len(), &findings)?,
        }
        // The findings of the others stand above.
        let Some(last) = unread.pop() else { return Ok(Verdict::of(!findings.iter().any(fails))) };
        unread.iter().try_for_each(|why| snippet::failed(&mut anstream::stderr().lock(), why))?;
        Err(last)
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

    fn text(&self, screen: Screen<'_>, files: usize, findings: &[Finding]) -> Result<()> {
        let below = self.which.directory();
        for finding in findings {
            let problem = &finding.problem;
            if !is_quiet() {
                snippet::problem(screen, problem, finding.severity, Some(finding.rule), &below)?;
                continue;
            }
            let file = relative(&problem.file, &below);
            let position = [problem.line, problem.column].into_iter().flatten().map(|number| format!(":{number}"));
            writeln!(
                screen,
                "{}{}: {} {} {}{}",
                shown(&file),
                position.collect::<String>(),
                styled(style(finding.severity), &format!("{}:", finding.severity.as_str())),
                shown(&problem.message),
                styled(DIM, &format!("[{}]", finding.rule)),
                if problem.fix.is_some() { FIXABLE } else { "" },
            )?;
        }
        if is_quiet() {
            return Ok(());
        }
        let looked = format!("{} in {}", count(findings.len(), "finding"), count(files, "file"));
        write!(screen, "{}{}", styled(if findings.is_empty() { GOOD } else { BOLD }, &looked), by_severity(findings))?;
        let fixable = findings.iter().filter(|finding| finding.problem.fix.is_some()).count();
        if fixable > 0 {
            write!(screen, "; {} fixes {fixable} of them, marked [*]", styled(BOLD, "hookweave lint --fix"))?;
        }
        Ok(writeln!(screen)?)
    }
}

/// Whether a finding fails a build.
fn fails(finding: &Finding) -> bool {
    finding.severity > Severity::Note
}

const fn style(severity: Severity) -> anstyle::Style {
    match severity {
        Severity::Error => BAD,
        Severity::Warning => WARN,
        Severity::Note => DIM,
    }
}

/// How many of each severity: `: 1 error, 2 warnings`.
fn by_severity(findings: &[Finding]) -> String {
    let number = |severity: Severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let of_each = [Severity::Error, Severity::Warning, Severity::Note].map(|severity| (number(severity), severity));
    let texts: Vec<String> =
        of_each.iter().filter(|(number, _)| *number > 0).map(|(number, of)| count(*number, of.as_str())).collect();
    if texts.is_empty() { String::new() } else { format!(": {}", texts.join(", ")) }
}

/// The rule of a name, which an option gives.
fn known_rule(option: &str, name: &str) -> Result<&'static Rule> {
    rule(name).ok_or_else(|| {
        let hint = hookweave_host::error::did_you_mean(name, RULES.iter().map(|rule| rule.name));
        Failed::new(format!("{option} `{name}` is no rule{hint}; `hookweave lint --rules` lists them"))
    })
}

fn explain(screen: Screen<'_>, format: Format, rule: &Rule) -> Result<Verdict> {
    if format == Format::Json {
        json(screen, &[rule])?;
        return Ok(Verdict::Fine);
    }
    let severity = styled(style(rule.severity), rule.severity.as_str());
    writeln!(screen, "{} ({severity}): {}", styled(BOLD, rule.name), rule.finds)?;
    writeln!(screen, "{}", rule.explains)?;
    Ok(Verdict::Fine)
}

/// How many findings of each rule, the most first.
fn statistics(screen: Screen<'_>, findings: &[Finding]) -> Result<()> {
    let number = |rule: &Rule| findings.iter().filter(|finding| finding.rule == rule.name).count();
    let mut counts: Vec<(usize, &Rule)> = RULES.iter().map(|rule| (number(rule), rule)).collect();
    counts.retain(|(number, _)| *number > 0);
    counts.sort_by_key(|(number, rule)| (std::cmp::Reverse(*number), rule.name));
    let mut table =
        Table::new(&[("number", Room::Whole), ("severity", Room::Whole), ("rule", Room::Whole), ("finds", Room::Wrap)]);
    for (number, rule) in counts {
        let severity = Cell::new(style(rule.severity), rule.severity.as_str());
        table.row([Cell::from(number.to_string()), severity, Cell::new(BOLD, rule.name), Cell::from(rule.finds)]);
    }
    table.write(screen, 0)
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
        json(screen, &RULES)?;
        return Ok(Verdict::Fine);
    }
    let mut table = Table::new(&[("rule", Room::Whole), ("severity", Room::Whole), ("finds", Room::Wrap)]);
    for rule in RULES {
        let severity = Cell::new(style(rule.severity), rule.severity.as_str());
        table.row([Cell::new(BOLD, rule.name), severity, Cell::from(rule.finds)]);
    }
    table.write(screen, 0)?;
    Ok(Verdict::Fine)
}

/// One finding as a workflow command, with the characters escaped that would end it.
fn annotation(screen: Screen<'_>, finding: &Finding) -> Result<()> {
    let data = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| data(text).replace(':', "%3A").replace(',', "%2C");
    let problem = &finding.problem;
    let level = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
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
