//! Pipelines of GitHub and GitLab: what their steps run.

use std::collections::HashSet;
use std::rc::Rc;

use super::script::{Held, Script};
use super::tool_of;
use crate::document::yaml::nodes::{Node, Value};

/// How many lists of commands may stand within each other by their anchors.
const MAX_PARTS: usize = 4096;

/// The steps of a workflow or an action.
pub(super) fn github(documents: &[Rc<Node>]) -> Held {
    let mut held = Held::default();
    for top in documents {
        let jobs = top.get("jobs").map(|jobs| jobs.fields()).unwrap_or_default();
        if let Some(runs) = top.get("runs") {
            steps(runs, &[], &mut held);
        } else if jobs.is_empty() {
            held.unread.push((top.line, "it has neither `jobs` nor `runs`; name its kind with --as".to_owned()));
        }
        for (_, job) in jobs {
            steps(job, &[job, top], &mut held);
        }
    }
    held
}

/// The steps of a job, whose shell it may set, or else what stands around it.
fn steps(job: &Rc<Node>, around: &[&Rc<Node>], held: &mut Held) {
    let is_windows = job.get("runs-on").and_then(|on| on.text()).is_some_and(|on| on.starts_with("windows"));
    let usual = around.iter().find_map(|node| node.get("defaults")?.get("run")?.get("shell")?.text());
    let usual = usual.unwrap_or(if is_windows { "pwsh" } else { "bash" });
    let mut seen = HashSet::new();
    for step in job.get("steps").map(|steps| steps.items()).unwrap_or_default() {
        let Some(run) = step.get("run").filter(|run| seen.insert(Rc::as_ptr(run))) else { continue };
        let Value::Text(text, by_line) = &run.value else { continue };
        let text = with_expressions(text, "${{", "}}");
        let script = placed(run.line, &text, *by_line);
        match shell(step.get("shell").and_then(|shell| shell.text()).unwrap_or(usual), script) {
            Ok(script) => held.scripts.push(script),
            Err(why) => held.unread.push((run.line, why)),
        }
    }
}

/// A script under the shell that runs it. Code of Python is handed to it as a here-document.
fn shell(shell: &str, script: Script) -> Result<Script, String> {
    let program = shell.split_whitespace().next().unwrap_or_default();
    match tool_of(program) {
        Some(tool) => Ok(Script { tool, ..script }),
        None if program.starts_with("python") => {
            let (first, last) = (script.lines.first().copied(), script.lines.last().copied());
            let mut whole = Script::in_line(first.unwrap_or(1), format!("{program} - <<'HOOKWEAVE_END'"));
            whole.add(&script);
            whole.add(&Script::in_line(last.unwrap_or(1), "HOOKWEAVE_END".to_owned()));
            Ok(whole)
        }
        // `nix develop --command bash {0}`
        None if shell.split_whitespace().any(|word| tool_of(word) == Some(script.tool)) => Ok(script),
        None => Err(format!("the shell `{program}` of this step is not known here; look at the step yourself")),
    }
}

/// The scripts of the jobs of GitLab.
pub(super) fn gitlab(documents: &[Rc<Node>]) -> Held {
    let mut held = Held::default();
    let mut seen = HashSet::new();
    let mut open: Vec<Rc<Node>> = documents.iter().rev().map(Rc::clone).collect();
    while let Some(node) = open.pop() {
        if !seen.insert(Rc::as_ptr(&node)) {
            continue;
        }
        for (name, value) in node.fields() {
            if !matches!(name.as_str(), "script" | "before_script" | "after_script" | "pre_get_sources_script") {
                continue;
            }
            let mut script = Script::empty();
            let mut left = MAX_PARTS;
            held.unread.extend(gather(value, &mut script, &mut left).err());
            if !script.lines.is_empty() {
                held.scripts.push(script);
            }
        }
        open.extend(node.fields().iter().rev().map(|(_, value)| Rc::clone(value)));
        open.extend(node.items().iter().rev().map(Rc::clone));
    }
    held
}

/// Adds the commands of a text or of lists; an error has its line.
fn gather(node: &Node, script: &mut Script, left: &mut usize) -> Result<(), (usize, String)> {
    if *left == 0 {
        return Err((node.line, "too many commands in one job; write fewer".to_owned()));
    }
    *left -= 1;
    match &node.value {
        Value::Text(text, by_line) => {
            let text = with_expressions(text, "$[[", "]]");
            script.add(&placed(node.line, &text, *by_line));
            Ok(())
        }
        Value::List(items) => items.iter().try_for_each(|item| gather(item, script, left)),
        Value::Fields(_) => Err((node.line, "a command must be a text; put it into quotes".to_owned())),
    }
}

fn placed(line: usize, text: &str, by_line: bool) -> Script {
    let text = text.trim_end_matches('\n').to_owned();
    if by_line { Script::following(line, text) } else { Script::in_line(line, text) }
}

/// A text in which what the pipeline fills in stands as a variable: the shell reads its value.
fn with_expressions(text: &str, begin: &str, end: &str) -> String {
    let mut parts = text.split(begin);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(end) {
            Some((inside, rest)) => {
                // The lines after it keep their numbers.
                let breaks = "\\\n".repeat(inside.matches('\n').count());
                out.extend(["${PIPELINE_VALUE}", &breaks, rest]);
            }
            None => out.extend([begin, part]),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::yaml::nodes::read;
    use crate::scan::POWER_SHELL;

    fn scripts(held: Held) -> Vec<(&'static str, Vec<usize>, String)> {
        held.scripts.into_iter().map(|script| (script.tool, script.lines, script.text)).collect()
    }

    #[test]
    fn steps_are_read_with_their_lines_and_shells() {
        let text = "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: a/b@v1\n      - run: ls ${{ github.sha }}\n      - name: b\n        run: |\n          one\n\n          two\n      - run: >\n          a\n          b\n      - run: x\n        shell: pwsh\n      - run: print(1)\n        shell: python\n      - run: y\n        shell: cmd\n  w:\n    runs-on: windows-latest\n    steps: [{run: dir}]\n";
        let held = github(&read(text).unwrap());
        assert_eq!(held.unread[0].0, 20);
        let text = |text: &str| text.to_owned();
        assert_eq!(
            scripts(held),
            [
                ("Bash", vec![7], text("ls ${PIPELINE_VALUE}")),
                ("Bash", vec![10, 11, 12], text("one\n\ntwo")),
                ("Bash", vec![14], text("a b")),
                (POWER_SHELL, vec![16], text("x")),
                ("Bash", vec![18, 18, 18], text("python - <<'HOOKWEAVE_END'\nprint(1)\nHOOKWEAVE_END")),
                (POWER_SHELL, vec![24], text("dir")),
            ]
        );
        let action = "runs:\n  using: composite\n  steps:\n    - run: ls\n      shell: bash\n";
        assert_eq!(scripts(github(&read(action).unwrap())), [("Bash", vec![4], text("ls"))]);
        assert_eq!(github(&read("a: 1\n").unwrap()).unread.len(), 1);
    }

    #[test]
    fn scripts_of_jobs_are_read_through_anchors() {
        let text = ".a: &a\n  - one\n  - |\n    two\n    three\n\nb:\n  before_script: x\n  script:\n    - *a\n    - !reference [.c, script]\n    - $[[ inputs.d ]] e\n  after_script: [f, g]\n";
        let text_of = |text: &str| text.to_owned();
        assert_eq!(
            scripts(gitlab(&read(text).unwrap())),
            [
                ("Bash", vec![8], text_of("x")),
                ("Bash", vec![2, 4, 5, 12], text_of("one\ntwo\nthree\n${PIPELINE_VALUE} e")),
                ("Bash", vec![13, 13], text_of("f\ng")),
            ]
        );
    }

    #[test]
    fn anchors_that_grow_without_end_are_named() {
        let grown = |at: usize| format!("a{}: &a{} [*a{at}, *a{at}]\n", at + 1, at + 1);
        let text = "a0: &a0 [x, x]\n".to_owned() + &(0..59).map(grown).collect::<Vec<_>>().concat();
        let held = gitlab(&read(&format!("{text}j:\n  script: *a59\n")).unwrap());
        assert_eq!(held.unread.len(), 1);
    }
}
