//! `hookweave test`: holds hooks to what their author expects of them.

mod in_order;
mod watch;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use hookweave_host::dialects;
use hookweave_host::json::Json;

use crate::cases::{Came, Case, CaseFile, Ran, RanFile, State, junit, look_for, tap};
use crate::clock::{nanos_since, now};
use crate::delegates;
use crate::drive::{dispatch, outcome_json, outcome_values};
use crate::failed::{Failed, Result, Verdict};
use crate::policy::{Policy, TrustChoice, Which};
use crate::progress::Progress;
use crate::screen::{BAD, BOLD, DIM, GOOD, Screen, WARN, is_quiet, json, micros, shown, shown_lines, styled};

use watch::Watch;

/// Whose hooks are tested unless the file says.
const SOURCES: &[&str] = &["project", "local"];

/// Run test cases: events and the expected decisions
#[derive(Debug, Args)]
#[command(after_help = "\
Cases are in files called NAME.hooktest.yaml (or .toml, .json):

  hooktest: 1
  cases:
    - name: nothing deletes everything
      try: rm -rf /
      expect: block
    - name: credentials stay secret
      try: {read: .env}
      expect: block

The hooks really run, those of the project without an approval: a test runs the code of what it tests.
Exits with 1 when a case fails.")]
pub(crate) struct Test {
    /// Files of cases, or directories in which to look for them; by default the current one
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Only cases whose name contains this
    #[arg(short = 'k', long, value_name = "TEXT")]
    filter: Option<String>,

    /// Run so many cases of a file at a time
    #[arg(short, long, value_name = "NUMBER", default_value = "1")]
    jobs: NonZeroUsize,

    /// Run again when a case, a hooks file or a script that a hook names changes
    #[arg(short, long, conflicts_with_all = ["json", "tap"])]
    watch: bool,

    /// Write a JUnit report too
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,

    /// Print the Test Anything Protocol
    #[arg(long, conflicts_with = "json")]
    tap: bool,

    /// Print JSON for programs
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    which: Which,
}

impl Test {
    /// Runs the command.
    pub(crate) fn run(&self, screen: Screen<'_>) -> Result<Verdict> {
        if !self.watch {
            let files = self.all(screen)?;
            self.report(screen, &files)?;
            return Ok(Verdict::of(!failed(&files)));
        }
        let places = self.places();
        let mut watch = Watch::of(&places);
        loop {
            watch.begin();
            match self.all(screen) {
                Ok(files) => {
                    self.report(screen, &files)?;
                    watch.add(files.into_iter().flat_map(|file| file.depends));
                }
                // A file that is being written makes no sense for a while.
                Err(failed) => {
                    writeln!(screen, "{} {}", styled(BAD, "error:"), shown_lines(&failed.to_string()))?;
                }
            }
            writeln!(screen, "{}", styled(DIM, "waiting for a change …"))?;
            screen.flush()?;
            watch.wait();
            writeln!(screen)?;
        }
    }

    /// Where to look for cases.
    fn places(&self) -> Vec<PathBuf> {
        if self.paths.is_empty() { vec![self.which.directory()] } else { self.paths.clone() }
    }

    fn all(&self, screen: Screen<'_>) -> Result<Vec<RanFile>> {
        let paths = look_for(&self.places())?;
        if paths.is_empty() {
            let where_to: Vec<String> = self.places().iter().map(|path| path.display().to_string()).collect();
            return Err(Failed::new(format!(
                "no cases in {}; write a file such as hooks.hooktest.yaml (`hookweave test --help` shows one)",
                where_to.join(", ")
            )));
        }
        let files: Vec<CaseFile> = paths.iter().map(|path| CaseFile::read(path)).collect::<Result<_>>()?;
        let wanted = files.iter().flat_map(|file| &file.cases).filter(|case| self.wants(case)).count();
        let mut progress = Progress::new("testing", self.json || self.tap);
        let mut done = 0;
        let mut ran: Vec<RanFile> = Vec::with_capacity(files.len());
        for file in &files {
            let mut heading = Some(file.path.display().to_string());
            let tell = |case: &Ran| {
                if !self.json && !self.tap {
                    progress.wipe();
                    show(screen, case, &mut heading)?;
                }
                done += 1;
                progress.count(done, wanted);
                Ok(())
            };
            ran.push(self.file(file, tell)?);
        }
        drop(progress);
        if ran.iter().all(|file| file.cases.is_empty()) {
            let filter = self.filter.as_deref().unwrap_or_default();
            return Err(Failed::new(format!("no case's name contains `{filter}`")));
        }
        Ok(ran)
    }

    fn wants(&self, case: &Case) -> bool {
        self.filter.as_ref().is_none_or(|part| case.name.contains(part.as_str()))
    }

    /// Runs the cases of a file; each is reported in order, as soon as it is done.
    fn file(&self, file: &CaseFile, tell: impl FnMut(&Ran) -> Result<()>) -> Result<RanFile> {
        // What the command line names takes the place of what the file names.
        let is_chosen = !self.which.files.is_empty() || !self.which.sources.is_empty();
        let (files, sources) =
            if is_chosen { (&self.which.files, &self.which.sources) } else { (&file.files, &file.sources) };
        // Not the user's own hooks: the result must be the same for every user.
        let usual: &[&str] = if sources.is_empty() && files.is_empty() { SOURCES } else { &[] };
        let which = Which {
            cwd: Some(self.which.cwd.clone().unwrap_or_else(|| file.directory())),
            files: files.clone(),
            sources: usual.iter().map(|source| (*source).to_owned()).chain(sources.clone()).collect(),
            trust: TrustChoice::All,
            ..self.which.clone()
        };
        let (policy, _) = delegates::load(&which)?;
        let depends = depends(file, &policy);
        if let Some(problem) = policy.report.problems.iter().find(|problem| problem.fatal) {
            return Err(Failed::new(format!("{problem}; the tests would miss it")));
        }
        let wanted: Vec<&Case> = file.cases.iter().filter(|case| self.wants(case)).collect();
        let cases = in_order::run(&wanted, self.jobs, |case| run_case(&which, case), tell)?;
        Ok(RanFile { name: file.path.display().to_string(), cases, depends })
    }

    fn report(&self, screen: Screen<'_>, files: &[RanFile]) -> Result<()> {
        if let Some(path) = &self.junit {
            std::fs::write(path, junit(files))
                .map_err(|error| Failed::file(path, format!("cannot be written: {error}")))?;
        }
        if self.tap {
            return Ok(write!(screen, "{}", tap(files))?);
        }
        if self.json {
            return json(screen, &files);
        }
        let number =
            |of: fn(&State) -> bool| files.iter().flat_map(|file| &file.cases).filter(|case| of(&case.state)).count();
        let failed = number(|state| matches!(state, State::Failed(_)));
        let skipped = number(|state| matches!(state, State::Skipped(_)));
        let skipped = if skipped > 0 { format!(", {skipped} skipped") } else { String::new() };
        let total = format!("{} passed, {failed} failed{skipped}", number(|state| matches!(state, State::Passed)));
        Ok(writeln!(screen, "{}", styled(if failed > 0 { BAD } else { GOOD }, &total))?)
    }
}

/// Shows what came of a case, below its file's name.
fn show(screen: Screen<'_>, case: &Ran, heading: &mut Option<String>) -> Result<()> {
    if is_quiet() && !matches!(case.state, State::Failed(_)) {
        return Ok(());
    }
    if let Some(file) = heading.take() {
        writeln!(screen, "{}", styled(BOLD, &file))?;
    }
    let took = styled(DIM, &micros(case.seconds * 1e6));
    let name = shown(&case.name);
    match &case.state {
        State::Passed => writeln!(screen, "  {} {name}  {took}", styled(GOOD, "ok     "))?,
        State::Skipped(why) => writeln!(screen, "  {} {name}: {}", styled(WARN, "skipped"), shown(why))?,
        State::Failed(why) => {
            writeln!(screen, "  {} {name}  {took}", styled(BAD, "FAILED "))?;
            why.iter().try_for_each(|line| writeln!(screen, "            {}", shown(line)))?;
            let outcome = case.outcome.iter().flat_map(|outcome| outcome.lines());
            outcome.map(|line| styled(DIM, line)).try_for_each(|line| writeln!(screen, "            {line}"))?;
        }
    }
    Ok(())
}

fn failed(files: &[RanFile]) -> bool {
    files.iter().flat_map(|file| &file.cases).any(|case| matches!(case.state, State::Failed(_)))
}

/// Runs one case against hooks of its own, so that none of them remembers another case.
fn run_case(which: &Which, case: &Case) -> Result<Ran> {
    if let Some(why) = &case.skip {
        return Ok(Ran { name: case.name.clone(), state: State::Skipped(why.clone()), seconds: 0.0, outcome: None });
    }
    let (policy, _) = delegates::load(which)?;
    let began = now();
    let (differences, outcome) = differences(&policy, case).unwrap_or_else(|why| (vec![why.to_string()], None));
    #[expect(clippy::cast_precision_loss, reason = "seconds for a reader")]
    let seconds = nanos_since(began) as f64 / 1e9;
    policy.runtime.shutdown(super::run::FAREWELL);
    let state = if differences.is_empty() { State::Passed } else { State::Failed(differences) };
    Ok(Ran { name: case.name.clone(), state, seconds, outcome })
}

/// Every difference, and of a case with some what became of the call and of every hook.
fn differences(policy: &Policy, case: &Case) -> Result<(Vec<String>, Option<String>)> {
    let (name, payload) = case.event()?;
    let (outcome, envelope) = dispatch(policy, &name, &payload)?;
    let answer = match &case.agent {
        Some(agent) => {
            let values = outcome_values(&outcome, &envelope);
            Some(dialects::encode_outcome(agent, &outcome, &values, Vec::new())?)
        }
        None => None,
    };
    let whole = outcome_json(&outcome, &envelope);
    let differences = case.expect.differences(&Came { outcome: &whole, answer: answer.as_ref() });
    let described = (!differences.is_empty()).then(|| outcome.describe(&Json));
    Ok((differences, described))
}

/// Files whose change may change what comes of a file's cases: itself, the hooks files, and the scripts that those name.
fn depends(file: &CaseFile, policy: &Policy) -> Vec<PathBuf> {
    let mut files = vec![file.path.clone()];
    files.extend(policy.report.found.iter().map(|found| found.file.clone()));
    let directory = file.directory();
    for hook in policy.registry.list() {
        let runs = hook.origin.as_ref().map(|origin| origin.runs.clone()).unwrap_or_default();
        let words = runs.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ';' | '&' | '|'));
        let scripts =
            words.filter(|word| word.contains('/')).map(|word| word.trim_start_matches("$CLAUDE_PROJECT_DIR/"));
        files.extend(scripts.map(|script| directory.join(script)).filter(|script| script.is_file()));
    }
    files.sort();
    files.dedup();
    files
}
