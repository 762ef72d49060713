//! Sending: a client's rules, and the connections that it keeps.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use arc_swap::ArcSwap;
use ureq::Agent;
use ureq::http::{self, HeaderMap, HeaderName, HeaderValue};
use ureq::tls::{RootCerts, TlsConfig};

use super::call::Call;
use super::error::WebhookError;
use super::exchange::Exchange;
use super::resolve::{GuardedResolver, Resolve, SystemResolver};
use super::rules::Rules;
use super::spec::{Method, WebPolicy, WebhookSpec};
use super::stream::{StreamRequest, WebStream};
use super::target::Target;
use super::wire::GuardedConnector;
use super::{headers, roots};
use crate::cancel::Cancel;
use hookweave_machine::handler_output::WebResponse;

/// How long an unused connection is kept: shorter than the five seconds after which common servers close theirs,
/// so that no event is sent into a connection that is just being closed.
const KEEP_ALIVE: Duration = Duration::from_secs(4);

/// Sends webhooks and keeps their connections for the next ones; one for each client of the engine.
pub struct WebClient {
    policy: WebPolicy,
    rules: Result<Arc<Rules>, WebhookError>,
    names: Arc<dyn Resolve>,
    agents: ArcSwap<Agents>,
}

impl WebClient {
    /// A client for a policy. When the policy cannot be read, every webhook fails with the reason, since to leave out
    /// what cannot be read could allow more than was meant; [`WebPolicy::check`] finds it beforehand.
    #[must_use]
    pub fn new(policy: WebPolicy) -> Self {
        Self::with_resolver(policy, Arc::new(SystemResolver))
    }

    /// A client that looks names up in its own way.
    #[must_use]
    pub fn with_resolver(policy: WebPolicy, names: Arc<dyn Resolve>) -> Self {
        let rules = Rules::new(&policy).map(Arc::new);
        Self { policy, rules, names, agents: ArcSwap::from_pointee(Agents::default()) }
    }

    /// Checks all that can be checked without sending: the URL, whether it is allowed, and the headers.
    pub fn check(&self, spec: &WebhookSpec, environment: &dyn Fn(&str) -> Option<String>) -> Result<(), WebhookError> {
        self.prepare(spec, environment).map(drop)
    }

    /// Sends a JSON body and gives the answer. Blocks until then, until the timeout or until it is cancelled.
    ///
    /// The timeout holds for everything together: lookup, connection, TLS, redirects and the answer's last byte.
    pub fn send(
        &self,
        spec: &WebhookSpec,
        body: &[u8],
        environment: &dyn Fn(&str) -> Option<String>,
        timeout: Duration,
        cancel: &Cancel,
    ) -> Result<WebResponse, WebhookError> {
        self.send_with(spec, &[], body, environment, timeout, cancel)
    }

    /// The same with further headers, which are sent as they stand, unless the webhook has its own of that name.
    pub fn send_with(
        &self,
        spec: &WebhookSpec,
        further: &[(&'static str, &str)],
        body: &[u8],
        environment: &dyn Fn(&str) -> Option<String>,
        timeout: Duration,
        cancel: &Cancel,
    ) -> Result<WebResponse, WebhookError> {
        let (rules, target, mut headers) = self.prepare(spec, environment)?;
        for (name, value) in further {
            if let Ok(value) = HeaderValue::from_str(value) {
                headers.entry(HeaderName::from_static(name)).or_insert(value);
            }
        }
        let call = Call::new(timeout);
        let _entered = call.enter();
        let ended = Arc::clone(&call);
        let _watch = cancel.watch(move || ended.cancel());
        let agents = self.agents();
        let method = match spec.method {
            Method::Post => http::Method::POST,
            Method::Put => http::Method::PUT,
        };
        let exchange = Exchange { method, headers, body: Some(body), timeout, call: &call };
        let (target, response) =
            exchange.run(target, |target| rules.admit(target), |target| self.agent(&agents, rules, target))?;
        exchange.read(&target, response, self.policy.response_cap)
    }

    /// Sends a request and gives its answer to read as it comes. Blocks until its headers are there, until the timeout or
    /// until one of the signals cancels it.
    ///
    /// Plain http is refused but to this machine: such requests carry keys.
    pub fn stream(&self, request: &StreamRequest<'_>, cancels: &[&Cancel]) -> Result<WebStream, WebhookError> {
        let (rules, target, headers) = self.prepare_stream(request)?;
        let call = Call::with_patience(request.timeout, request.connect);
        let watches = cancels.iter().map(|cancel| {
            let ended = Arc::clone(&call);
            cancel.watch(move || ended.cancel())
        });
        let watches = watches.collect();
        let agents = self.agents();
        let method = match (request.body, request.ends_session) {
            (Some(_), _) => http::Method::POST,
            (None, false) => http::Method::GET,
            (None, true) => http::Method::DELETE,
        };
        let timeout = request.timeout;
        let exchange = Exchange { method, headers, body: request.body, timeout, call: &call };
        let entered = call.enter();
        let answered = exchange.run(target, |target| rules.admit(target), |target| self.agent(&agents, rules, target));
        drop(entered);
        let (target, response) = answered?;
        Ok(WebStream::new(target.shown(), response, call, timeout, watches))
    }

    /// Checks all that can be checked without sending.
    pub fn check_stream(&self, request: &StreamRequest<'_>) -> Result<(), WebhookError> {
        self.prepare_stream(request).map(drop)
    }

    fn prepare_stream(&self, request: &StreamRequest<'_>) -> Result<(&Arc<Rules>, Target, HeaderMap), WebhookError> {
        let rules = self.rules.as_ref().map_err(WebhookError::clone)?;
        let target = Target::new(request.url)?;
        rules.admit(&target)?;
        if !target.is_secure() && !target.is_this_machine() {
            let why = "is plain http to another machine, where all on the way can read and change what is sent; write \
                       https://";
            return Err(WebhookError::BadUrl { url: target.shown(), why: why.to_owned() });
        }
        let headers = headers::ready(request.headers, &target.shown(), request.body.is_some())?;
        Ok((rules, target, headers))
    }

    fn prepare(
        &self,
        spec: &WebhookSpec,
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<(&Arc<Rules>, Target, HeaderMap), WebhookError> {
        let rules = self.rules.as_ref().map_err(WebhookError::clone)?;
        let target = Target::new(&spec.url)?;
        rules.admit(&target)?;
        let headers = headers::headers(spec, &target.shown(), self.policy.allowed_env.as_deref(), environment)?;
        Ok((rules, target, headers))
    }

    /// The connections of this process.
    fn agents(&self) -> Arc<Agents> {
        let agents = self.agents.load_full();
        if agents.process == std::process::id() {
            return agents;
        }
        self.agents.compare_and_swap(&agents, Arc::new(Agents::default()));
        // The parent's connections are kept for ever: a thread that does not exist here may hold their lock.
        std::mem::forget(agents);
        self.agents.load_full()
    }

    fn agent(&self, agents: &Agents, rules: &Arc<Rules>, target: &Target) -> Agent {
        let make = |roots| agent(&self.names, rules, roots);
        if target.is_secure() {
            // The machine's authorities are read at the first need; most webhooks are plain and local.
            agents.secure.get_or_init(|| make(roots::roots(&self.policy.extra_roots))).clone()
        } else {
            agents.plain.get_or_init(|| make(RootCerts::WebPki)).clone()
        }
    }
}

impl fmt::Debug for WebClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebClient").field("policy", &self.policy).finish_non_exhaustive()
    }
}

/// The connections of one process. A forked child must not speak on its parent's.
struct Agents {
    process: u32,
    plain: OnceLock<Agent>,
    secure: OnceLock<Agent>,
}

impl Default for Agents {
    fn default() -> Self {
        Self { process: std::process::id(), plain: OnceLock::new(), secure: OnceLock::new() }
    }
}

fn agent(names: &Arc<dyn Resolve>, rules: &Arc<Rules>, roots: RootCerts) -> Agent {
    let config = Agent::config_builder()
        .proxy(None)
        .http_status_as_error(false)
        .max_redirects(0)
        .max_idle_age(KEEP_ALIVE)
        .max_idle_connections(32)
        .max_idle_connections_per_host(8)
        // Bounds what a server can make us parse again and again by sending its headers byte by byte.
        .max_response_header_size(16 * 1024)
        .tls_config(TlsConfig::builder().root_certs(roots).build())
        .build();
    let connector = GuardedConnector::new(Arc::clone(rules));
    Agent::with_parts(config, connector, GuardedResolver::new(Arc::clone(names), Arc::clone(rules)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forked_child_has_connections_of_its_own() {
        let client = WebClient::new(WebPolicy::default());
        let here = client.agents();
        assert!(Arc::ptr_eq(&here, &client.agents()));
        let parents = Arc::new(Agents { process: std::process::id() ^ 1, ..Agents::default() });
        client.agents.store(Arc::clone(&parents));
        let own = client.agents();
        assert!(!Arc::ptr_eq(&own, &parents) && own.process == std::process::id());
        assert!(Arc::ptr_eq(&own, &client.agents()));
    }
}
