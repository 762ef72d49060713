//! Hooks that the engine brings along: a program or a file names one and gives its options.
//!
//! Each decides without a process and without the host's code. It is fail-closed and mandatory, whatever a file says.

use std::sync::Arc;

use super::Run;
use super::links::led_to;
use super::policies::{self, Answer, Chosen, Setting};
use crate::computed::{Computed, Limit, MOST, Per, Redacted};
use hookweave_machine::Error;
use hookweave_machine::decision::Decision;
use hookweave_machine::error::{Code, did_you_mean};
use hookweave_machine::hook::{Enforcement, FailBehavior, HookSpec, Timeout};
use hookweave_machine::matcher::{Access, MatcherSpec, NamedFiles, Writes};
use hookweave_machine::payload::Host;
use hookweave_machine::read::Reader;

/// The names by which they are used.
pub const NAMES: &[&str] = &["redact-secrets", "protect-paths", "limit-calls"];

/// The fields of a file that are options of one of them.
pub(crate) const OPTIONS: &[&str] = &["prompts", "paths", "for", "answer", "reason", "tool", "max", "per"];

/// One hook of one of them.
#[derive(Debug, Clone)]
pub struct ReadyMade {
    pub(crate) spec: HookSpec,
    pub(crate) run: Run,
}

impl ReadyMade {
    /// Reads the hooks of a name with its options from a host's object.
    pub fn read<'v, H: Host>(name: &str, host: &'v H, options: &H::View<'v>) -> Result<Vec<Self>, Error> {
        let reader = Reader::new(host, options, Code::InvalidHook, host.spelling().local(&name.replace('-', "_")))?;
        match name {
            "redact-secrets" => redact(&reader),
            "protect-paths" => protect(&reader),
            "limit-calls" => limit(&reader),
            // A file has a field of its own for them.
            "policies" => used(&reader, host),
            _ => Err(unknown(name)),
        }
    }

    /// The hook of a policy's rule.
    pub(super) fn of_policy(chosen: Chosen, enforcement: Option<Enforcement>) -> Result<Self, String> {
        let Chosen { rule, answer, .. } = chosen;
        let decision = match answer {
            Answer::Block => Decision::Block(rule.told()),
            Answer::Ask => Decision::Ask(Some(rule.told())),
        };
        let matcher = MatcherSpec::default().any_of(rule.compiled()?);
        let mut hook = Self::new("PreToolUse", rule.id.to_owned(), matcher, Run::Decision(decision));
        hook.spec.enforcement = enforcement;
        Ok(hook)
    }

    fn new(event: &str, name: String, matcher: MatcherSpec, run: Run) -> Self {
        let mut spec =
            HookSpec::new(event).name(name).matcher(matcher).fail_behavior(FailBehavior::Block).mandatory(true);
        spec.timeout = Timeout::Never;
        spec.decides = matches!(run, Run::Decision(_));
        Self { spec, run }
    }
}

fn unknown(name: &str) -> Error {
    let hint = did_you_mean(name, NAMES.iter().copied());
    Error::new(Code::InvalidHook, format!("`{name}` is no ready-made hook{hint}; known are {}", NAMES.join(", ")))
}

fn used<'v, H: Host>(reader: &Reader<'v, H>, host: &'v H) -> Result<Vec<ReadyMade>, Error> {
    reader.only(&["names", "rules", "enforcement"])?;
    let example = "a policy such as \"git\" or \"secrets:strict\"";
    let uses = reader.one_or_more("names", example)?;
    let uses = uses.ok_or_else(|| reader.refuse("names", format!("is missing; write {example}")))?;
    let mut settings = Vec::new();
    if let Some(rules) = reader.value("rules") {
        let place = format!("{}.rules", host.spelling().local("policies"));
        let rules = Reader::new(host, &rules, Code::InvalidHook, place)?;
        for id in rules.keys() {
            let setting = rules.word(id, Setting::WORDS)?;
            settings.extend(setting.map(|setting| (id.to_owned(), setting)));
        }
    }
    let chosen = policies::chosen(&uses, &settings).map_err(|wrong| match &wrong {
        policies::Wrong::Rule(..) => reader.refuse("rules", wrong.message()),
        policies::Wrong::Use(..) => reader.refuse("names", wrong.message()),
    })?;
    let enforcement = reader.word("enforcement", Enforcement::WORDS)?;
    let hooks = chosen.into_iter().map(|chosen| ReadyMade::of_policy(chosen, enforcement));
    hooks.collect::<Result<_, _>>().map_err(|why| reader.refuse("names", why))
}

fn redact<H: Host>(reader: &Reader<'_, H>) -> Result<Vec<ReadyMade>, Error> {
    reader.only(&["prompts"])?;
    let of = |event, field| {
        let run = Run::Computed(Computed::Redaction(Redacted { field }));
        ReadyMade::new(event, "redact-secrets".to_owned(), MatcherSpec::default(), run)
    };
    let mut hooks = vec![of("PostToolUse", "result"), of("PostToolUseFailure", "error")];
    if reader.flag("prompts")?.unwrap_or(false) {
        hooks.push(of("UserPromptSubmit", "prompt"));
    }
    Ok(hooks)
}

fn protect<H: Host>(reader: &Reader<'_, H>) -> Result<Vec<ReadyMade>, Error> {
    reader.only(&["paths", "for", "answer", "reason"])?;
    let example = "a pattern such as `secrets/**`";
    let paths = reader.one_or_more("paths", example)?;
    let paths = paths.ok_or_else(|| reader.refuse("paths", format!("is missing; write {example}")))?;
    let access = reader.word("for", Access::WORDS)?.unwrap_or_default();
    let asks = reader.word("answer", &[("block", false), ("ask", true)])?.unwrap_or(false);
    let what = match access {
        Access::Write => "changed",
        Access::Read => "read",
        Access::Any => "read or changed",
    };
    let listed = paths.join(", ");
    let reason = reader.text("reason")?.filter(|reason| !reason.trim().is_empty());
    let reason = reason.unwrap_or_else(|| {
        if asks {
            format!("this may concern protected files ({listed}); allow it?")
        } else {
            format!("these files must not be {what}: {listed}")
        }
    });
    let files = NamedFiles::new(&paths).map_err(|why| reader.refuse("paths", why))?;
    let matcher =
        MatcherSpec::default().writes(Writes::new("protected paths", Arc::new(files)).access(access).following(led_to));
    let decision = if asks { Decision::Ask(Some(reason)) } else { Decision::Block(reason) };
    Ok(vec![ReadyMade::new(
        "PreToolUse",
        shortened(format!("protect-paths: {listed}")),
        matcher,
        Run::Decision(decision),
    )])
}

fn limit<H: Host>(reader: &Reader<'_, H>) -> Result<Vec<ReadyMade>, Error> {
    reader.only(&["tool", "max", "per"])?;
    let tool = reader.required_text("tool")?;
    let max =
        reader.integer("max")?.ok_or_else(|| reader.refuse("max", "is missing; write how many calls may be made"))?;
    let max = usize::try_from(max).ok().filter(|max| *max <= MOST);
    let max = max.ok_or_else(|| reader.refuse("max", format!("must lie between 0 and {MOST}")))?;
    let limit = Arc::new(Limit::new(&tool, max, Per::read(reader)?));
    // A session id that the engine makes up is another one for each call: calls without one count together.
    let of = |in_session: bool, when: &str| {
        let matcher = MatcherSpec::default().tool(tool.clone()).when(when);
        let limit = if in_session { Arc::clone(&limit) } else { Arc::new(limit.without_session()) };
        ReadyMade::new(
            "PreToolUse",
            shortened(format!("limit-calls: {tool}")),
            matcher,
            Run::Computed(Computed::Limit(limit)),
        )
    };
    Ok(vec![
        of(true, "has(event.session_id) && event.session_id != null"),
        of(false, "!has(event.session_id) || event.session_id == null"),
    ])
}

/// A name of a hook has at most 256 bytes.
fn shortened(mut name: String) -> String {
    if name.len() > 256 {
        let end = (0..=253).rev().find(|at| name.is_char_boundary(*at)).unwrap_or_default();
        name.truncate(end);
        name.push('…');
    }
    name
}
