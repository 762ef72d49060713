//! Both ends of the protocol between an agent and the workers that have its hooks.
//!
//! **Owns** messages, registration, calls with their deadlines and bounds, keepalive, reconnection, and what workers may do.
//! **Never** opens a socket, starts a thread or reads a clock: bytes, times and random numbers go in, actions come out.
//!
//! # Entry points
//!
//! * [`Hub`] is the agent's end, of all connections; [`Desk`] gives its hooks to dispatches as [`RemoteHook`]s.
//! * [`WorkerEnd`] is the worker's end; [`offer`] says how a hook of its engine is offered.
//! * [`FleetAgent`] and [`FleetWorker`] stand between these ends and a broker, where workers that are alike form a group.
//! * [`frames`] splits a stream of bytes into messages, [`wire`] has the messages.

mod action;
mod agent_end;
mod answer;
mod backoff;
mod calls;
mod desk;
mod fleet;
pub mod frames;
mod grants;
mod hub;
mod offer;
mod pulse;
mod remote_hook;
mod settings;
mod token;
pub mod wire;
mod worker_end;

pub use action::{HubAction, Level, Run, WorkerAction, WorkerState};
pub use backoff::Backoff;
pub use desk::Desk;
pub use fleet::{BUCKET, BUCKET_TTL_MS, FleetAction, FleetAgent, FleetAgentSettings, FleetWorker, FleetWorkerSettings};
pub use grants::Grants;
pub use hub::{Hub, Method, WorkerInfo};
pub use offer::offer;
pub use prost::Message;
pub use remote_hook::{Link, RemoteCall, RemoteHook};
pub use settings::{HubSettings, Limits, MAX_MESSAGE, VERSION, WorkerSettings, is_name};
pub use worker_end::WorkerEnd;
