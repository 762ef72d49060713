//! Approvals of hooks from files. They are the user's and no client's, so every log of the process records them.

use std::sync::{Arc, Mutex, PoisonError, Weak};

/// A hook that was approved, as far as a record names it.
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "the names say it")]
pub struct ApprovedHook<'a> {
    pub fingerprint: &'a str,
    pub project: &'a str,
    pub file: &'a str,
    pub place: &'a str,
    pub dialect: &'a str,
    pub event: &'a str,
    pub runs: &'a str,
}

/// Records that approvals were given or revoked.
pub trait TrustObserver: Send + Sync {
    /// A hook was approved.
    fn approved(&self, hook: &ApprovedHook<'_>);
    /// The approval with this fingerprint was revoked.
    fn revoked(&self, fingerprint: &str);
}

static OBSERVERS: Mutex<Vec<Weak<dyn TrustObserver>>> = Mutex::new(Vec::new());

/// Adds an observer, for as long as it lives.
pub fn observe_trust(observer: &Arc<impl TrustObserver + 'static>) {
    let observer: Arc<dyn TrustObserver> = Arc::clone(observer) as Arc<dyn TrustObserver>;
    let mut observers = OBSERVERS.lock().unwrap_or_else(PoisonError::into_inner);
    observers.retain(|known| known.strong_count() > 0);
    observers.push(Arc::downgrade(&observer));
}

/// Tells every observer of the process.
pub fn each_trust_observer(report: impl Fn(&dyn TrustObserver)) {
    let observers: Vec<_> = {
        let observers = OBSERVERS.lock().unwrap_or_else(PoisonError::into_inner);
        observers.iter().filter_map(Weak::upgrade).collect()
    };
    for observer in &observers {
        report(&**observer);
    }
}
