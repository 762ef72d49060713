//! `hookweave lint`: what will surprise in hooks files, before it does.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use hookweave_host::config::lint::{Finding, RULES, lint};
use hookweave_host::config::load::LoadOptions;
use serde_json::json;

use crate::failed::{Failed, Result, Verdict};
use crate::policy::{Policy, Which, relative};
use crate::screen::{BAD, BOLD, Cell, DIM, GOOD, Screen, Table, WARN, count, json, shown, styled};

/// Report likely mistakes in hooks files
#[derive(Debug, Args)]
#[command(after_help = "Exits with 1 when there are findings, so that it can guard a build.")]
pub(crate) struct Lint {
    /// Files to check; by default all that are found here
    #[arg(value_name = "FILE", group = "named")]
    files: Vec<PathBuf>,

    /// The same as FILE, as other commands take it; may be repeated
    #[arg(short = 'f', long = "file", value_name = "FILE", group = "named")]
    also_files: Vec<PathBuf>,

    /// Directory to search when no file is given
    #[arg(short = 'C', long = "cwd", value_name = "DIR", default_value = ".")]
    cwd: PathBuf,

    /// The files' format, if it is not recognised
    #[arg(long, value_name = "DIALECT", requires = "named")]
    dialect: Option<String>,

    /// Leave out findings of this rule; may be repeated
    #[arg(long = "allow", value_name = "RULE")]
    allowed: Vec<String>,

    /// List the rules
    #[arg(long)]
    rules: bool,

    /// How findings are printed
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
    /// Annotations of GitHub Actions.
    Github,
}

impl Lint {
    /// Runs the command.
    pub(crate) fn run(&self, screen: Screen<'_>) -> Result<Verdict> {
        let format = if self.json { Format::Json } else { self.format };
        if self.rules {
            return rules(screen, format);
        }
        if let Some(unknown) = self.allowed.iter().find(|allowed| !RULES.iter().any(|(rule, _)| rule == allowed)) {
            return Err(Failed::new(format!("--allow `{unknown}` is no rule; `hookweave lint --rules` lists them")));
        }
        let named: Vec<PathBuf> = self.files.iter().chain(&self.also_files).cloned().collect();
        let files = if named.is_empty() { self.found()? } else { named };
        let mut findings = Vec::new();
        for file in &files {
            let options = LoadOptions { dialect: self.dialect.as_deref(), ..LoadOptions::default() };
            findings.extend(lint(file, &options)?);
        }
        findings.retain(|finding| !self.allowed.iter().any(|allowed| allowed == finding.rule));
        match format {
            Format::Json => json(screen, &json!({"files": files, "findings": findings}))?,
            Format::Github => findings.iter().try_for_each(|finding| annotation(screen, finding))?,
            Format::Text => self.text(screen, &files, &findings)?,
        }
        Ok(Verdict::of(findings.is_empty()))
    }

    fn found(&self) -> Result<Vec<PathBuf>> {
        let which = Which { cwd: Some(self.cwd.clone()), ..Which::default() };
        Ok(Policy::load(&which.to_look_at())?.report.found.into_iter().map(|found| found.file).collect())
    }

    fn text(&self, screen: Screen<'_>, files: &[PathBuf], findings: &[Finding]) -> Result<()> {
        for finding in findings {
            let problem = &finding.problem;
            let (style, word) = if problem.fatal { (BAD, "error") } else { (WARN, "warning") };
            let file = relative(&problem.file, &self.cwd);
            let line = problem.line.map(|line| format!(":{line}")).unwrap_or_default();
            writeln!(
                screen,
                "{}{line}: {} {} {}",
                shown(&file),
                styled(style, &format!("{word}:")),
                shown(&problem.message),
                styled(DIM, &format!("[{}]", finding.rule)),
            )?;
        }
        let looked = format!("{} in {}", count(findings.len(), "finding"), count(files.len(), "file"));
        Ok(writeln!(screen, "{}", styled(if findings.is_empty() { GOOD } else { BOLD }, &looked))?)
    }
}

fn rules(screen: Screen<'_>, format: Format) -> Result<Verdict> {
    if format == Format::Json {
        let rules: Vec<_> = RULES.iter().map(|(rule, finds)| json!({"rule": rule, "finds": finds})).collect();
        json(screen, &rules)?;
        return Ok(Verdict::Fine);
    }
    let mut table = Table::new(&["rule", "finds"]);
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
    let message = data(&shown(&problem.message));
    Ok(writeln!(
        screen,
        "::{level} file={}{line},title={}::{message}",
        property(&shown(&file)),
        property(finding.rule)
    )?)
}
