//! Both ends of the protocol with remote hooks, for the transports that Python has: bytes in, bytes and other actions out.

mod agent;
mod clock;
mod fleet;
mod offered;
mod stream;
mod worker;

use pyo3::prelude::*;

use hookweave_host::remote::Level;
use serde::de::DeserializeOwned;

use crate::errors;
use crate::serial;

/// Adds the classes and functions to the module.
pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<clock::RemoteClock>()?;
    module.add_class::<stream::Frames>()?;
    module.add_class::<agent::RemoteAgent>()?;
    module.add_class::<worker::RemoteWorker>()?;
    module.add_class::<fleet::FleetAgent>()?;
    module.add_class::<fleet::FleetWorker>()?;
    fleet::add_bucket(module)?;
    module.add_function(wrap_pyfunction!(stream::frame, module)?)?;
    module.add_function(wrap_pyfunction!(offered::remote_offers, module)?)?;
    module.add_function(wrap_pyfunction!(offered::remote_call, module)?)?;
    module.add_function(wrap_pyfunction!(offered::watch_hooks, module)?)
}

/// A level of Python's `logging`.
const fn level(level: Level) -> u8 {
    match level {
        Level::Info => 20,
        Level::Warning => 30,
        Level::Error => 40,
    }
}

/// The settings of an end, which the Python layer has checked.
fn settings<T: DeserializeOwned>(given: &Bound<'_, PyAny>) -> PyResult<T> {
    serde_json::from_value(serial::to_json_value(given)?).map_err(|error| errors::internal(&error.to_string()))
}
