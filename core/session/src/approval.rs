//! Asking a person, and everything that may answer instead: what was approved before, and hooks of trusted origin.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};

use super::answer::Answer;
use super::effect::{ApprovalRequest, Effect, Reply, ValueId};
use super::flow::Cx;
use super::kept::KeptQuestion;
use super::question_id::{Asked, Waiting, is_about, is_of};
use super::state::Approval;
use super::subject::{Answers, Edit, Subject};
use super::verdict::Asker;
use hookweave_machine::answer::{ALLOW_ALWAYS, ALLOW_ONCE, Question};
use hookweave_machine::escape::escaped;
use hookweave_machine::met::{CommandPart, command_of};
use hookweave_machine::observer::ObservedEvent;
use hookweave_machine::once::UsedOnce;

/// The words for no that an approver may give in place of an option, in any case.
const NO: &[&str] = &["deny", "no", "n"];

/// The longest answer that a message repeats, in characters; a longer one may be anything that a person typed.
const LONGEST_SHOWN: usize = 24;

/// How a question was settled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Decided {
    /// Whether it may go on.
    pub granted: bool,
    /// Who decided: `user`, `remembered`, `timeout`, `host`, `nobody`, or a hook's name.
    pub by: String,
    /// Why not; of a grant what the person said about it.
    pub reason: Option<String>,
    /// What a person chose, when it was one of the options.
    pub option: Option<String>,
    /// What the answer is remembered for from now on: `call` (the very same one), `prompt` or `tool`.
    pub remembered: Option<&'static str>,
    /// What a person has made of the arguments.
    #[serde(skip)]
    edit: Option<Edit>,
}

impl Decided {
    /// A person's no.
    pub(super) fn refused_by_person(reason: String, option: &str) -> Self {
        Self { option: Some(option.to_owned()), ..Self::new(false, "user", Some(reason)) }
    }

    fn new(granted: bool, by: &str, reason: Option<String>) -> Self {
        Self { granted, by: by.to_owned(), reason, option: None, remembered: None, edit: None }
    }
}

/// What came of the questions about a tool call.
pub(super) enum Settled {
    Granted,
    Denied(Decided),
    /// A hook has changed what the question was about.
    Rewritten(ValueId),
    /// A person has, and allows that.
    Edited(Edit),
    /// A person answers later.
    Suspended,
}

/// What a tool call has asked and used up so far.
#[derive(Debug, Default)]
pub(super) struct Progress {
    pub(super) asked: Asked,
    pub(super) used_once: Vec<UsedOnce>,
}

impl Cx {
    /// Asks one question about a tool call: hooks first, then what is remembered, then a person.
    pub(super) async fn settle(
        &self,
        subject: &Subject<'_>,
        hook: Option<&Asker>,
        ask: &Question,
        progress: &mut Progress,
    ) -> Settled {
        let request = self.request(subject, hook, ask);
        let about = |own: Value| {
            let mut fields = json!({"tool": subject.tool});
            if let (Value::Object(fields), Value::Object(own)) = (&mut fields, own) {
                fields.extend(own);
            }
            fields
        };
        let values = || subject.args.map(|args| ("args", args)).into_iter().collect::<Vec<_>>();
        self.record_question(subject, hook, &request);
        let asked = json!({"prompt": ask.prompt.as_deref().unwrap_or(&request.prompt)});
        let dispatch_result = self.dispatch("PermissionRequest", about(asked), values(), &["args"]).await;
        progress.used_once.extend(dispatch_result.verdict.used_once.iter().cloned());
        let is_denied = matches!(dispatch_result.verdict.settled, Some((_, false, _)));
        if let Some(args) = dispatch_result.value.filter(|_| !is_denied) {
            return Settled::Rewritten(args);
        }
        let decided = match Self::without_a_person(&dispatch_result.verdict) {
            Some(decided) => decided,
            None => match self.ask_person(subject, hook, request, &mut progress.asked).await {
                Some(decided) => decided,
                None => return Settled::Suspended,
            },
        };
        self.record_decision(subject, hook, &decided);
        if let Some(edit) = decided.edit {
            return Settled::Edited(edit);
        }
        let outcome = json!({"by": decided.by, "reason": decided.reason});
        let event = if decided.granted { "PermissionGranted" } else { "PermissionDenied" };
        self.dispatch(event, about(outcome), values(), &[]).await;
        if decided.granted { Settled::Granted } else { Settled::Denied(decided) }
    }

    /// The question as a person gets it.
    pub(super) fn request(&self, subject: &Subject<'_>, hook: Option<&Asker>, ask: &Question) -> ApprovalRequest {
        let prompt = ask.prompt.clone().unwrap_or_else(|| match subject.tool {
            "" => format!("Continue with {}?", subject.event),
            tool => format!("Run {tool}?"),
        });
        let allows = |option: &String| option == ALLOW_ONCE || option == ALLOW_ALWAYS || ask.grants.contains(option);
        let denying: Vec<String> =
            ask.options.iter().filter(|option| !allows(option)).map(|option| escaped(option)).collect();
        let granting = ask.options.iter().filter(|option| allows(option)).map(|option| escaped(option));
        let reason = hook.and_then(|hook| hook.reason.as_deref()).filter(|reason| *reason != prompt);
        ApprovalRequest {
            id: self.session.question_id(subject, hook, &prompt, ask),
            event: subject.event.into(),
            tool: escaped(subject.tool),
            tool_use_id: subject.tool_use_id.map(escaped),
            args: subject.args,
            shown: subject.shown.as_deref().map(escaped),
            command: self.command(subject, hook),
            hook: hook.map(|hook| escaped(&hook.name)),
            why: match hook {
                Some(hook) => hook.met.why.as_deref().map(escaped),
                None => subject.host_asks.map(escaped),
            },
            reason: reason.map(escaped),
            prompt: escaped(&prompt),
            options: ask.options.iter().map(|option| escaped(option)).collect(),
            // Of options that look the same on a screen none allows unless all do.
            granting: granting.filter(|option| !denying.contains(option)).collect(),
            timeout_ms: ask.timeout_ms,
            default: ask.default,
            remember: ask.remember,
            persistent: false,
        }
    }

    /// The command line of what is asked about, with what stands out in it for the hook.
    fn command(&self, subject: &Subject<'_>, hook: Option<&Asker>) -> Vec<CommandPart> {
        match (hook, subject.args, subject.text.as_deref()) {
            (Some(hook), Some(_), _) => hook.met.command.clone(),
            (None, Some(_), Some(args)) => command_of(&self.session.client.tools, subject.tool, args),
            _ => Vec::new(),
        }
    }

    pub(super) fn record_question(&self, subject: &Subject<'_>, hook: Option<&Asker>, request: &ApprovalRequest) {
        self.session.record(subject.tool, subject.tool_use_id, |about| ObservedEvent::Asked {
            about,
            event: subject.event,
            hook: request.hook.as_deref(),
            hook_id: hook.map(|hook| hook.id),
            prompt: &request.prompt,
            options: &request.options,
        });
    }

    pub(super) fn record_decision(&self, subject: &Subject<'_>, hook: Option<&Asker>, decided: &Decided) {
        let name = hook.map(|hook| escaped(&hook.name));
        self.session.record(subject.tool, subject.tool_use_id, |about| ObservedEvent::Decided {
            about,
            event: subject.event,
            hook: name.as_deref(),
            hook_id: hook.map(|hook| hook.id),
            granted: decided.granted,
            by: &decided.by,
            reason: decided.reason.as_deref(),
            option: decided.option.as_deref(),
            remembered: decided.remembered,
        });
    }

    /// What hooks that may answer for a person have answered.
    fn without_a_person(verdict: &super::Verdict) -> Option<Decided> {
        let (hook, granted, reason) = verdict.settled.as_ref()?;
        Some(Decided::new(*granted, hook, reason.clone()))
    }

    /// Asks a person, unless the same has been approved before; `None` when the person answers later.
    pub(super) async fn ask_person(
        &self,
        subject: &Subject<'_>,
        hook: Option<&Asker>,
        mut request: ApprovalRequest,
        asked: &mut Asked,
    ) -> Option<Decided> {
        asked.number(&mut request);
        let remembered = scopes(subject, hook, &request);
        if let Some(edit) = subject.edits.iter().find(|edit| remembered.contains(&edit.approval)) {
            return Some(Decided::new(true, "user", edit.reason.clone()));
        }
        let asked = self.session.memory().ends();
        if remembered.iter().any(|approval| self.session.memory().holds(approval)) {
            return Some(Decided::new(true, "remembered", None));
        }
        let store = self.session.approval_store();
        let directory = self.session.cwd().unwrap_or_default();
        let shown = request.shown.clone();
        let kept = |approval| kept_question(approval, hook, &directory, shown.as_deref());
        if let Some(store) = &store {
            for question in remembered.iter().filter_map(kept) {
                match store.holds(&question) {
                    Ok(true) => return Some(Decided::new(true, "remembered", None)),
                    Ok(false) => {}
                    Err(why) => self.log("error", format!("earlier approvals do not count: {why}")).await,
                }
            }
        }
        // The widest that the person is shown.
        request.persistent = store.is_some() && remembered.last().and_then(kept).is_some();
        let reply = if let Some(answer) = subject.answered(&request) {
            Reply::Chosen(answer)
        } else {
            let _waiting = Waiting::begin(&self.session, &mut request);
            let since = hookweave_clock::now();
            let reply = self.perform(Effect::Approve(Box::new(request.clone()))).await;
            // No timer ends an approver that holds up its caller. Where silence allows, a late answer may still deny.
            let is_late = since.elapsed() > Duration::from_millis(request.timeout_ms) && request.default != "allow";
            if is_late && matches!(reply, Reply::Chosen(_)) { Reply::TimedOut } else { reply }
        };
        if matches!(reply, Reply::Suspended) && subject.answers.is_some() {
            return None;
        }
        let mut decided = self.decision(subject, hook, &request, reply).await;
        // What the person has not seen is allowed as they wrote it, no wider.
        let (widest, shown) = match &decided.edit {
            Some(edit) => (Some(&edit.approval), edit.shown.as_deref()),
            None => (remembered.last(), shown.as_deref()),
        };
        let is_always = decided.granted && decided.option.as_deref() == Some(ALLOW_ALWAYS);
        if let Some(widest) = widest.filter(|_| is_always) {
            let question = kept_question(widest, hook, &directory, shown);
            if let (Some(store), Some(question)) = (&store, question)
                && let Err(why) = store.keep(&question)
            {
                self.log("error", format!("the approval holds for this session only: {why}")).await;
            }
            self.session.memory().keep(widest.clone(), asked);
            decided.remembered = Some(widest.width());
        }
        Some(decided)
    }

    /// What an approver's reply decides.
    async fn decision(
        &self,
        subject: &Subject<'_>,
        hook: Option<&Asker>,
        request: &ApprovalRequest,
        reply: Reply,
    ) -> Decided {
        let refused = |by: &str, why: &str| Decided::new(false, by, Some(denial(request, Some(why))));
        match reply {
            Reply::Chosen(answer) => self.chosen(subject, hook, request, answer).await,
            Reply::NoApprover => refused(
                "nobody",
                "no person was asked: no approver is set; give the session one, for example the terminal",
            ),
            Reply::NotAsked { allows: true } if request.granting.is_empty() => {
                refused("host", "the approval failed: no option of the question allows")
            }
            Reply::NotAsked { allows: true } => Decided::new(true, "host", None),
            Reply::NotAsked { allows: false } => {
                refused("host", "no person was asked: the session's approver denies everything")
            }
            Reply::TimedOut if request.default == "allow" => Decided::new(true, "timeout", None),
            Reply::TimedOut => refused("timeout", "no answer in time"),
            Reply::Failed { why } => refused("host", &format!("the approval failed: {why}")),
            Reply::Suspended => {
                refused("host", "the approver suspended a question that is not about a call of run_tool")
            }
            _ => refused("host", "the approval gave no answer"),
        }
    }

    /// What a person's answer decides.
    async fn chosen(
        &self,
        subject: &Subject<'_>,
        hook: Option<&Asker>,
        request: &ApprovalRequest,
        answer: Answer<ValueId>,
    ) -> Decided {
        let Answer { option, reason, args } = answer;
        let option = meant(request, option);
        if !is_answer(request, &option) {
            self.log("error", no_option(request, &option)).await;
            let why = "the approver's answer is none of the options";
            return Decided::new(false, "host", Some(denial(request, Some(why))));
        }
        let granted = request.granting.contains(&option);
        let edit = match args.filter(|_| granted) {
            None => None,
            Some(args) => match self.edit(subject, hook, request, args).await {
                Ok(edit) => Some(Edit { reason: reason.clone(), ..edit }),
                Err(why) => {
                    self.log("error", format!("{why}; the call is refused")).await;
                    return Decided::new(false, "host", Some(denial(request, Some(why))));
                }
            },
        };
        let reason = match reason {
            reason if granted => reason,
            None => Some(denial(request, None)),
            Some(reason) => Some(format!("{}: {reason}", denial(request, None))),
        };
        let option = Some(option).filter(|option| request.options.contains(option));
        Decided { option, edit, ..Decided::new(granted, "user", reason) }
    }

    /// Copies what a person has made of the arguments, so that nothing else refers to it.
    async fn edit(
        &self,
        subject: &Subject<'_>,
        hook: Option<&Asker>,
        request: &ApprovalRequest,
        args: ValueId,
    ) -> Result<Edit, &'static str> {
        if subject.args.is_none() {
            return Err("an approver may change the arguments only of a tool call");
        }
        let Reply::Frozen { value, text: Some(text), shown } = self.perform(Effect::Freeze { value: args }).await
        else {
            return Err("`args` of the approver's answer must be an object with a JSON form");
        };
        if !text.starts_with('{') {
            return Err("`args` of the approver's answer must be an object");
        }
        if text == "{}" && subject.text.as_deref() != Some("{}") {
            return Err(
                "`args` of the approver's answer are empty; give all arguments of the call, or leave `args` out",
            );
        }
        Ok(Edit { args: value, approval: exact(subject, hook, request, text), shown, reason: None })
    }
}

/// The answer by which a person has refused a call before, with the question if it is asked again.
///
/// Of a question that is not asked any more it is not known which of its own options allow: none does.
pub(super) fn refusal<'a>(
    call: &str,
    requests: &'a [ApprovalRequest],
    answers: &'a Answers,
) -> Option<(&'a Answer<ValueId>, Option<&'a ApprovalRequest>)> {
    let about = answers.iter().filter(|(id, _)| is_about(id, call));
    about.map(|(id, answer)| (answer, requests.iter().find(|request| is_of(id, &request.id)))).find(
        |(answer, request)| match request {
            Some(request) => !request.granting.contains(&meant(request, answer.option.clone())),
            None => ![ALLOW_ONCE, ALLOW_ALWAYS].contains(&answer.option.as_str()) && !is_yes(&answer.option),
        },
    )
}

/// Why a call is refused that a person has refused before.
pub(super) fn refused_before(tool: &str, answer: &Answer<ValueId>, request: Option<&ApprovalRequest>) -> String {
    let denied = match request {
        Some(request) => denial(request, None),
        None => format!("user denied: {} (an earlier question about this call)", escaped(tool)),
    };
    match &answer.reason {
        Some(reason) => format!("{denied}: {reason}"),
        None => denied,
    }
}

/// The option that an approver's answer stands for: `yes` and `y` allow this once, unless an option is called so.
fn meant(request: &ApprovalRequest, answer: String) -> String {
    let once = || request.granting.iter().find(|option| *option == ALLOW_ONCE).cloned();
    if request.options.contains(&answer) || !is_yes(&answer) { answer } else { once().unwrap_or(answer) }
}

fn is_yes(answer: &str) -> bool {
    ["yes", "y"].iter().any(|word| answer.trim().eq_ignore_ascii_case(word))
}

/// Whether an approver's answer is one of the options, or a word for no.
fn is_answer(request: &ApprovalRequest, answer: &str) -> bool {
    let is_no = || NO.iter().any(|word| answer.trim().eq_ignore_ascii_case(word));
    request.options.iter().any(|option| option == answer) || is_no()
}

/// What a developer reads of an answer that is no option.
fn no_option(request: &ApprovalRequest, answer: &str) -> String {
    let options = request.options.iter().map(|option| format!("\"{option}\"")).collect::<Vec<_>>().join(", ");
    let given = match answer.chars().count() {
        length if length > LONGEST_SHOWN => format!("a text of {length} characters"),
        _ => format!("\"{}\"", escaped(answer)),
    };
    format!("the approver answered {given}, so the call is refused; it must answer with one of the options {options}")
}

/// The approvals under which a question may be remembered, the narrowest first.
fn scopes(subject: &Subject<'_>, hook: Option<&Asker>, request: &ApprovalRequest) -> Vec<Approval> {
    // Without a text it cannot be recognised again.
    let mut scopes: Vec<_> = subject.text.clone().map(|args| exact(subject, hook, request, args)).into_iter().collect();
    let (hook, event) = (hook.map(|hook| hook.id), subject.event);
    let (tool, prompt) = (subject.tool.to_owned(), request.prompt.clone());
    match request.remember {
        Some("prompt") => scopes.push(Approval::Prompt { hook, event, prompt }),
        Some("tool") => scopes.push(Approval::Tool { hook, event, tool }),
        _ => {}
    }
    scopes
}

/// The very question about arguments.
fn exact(subject: &Subject<'_>, hook: Option<&Asker>, request: &ApprovalRequest, args: String) -> Approval {
    let (tool, prompt) = (subject.tool.to_owned(), request.prompt.clone());
    // By the hook itself: any other may have its name.
    Approval::Exact { hook: hook.map(|hook| hook.id), event: subject.event, tool, prompt, args }
}

/// The question of an approval as it is kept for later sessions; `None` for a hook that cannot be recognised there.
fn kept_question<'q>(
    approval: &'q Approval,
    hook: Option<&'q Asker>,
    directory: &'q str,
    shown: Option<&'q str>,
) -> Option<KeptQuestion<'q>> {
    let identity = match hook {
        Some(hook) => Some(hook.identity.as_deref()?),
        None => None,
    };
    let (event, tool, prompt, args) = match approval {
        Approval::Exact { event, tool, prompt, args, .. } => {
            (*event, Some(tool.as_str()), Some(prompt.as_str()), Some(args.as_str()))
        }
        Approval::Prompt { event, prompt, .. } => (*event, None, Some(prompt.as_str()), None),
        Approval::Tool { event, tool, .. } => (*event, Some(tool.as_str()), None, None),
    };
    let (width, hook_name) = (approval.width(), hook.map(|hook| hook.name.as_str()));
    Some(KeptQuestion { directory, hook: identity, event, width, tool, prompt, args, hook_name, shown })
}

fn denial(request: &ApprovalRequest, why: Option<&str>) -> String {
    let asker = request.hook.as_ref().map_or_else(|| "the host".to_owned(), |hook| format!("hook {hook}"));
    match why {
        Some(why) => format!("{why}: {} ({asker})", request.prompt),
        None => format!("user denied: {} ({asker})", request.prompt),
    }
}
