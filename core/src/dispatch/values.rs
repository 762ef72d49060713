//! The host's values that a dispatch owns, for hosts whose garbage collector has to know of each.

use super::{Loud, Running, Stage};
use crate::outcome::Outcome;

impl<T, V> Stage<T, V> {
    /// Shows every value that the suspended dispatch owns, each as often as it is owned.
    pub fn visit(&self, mut see: impl FnMut(&V)) {
        self.making.running.visit(&mut see);
    }
}

impl<T, V> Outcome<T, V> {
    /// Shows every value that the outcome owns, each as often as it is owned.
    pub fn visit(&self, mut see: impl FnMut(&V)) {
        self.running.visit(&mut see);
    }
}

impl<T, V> Running<T, V> {
    fn visit(&self, see: &mut impl FnMut(&V)) {
        see(&self.payload);
        if let Some(loud) = &self.loud {
            loud.visit(see);
        }
    }
}

impl<T, V> Loud<T, V> {
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
