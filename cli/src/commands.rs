//! One file per command, and which hooks apply, which two of them say.

mod about;
mod applies;
mod approvals;
mod audit;
mod convert;
mod doctor;
mod explain;
mod hook;
mod init;
mod install;
mod lint;
mod list;
mod record;
mod replay;
mod run;
mod test;
mod trust;
mod try_call;

pub(crate) use about::{Completion, Man, Schema};
pub(crate) use approvals::Approvals;
pub(crate) use audit::Audit;
pub(crate) use convert::Convert;
pub(crate) use doctor::Doctor;
pub(crate) use explain::Explain;
pub(crate) use hook::Hook;
pub(crate) use init::Init;
pub(crate) use install::{Install, Uninstall};
pub(crate) use lint::Lint;
pub(crate) use list::List;
pub(crate) use record::Record;
pub(crate) use replay::Replay;
pub(crate) use run::Run;
pub(crate) use test::Test;
pub(crate) use trust::Trust;
pub(crate) use try_call::Try;
