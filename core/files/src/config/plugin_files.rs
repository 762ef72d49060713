//! The files in which a plugin declares its hooks: at the place that its system has for them, and where its manifest names
//! them.

use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use super::recognise::{Format, MANIFESTS, format_of_manifest, plugin_format};
use super::tree::{Kind, Node, parse_json, read_text};

/// What a plugin declares.
pub(super) struct PluginFiles {
    /// Every file that may be there.
    pub(super) places: Vec<(PathBuf, Format)>,
    /// What its manifests name and cannot be read.
    pub(super) unread: Vec<(PathBuf, String)>,
}

/// All that a plugin declares, its own format first.
pub(super) fn of(root: &Path) -> PluginFiles {
    let own = plugin_format(root).unwrap_or(Format::Claude);
    let mut files = PluginFiles { places: Vec::new(), unread: Vec::new() };
    files.add(root.join("hooks/hooks.json"), own);
    files.add(root.join(".codex-plugin/hooks.json"), Format::CodexJson);
    files.add(root.join(".cursor-plugin/hooks.json"), Format::Cursor);
    if own == Format::Copilot {
        files.add(root.join("hooks.json"), own);
    }
    for (manifest, format) in MANIFESTS {
        let (path, Some(format)) = (root.join(manifest), format_of_manifest(*format)) else { continue };
        let text = match read_text(&path) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => continue,
            read => read.map_err(|error| error.to_string()),
        };
        let top = text.and_then(|text| {
            parse_json(&text, true).map_err(|unreadable| format!("no JSON that can be read: {}", unreadable.why))
        });
        match top {
            Ok(top) => files.add_named(root, &path, &top, format),
            // The hooks that it may name are missing.
            Err(why) => files.unread.push((path, why)),
        }
    }
    files
}

impl PluginFiles {
    fn add(&mut self, file: PathBuf, format: Format) {
        self.places.push((file, format));
    }

    /// Adds what `hooks` of a manifest names: a file, several, or the hooks themselves.
    fn add_named(&mut self, root: &Path, manifest: &Path, top: &Node, format: Format) {
        let Some(hooks) = top.get("hooks") else { return };
        let named: Vec<&Node> = match &hooks.kind {
            Kind::List(items) => items.iter().collect(),
            _ => vec![hooks],
        };
        for one in named {
            match &one.kind {
                Kind::Object(_) if std::ptr::eq(one, hooks) => self.add(manifest.to_path_buf(), format),
                Kind::Text(path) if is_within(path) && root.join(path).is_file() => self.add(root.join(path), format),
                Kind::Text(path) => self.unread.push((
                    manifest.to_path_buf(),
                    format!("`hooks` names `{path}`, and there is no such file in the plugin; name one that is there"),
                )),
                _ => self.unread.push((
                    manifest.to_path_buf(),
                    "`hooks` must be the path of a file in the plugin, a list of such paths, or an object of hooks"
                        .to_owned(),
                )),
            }
        }
    }
}

/// Whether a path leads nowhere else than into the folder that it begins in.
fn is_within(path: &str) -> bool {
    Path::new(path).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}
