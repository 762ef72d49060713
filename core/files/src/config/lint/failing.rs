//! Guards that let through what they were to refuse: those that crash or take too long, and those that are off.

use super::standing::Standing;
use super::{Finding, Findings};
use crate::config::{Declared, Run};
use hookweave_machine::hook::Enforcement;

/// The events on which a refusal keeps something from happening.
const GUARDED: &[&str] = &["PreToolUse", "PermissionRequest", "UserPromptSubmit"];

/// Looks at the hooks of one of hookweave's own files; what a file says of many hooks is said once.
pub(super) fn check(hooks: &[Declared], standing: &Standing<'_>, all: &mut Vec<Finding>) {
    let open: Vec<&Declared> = hooks.iter().filter(|declared| fails_open(declared)).collect();
    let Some((first, others)) = open.split_first() else { return };
    let these = match others.len() {
        0 => "this hook may refuse on".to_owned(),
        1 => "this hook and another one may refuse on".to_owned(),
        more => format!("this hook and {more} others may refuse on"),
    };
    let message = format!(
        "{these} {}, and a failure lets the action continue, also a crash or a timeout; set `fail_behavior` to `block`, or to `continue` if it guards nothing",
        first.declared_event
    );
    Findings { declared: first, standing, all }.add_at("guard-fails-open", &["event"], message);
}

/// Notes the hooks that are off: a file full of them looks like a policy.
pub(super) fn note_switched_off(hooks: &[Declared], standing: &Standing<'_>, all: &mut Vec<Finding>) {
    for declared in hooks.iter().filter(|declared| !declared.spec.enabled) {
        let what = "this hook is switched off and never runs; take out `enabled = false` if it is to run";
        Findings { declared, standing, all }.add_at("switched-off", &["enabled"], what.to_owned());
    }
}

fn fails_open(declared: &Declared) -> bool {
    let spec = &declared.spec;
    GUARDED.contains(&spec.event.as_str())
        && spec.fail_behavior.is_none()
        && !spec.is_mandatory()
        && !spec.detached
        && !matches!(declared.run, Run::Decision(_) | Run::Computed(_))
        && spec.enabled
        && spec.enforcement != Some(Enforcement::Observe)
}
