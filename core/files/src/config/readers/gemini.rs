//! Gemini CLI's settings files.

use super::groups::{self, Style};
use crate::config::entry::{Draft, Slot, environment, shell};
use crate::config::reading::{Reading, Spot, Syntax, Take};
use crate::config::{Loaded, Run, Source};
use hookweave_exec::command::Shell;

const STYLE: Style<groups::Read> = Style { skipped: &["enabled", "disabled", "notifications"], handler };

pub(super) fn read(text: &str, source: &Source<'_>) -> Loaded {
    Reading::of(text, Syntax::JsonWithComments, source, |reading, top| {
        let Some(top) = reading.object(top) else { return };
        for name in ["hooks", "hooksConfig"] {
            if let Some(place) = top.get(name) {
                let switches = read_switches(reading, &place);
                reading.take(switches);
            }
        }
        let Some(hooks) = groups::hooks_of(reading, &top) else { return };
        for (event, list) in hooks.fields() {
            let groups = list.items().unwrap_or_default();
            if groups.iter().any(|group| group.flag("sequential") == Ok(Some(true))) {
                reading.switches().sequential.push(event.to_owned());
            }
        }
        groups::read_events(reading, &hooks, &STYLE);
    })
}

fn read_switches(reading: &mut Reading<'_>, place: &Spot<'_>) -> Take<()> {
    place.must_be_object()?;
    if let Some(enabled) = place.flag("enabled")? {
        reading.switches().disable_all = Some(!enabled);
    }
    let disabled = place.texts("disabled")?.unwrap_or_default();
    reading.switches().disabled.extend(disabled);
    Ok(())
}

fn handler(_reading: &mut Reading<'_>, _slot: &mut Slot, entry: &Spot<'_>) -> Take<Option<Draft>> {
    groups::kind_of(entry, &[("command", ())])?;
    let mut spec = shell(entry.required_text("command")?, Shell::Bash);
    spec.env = environment(entry)?;
    let mut draft = Draft::new(Run::Command(spec));
    draft.name = entry.text("name")?.filter(|name| !name.trim().is_empty());
    // The field is milliseconds here, and nowhere else.
    draft.timeout = entry.duration("timeout", 0.001)?;
    Ok(Some(draft))
}
