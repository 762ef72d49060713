//! `policies = ["git", "secrets:strict"]`, or a table with `use`, `rules` and `enforcement`.

use crate::config::Run;
use crate::config::entry::{Draft, Slot};
use crate::config::policies::{Setting, Wrong, chosen};
use crate::config::reading::{Reading, Spot, Take, cut, step};
use crate::config::ready_made::ReadyMade;
use crate::config::tree::Kind;
use hookweave_machine::decision::Decision;
use hookweave_machine::error::did_you_mean;
use hookweave_machine::hook::Enforcement;

/// Fields of the table.
const FIELDS: &[&str] = &["use", "rules", "enforcement"];

/// Declares the hooks of the policies that a file uses.
pub(super) fn read(reading: &mut Reading<'_>, policies: &Spot<'_>) -> Take<()> {
    let (list, enforcement) = match policies.node.kind {
        Kind::Object(_) => {
            policies.only(FIELDS)?;
            let missing = || policies.wrong("`use` is missing; write use = [\"git\", \"secrets\"]");
            let said = policies.word("enforcement", Enforcement::WORDS)?;
            let at = policies.given("enforcement").unwrap_or_else(|| policies.clone());
            (policies.get("use").ok_or_else(missing)?, reading.enforcement(&at, said))
        }
        Kind::List(_) => (policies.clone(), None),
        _ => return Err(policies.wrong("must be a list of policies; write policies = [\"git\", \"secrets\"]")),
    };
    let uses = list.items()?;
    let names: Vec<String> = uses.iter().map(|spot| spot.as_text().map(str::to_owned)).collect::<Take<_>>()?;
    let settings = settings(policies)?;
    let chosen = chosen(&names, &settings).map_err(|wrong| at(&wrong, policies, &uses).wrong(wrong.message()))?;
    for chosen in chosen {
        let spot = uses.get(chosen.at).unwrap_or(&list);
        let hook = ReadyMade::of_policy(chosen, enforcement).map_err(|why| spot.wrong(why))?;
        declare(reading, spot, hook)?;
    }
    Ok(())
}

/// What the file says of single rules.
fn settings(policies: &Spot<'_>) -> Take<Vec<(String, Setting)>> {
    let Some(rules) = policies.get("rules").filter(|_| matches!(policies.node.kind, Kind::Object(_))) else {
        return Ok(Vec::new());
    };
    rules.must_be_object()?;
    let setting = |(id, spot): (&str, Spot<'_>)| {
        let text = spot.as_text()?;
        let meant = Setting::WORDS.iter().find(|(word, _)| *word == text).map(|(_, setting)| *setting);
        let words = || Setting::WORDS.iter().map(|(word, _)| *word);
        let meant = meant.ok_or_else(|| {
            let hint = did_you_mean(text, words());
            let known = words().collect::<Vec<_>>().join(", ");
            spot.wrong(format!("unknown value `{}`{hint}; known are {known}", cut(text)))
        })?;
        Ok((id.to_owned(), meant))
    };
    rules.fields().into_iter().map(setting).collect()
}

/// Where a wrong name stands.
fn at<'n>(wrong: &Wrong, policies: &Spot<'n>, uses: &[Spot<'n>]) -> Spot<'n> {
    let spot = match wrong {
        Wrong::Use(number, _) => uses.get(*number).cloned(),
        Wrong::Rule(id, _) => policies.get("rules").map(|rules| {
            let field = rules.node.fields().iter().find(|field| field.name == *id);
            Spot { node: field.map_or(rules.node, |field| &field.value), place: step(&rules.place, id) }
        }),
    };
    spot.unwrap_or_else(|| policies.clone())
}

fn declare(reading: &mut Reading<'_>, spot: &Spot<'_>, hook: ReadyMade) -> Take<()> {
    let ReadyMade { spec, run } = hook;
    let event = reading.events().resolve(&spec.event).map_err(|error| spot.wrong(error.message()))?;
    let slot = Slot {
        declared: spec.event,
        event,
        // An approval is for the rule and for what it decides here.
        written: serde_json::json!({"policy": spec.name, "refuses": matches!(run, Run::Decision(Decision::Block(_)))}),
        matcher: spec.matcher,
        compiles: true,
    };
    let mut draft = Draft::new(run);
    draft.name = spec.name;
    draft.fail_behavior = spec.fail_behavior;
    draft.mandatory = spec.mandatory;
    draft.enforcement = spec.enforcement;
    reading.declare_as(spot, &slot, draft, reading.source.dialect)
}
