//! A rule about what guards in one system alone: permission rules, of which no hook comes.

use super::standing::Standing;
use super::{Finding, Problem};
use crate::config::Source;
use crate::config::permissions::lists_of;
use crate::config::reading::step;
use crate::config::recognise::Format;

pub(super) fn check(standing: &Standing<'_>, format: Format, source: &Source<'_>, all: &mut Vec<Finding>) {
    let Some(top) = standing.top() else { return };
    for list in lists_of(top, format) {
        let (place, key) = list.name.rsplit_once('.').unwrap_or(("", &list.name));
        let position = standing.of_key(place, key);
        let fix = if list.can_be_guards() {
            "make guards of them: `hookweave convert FILE --permissions`"
        } else {
            "write a hook for what other agents must not do either"
        };
        let system = source.dialect.name();
        let rules = list.rules.join(", ");
        let message = format!("permission rules bind {system} alone, and no hook runs for them ({rules}); {fix}");
        let problem = Problem {
            place: step(place, key),
            line: position.map(|(line, _)| line),
            column: position.map(|(_, column)| column),
            ..Problem::of_file(source.file.clone(), message, false)
        };
        all.push(Finding::new("permissions-not-run", problem));
    }
}
