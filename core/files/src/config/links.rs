//! Where paths lead by links.

use std::path::{Path, PathBuf};

/// How many links that lead nowhere are followed, one to the next; systems follow no more.
const MOST: usize = 40;

/// A path with its links resolved, as far as it is there. A link to what is not there yet is followed too: what is written
/// to it comes to be where it leads.
pub(super) fn real(path: &Path) -> PathBuf {
    let mut path = path.to_path_buf();
    for _ in 0..MOST {
        if let Ok(real) = std::fs::canonicalize(&path) {
            return real;
        }
        let Some(there) = path.ancestors().find(|above| above.symlink_metadata().is_ok()) else { return path };
        let (from, is_link) = match std::fs::read_link(there) {
            Ok(target) => (there.parent().unwrap_or(there).join(target), true),
            Err(_) => (std::fs::canonicalize(there).unwrap_or_else(|_| there.to_path_buf()), false),
        };
        let led = match path.strip_prefix(there) {
            Ok(rest) if !rest.as_os_str().is_empty() => from.join(rest),
            _ => from,
        };
        if !is_link {
            return led;
        }
        path = led;
    }
    path
}

/// Where a path leads by links, if anywhere else than it says: from the root, and from each of the folders that it lies in,
/// as they are spelled.
pub(super) fn led_to(path: &str, folders: &[String]) -> Vec<String> {
    // Some programs stop reading at a NUL.
    let path = Path::new(path.split('\0').next().unwrap_or_default());
    if !path.is_absolute() {
        return Vec::new();
    }
    let led = real(path);
    if led == path {
        return Vec::new();
    }
    let inside = |folder: &String| {
        let folder = Path::new(folder);
        Some(folder.join(led.strip_prefix(real(folder)).ok()?))
    };
    let spelled = folders.iter().filter_map(inside);
    spelled.chain([led.clone()]).map(|path| path.to_string_lossy().replace('\\', "/")).collect()
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_to_what_is_not_there_yet_are_followed() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path().canonicalize().unwrap();
        std::fs::create_dir(here.join("sub")).unwrap();
        symlink("../new/file", here.join("sub/one")).unwrap();
        symlink("sub/one", here.join("two")).unwrap();
        symlink("new", here.join("three")).unwrap();
        let new = here.join("new/file");
        assert_eq!(real(&here.join("sub/one")), new.clone());
        assert_eq!(real(&here.join("two")), new.clone());
        assert_eq!(real(&here.join("three/file")), new);
        assert_eq!(real(&here.join("nothing/at/all")), here.join("nothing/at/all"));
    }

    #[test]
    fn a_circle_of_links_ends() {
        let folder = tempfile::tempdir().unwrap();
        symlink("b", folder.path().join("a")).unwrap();
        symlink("a", folder.path().join("b")).unwrap();
        real(&folder.path().join("a/file"));
    }

    #[test]
    fn what_a_link_leads_to_is_spelled_from_the_folders_that_are_given() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(here.join("app/secrets")).unwrap();
        symlink("app", here.join("link")).unwrap();
        symlink("secrets", here.join("app/s")).unwrap();
        let text = |path: &str| here.join(path).to_string_lossy().into_owned();
        assert_eq!(led_to(&text("link/s/k"), &[text("link")]), [text("link/secrets/k"), text("app/secrets/k")]);
        assert_eq!(led_to(&text("app/secrets/k"), &[text("app")]), [] as [String; 0]);
    }
}
