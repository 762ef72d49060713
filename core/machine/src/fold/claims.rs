//! The `once` hooks that a dispatch has taken for itself.

use std::sync::Arc;

use crate::entry::Entry;

/// Claims whose handlers have not started; they are given back when the dispatch is dropped.
#[derive(Debug)]
pub(crate) struct Claims<T>(Vec<Arc<Entry<T>>>);

impl<T> Default for Claims<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Claims<T> {
    /// Claims a hook, or says that another dispatch has it.
    pub(crate) fn take(&mut self, entry: &Arc<Entry<T>>) -> bool {
        let ours = self.0.iter().any(|claimed| Arc::ptr_eq(claimed, entry)) || entry.claim();
        if ours {
            self.0.push(Arc::clone(entry));
        }
        ours
    }

    /// Uses a claim up: its handler starts.
    pub(crate) fn spend(&mut self, entry: &Arc<Entry<T>>) {
        entry.spend();
        self.0.retain(|claimed| !Arc::ptr_eq(claimed, entry));
    }
}

impl<T> Drop for Claims<T> {
    fn drop(&mut self) {
        for entry in &self.0 {
            entry.release();
        }
    }
}
