//! The host's values that a dispatch owns, for hosts whose garbage collector has to know of each.

use super::{Details, Progress};

impl<T, V> Progress<T, V> {
    /// Shows every value that the dispatch owns, each as often as it is owned.
    pub(crate) fn visit(&self, see: &mut impl FnMut(&V)) {
        see(&self.payload);
        if let Some(details) = &self.details {
            details.visit(see);
        }
    }

    /// Replaces the payload, and those that it was, by copies.
    pub(crate) fn hold(&mut self, copy: &mut impl FnMut(&V) -> V) {
        self.payload = copy(&self.payload);
        if let Some(details) = &mut self.details {
            details.versions.iter_mut().for_each(|(_, payload)| *payload = copy(payload));
            details.originals.iter_mut().for_each(|(_, came)| *came = copy(came));
        }
    }
}

impl<T, V> Details<T, V> {
    fn visit(&self, see: &mut impl FnMut(&V)) {
        let Self { records, originals, versions, ext, left, rechecks, .. } = self;
        let causes = records.iter().filter_map(|record| record.failure.as_ref()?.cause.as_ref());
        causes.for_each(&mut *see);
        originals.iter().map(|(_, came)| came).for_each(&mut *see);
        versions.iter().map(|(_, payload)| payload).for_each(&mut *see);
        ext.iter().map(|(_, value)| value).for_each(&mut *see);
        left.iter().map(|(_, value)| value).for_each(&mut *see);
        rechecks.made.iter().map(|(_, _, value)| value).for_each(&mut *see);
    }
}
