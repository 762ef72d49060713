//! Hooks in other processes: [`Engine::serve`](crate::Engine::serve) takes workers, [`Engine::connect`](crate::Engine::connect)
//! makes an engine a worker. They meet at a Unix socket, with the feature `grpc` over gRPC, and with the feature `nats` in fleets at a
//! NATS server.

#[cfg(any(feature = "grpc", feature = "nats"))]
pub use crate::engine::remote::Tls;
pub use crate::engine::remote::{ConnectOptions, RemoteState, ServeOptions, ServingWorkers, WorkerConnection};
#[doc(inline)]
pub use hookweave_host::remote::{Backoff, Grants, Limits, WorkerInfo};
