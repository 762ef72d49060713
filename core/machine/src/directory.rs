//! Where an event happens whose host does not say so.

use std::borrow::Cow;
use std::sync::Arc;

/// The working directory of the events that name none: the client's project, else the process's own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Directory(Option<Arc<str>>);

impl Directory {
    /// A directory that stays the same; one that is not given from the root is taken from where the process is now.
    #[must_use]
    pub fn fixed(path: &str) -> Self {
        let whole = std::path::absolute(path).ok().and_then(|whole| whole.into_os_string().into_string().ok());
        Self(Some(whole.map_or_else(|| path.into(), Arc::from)))
    }

    /// The client's project, if it was given one.
    #[must_use]
    pub fn project(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// The directory at this moment; `None` where it was deleted, or has no name in Unicode.
    ///
    /// The process's own is asked for each time, because a program may go elsewhere, and relative paths with it.
    #[must_use]
    pub fn now(&self) -> Option<Cow<'_, str>> {
        match &self.0 {
            Some(fixed) => Some(Cow::Borrowed(fixed)),
            None => std::env::current_dir().ok()?.into_os_string().into_string().ok().map(Cow::Owned),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_named_from_the_root() {
        let here = Directory::default().now().unwrap().into_owned();
        assert!(std::path::Path::new(&here).is_absolute());
        assert_eq!(Directory::fixed("/w/project").now().as_deref(), Some("/w/project"));
        assert_eq!(Directory::fixed("sub").now().unwrap(), format!("{here}/sub"));
        assert_eq!(Directory::fixed("").now().as_deref(), Some(""));
    }
}
