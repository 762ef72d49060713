//! `hookweave policies`: the policies that come with hookweave, and their rules.

use clap::Args;
use hookweave_host::config::policies::{Answer, Pack, packs};

use crate::failed::{Failed, Result, Verdict};
use crate::screen::{BOLD, Cell, DIM, Room, Screen, Table, styled};

/// List the policies that come with hookweave, and their rules
#[derive(Debug, Args)]
pub(crate) struct Policies {
    /// Only these policies, with all that a rule says
    #[arg(value_name = "NAME")]
    names: Vec<String>,
}

impl Policies {
    /// Runs the command.
    pub(crate) fn run(&self, screen: Screen<'_>) -> Result<Verdict> {
        let known = packs();
        let names = || known.iter().map(|pack| pack.name).collect::<Vec<_>>().join(", ");
        if let Some(name) = self.names.iter().find(|name| !known.iter().any(|pack| pack.name == **name)) {
            return Err(Failed::new(format!("`{name}` is no policy; known are {}", names())));
        }
        let is_wanted = |pack: &&Pack| self.names.is_empty() || self.names.iter().any(|name| name == pack.name);
        for (at, pack) in known.iter().filter(is_wanted).enumerate() {
            if at > 0 {
                writeln!(screen)?;
            }
            writeln!(screen, "{}  {}", styled(BOLD, pack.name), styled(DIM, pack.about))?;
            let mut table = Table::bare(&[Room::Whole, Room::Whole, Room::Whole, Room::Wrap]);
            for rule in pack.rules {
                let answer = if rule.answer == Answer::Block { "block" } else { "ask" };
                let why = if self.names.is_empty() {
                    rule.reason.to_owned()
                } else {
                    format!("{}. Instead: {}", rule.reason, rule.suggest)
                };
                table.row([
                    Cell::from(rule.id),
                    Cell::from(answer),
                    Cell::new(DIM, rule.level.as_str()),
                    Cell::from(why.as_str()),
                ]);
            }
            table.write(screen, 2)?;
        }
        Ok(Verdict::Fine)
    }
}
