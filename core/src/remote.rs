//! Hooks in other processes: [`Engine::serve`](crate::Engine::serve) takes workers, [`Engine::connect`](crate::Engine::connect)
//! makes an engine a worker.

pub use crate::engine::remote::{ConnectOptions, RemoteState, ServingWorkers, WorkerConnection};
#[doc(inline)]
pub use hookweave_host::remote::{Backoff, Grants, HubSettings as ServeOptions, Limits, WorkerInfo};
