//! In which process something was made, found without a system call.

/// The process in which it was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ProcessMark(u32);

impl ProcessMark {
    /// This process.
    pub(super) fn here() -> Self {
        #[cfg(unix)]
        return Self(hookweave_spawn::forks());
        // Nothing is forked elsewhere.
        #[cfg(not(unix))]
        return Self(0);
    }

    /// The process that this one was forked from.
    #[cfg(test)]
    pub(super) fn elsewhere() -> Self {
        Self(Self::here().0.wrapping_sub(1))
    }

    /// A number for it that is not 0.
    pub(super) const fn number(self) -> u32 {
        self.0.saturating_add(1)
    }

    /// Whether this is the process in which it was made, and not one that was forked from it.
    #[inline]
    pub(super) fn is_here(self) -> bool {
        self == Self::here()
    }
}
