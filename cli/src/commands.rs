//! One file per command.

mod explain;
mod hook;
mod install;
mod lint;
mod list;
mod run;
pub(crate) mod test;

pub(crate) use explain::Explain;
pub(crate) use hook::{Hook, is_hook_of};
pub(crate) use install::{Install, Uninstall};
pub(crate) use lint::Lint;
pub(crate) use list::List;
pub(crate) use run::Run;
pub(crate) use test::Test;
