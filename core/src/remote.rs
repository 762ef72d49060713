//! Hooks in other processes: [`Engine::serve`](crate::Engine::serve) takes workers, [`Engine::connect`](crate::Engine::connect)
//! makes an engine a worker.

#[cfg(feature = "grpc")]
pub use crate::engine::remote::Tls;
pub use crate::engine::remote::{ConnectOptions, RemoteState, ServeOptions, ServingWorkers, WorkerConnection};
#[doc(inline)]
pub use hookweave_host::remote::{Backoff, Grants, Limits, WorkerInfo};
