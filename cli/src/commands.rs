//! One file per command.

mod explain;
mod hook;
mod lint;
mod list;
mod run;
pub(crate) mod test;

pub(crate) use explain::Explain;
pub(crate) use hook::Hook;
pub(crate) use lint::Lint;
pub(crate) use list::List;
pub(crate) use run::Run;
pub(crate) use test::Test;
