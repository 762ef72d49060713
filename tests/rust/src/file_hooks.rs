//! Where a case with files plays: a directory of its own, with a web server when the case has one.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use hookweave::{TrustStore, TrustedHook};
use hookweave_host::config::lint::lint;
use hookweave_host::config::load::LoadOptions;
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::case::Case;
use crate::check::check_refusal;
use crate::client::{Client, Fault};
use crate::pattern::{Missing, compare};
use crate::server::Server;

/// The place of one run.
#[derive(Debug)]
pub struct Place {
    root: TempDir,
    corpus: Arc<TempDir>,
    project: PathBuf,
    server: Option<Server>,
}

/// The corpus in the temporary directory, copied before any command runs, for as long as a case holds it.
///
/// Cases link to it: a script that is written while a command starts is held open for writing by that command for a
/// moment, and the system does not run it then.
#[must_use]
pub fn corpus() -> Arc<TempDir> {
    static COPY: Mutex<Weak<TempDir>> = Mutex::new(Weak::new());
    let mut copy = COPY.lock().unwrap();
    if let Some(there) = copy.upgrade() {
        return there;
    }
    let to = TempDir::with_prefix("hookweave-corpus-").unwrap();
    let from = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    for folder in std::fs::read_dir(from).unwrap().flatten().filter(|entry| entry.path().is_dir()) {
        let there = to.path().join(folder.file_name());
        std::fs::create_dir(&there).unwrap();
        for script in std::fs::read_dir(folder.path()).unwrap().flatten().filter(|entry| entry.path().is_file()) {
            std::fs::copy(script.path(), there.join(script.file_name())).unwrap();
        }
    }
    let to = Arc::new(to);
    *copy = Arc::downgrade(&to);
    to
}

impl Place {
    /// Makes the place for a case, and gives the case with its texts filled in.
    pub(crate) fn of(case: &Case) -> (Self, Case) {
        let root = TempDir::with_prefix("hookweave-vectors-").unwrap();
        let project = root.path().canonicalize().unwrap().join("project");
        std::fs::create_dir(&project).unwrap();
        let home = project.display().to_string();
        let server = (!case.server.is_empty()).then(|| {
            let settled = case.at(&[("{project}", &home)]);
            Server::start(settled.server)
        });
        let url = server.as_ref().map(Server::url).unwrap_or_default();
        let case = case.at(&[("{project}", &home), ("{server}", &url)]);
        let place = Self { root, corpus: corpus(), project, server };
        for file in &case.files {
            place.write(file);
        }
        (place, case)
    }

    /// The project's directory.
    pub(crate) fn project(&self) -> &Path {
        &self.project
    }

    /// Writes a file of a case: `content`, `text`, or a copy of a script of the corpus.
    pub(crate) fn write(&self, file: &Map<String, Value>) {
        let script = file.get("corpus").map(|name| self.corpus.path().join(name.as_str().unwrap()));
        let to = match (file.get("path"), &script) {
            (Some(path), _) => self.project.join(path.as_str().unwrap()),
            (None, Some(script)) => self.project.join("hooks").join(script.file_name().unwrap()),
            (None, None) => panic!("a file needs a path: {file:?}"),
        };
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        // Never written through: it may be a link to the corpus.
        let _ = std::fs::remove_file(&to);
        if let Some(script) = script {
            std::fs::hard_link(&script, &to).unwrap_or_else(|why| panic!("{}: {why}", script.display()));
            return;
        }
        let text = match (file.get("content"), file.get("text")) {
            (Some(content), _) => serde_json::to_string_pretty(content).unwrap(),
            (None, text) => text.and_then(Value::as_str).unwrap().to_owned(),
        };
        std::fs::write(&to, text).unwrap();
        if file.get("executable") == Some(&Value::Bool(true)) {
            make_executable(&to);
        }
    }

    /// Loads what an entry names; gives what does not hold.
    pub(crate) fn load(&self, client: &dyn Client, entry: &Map<String, Value>) -> Vec<String> {
        let mut entry = entry.clone();
        for name in ["path", "discover"] {
            if let Some(path) = entry.get(name).and_then(Value::as_str) {
                let whole = self.project.join(path).display().to_string();
                entry.insert(name.to_owned(), whole.into());
            }
        }
        if entry.contains_key("discover") {
            entry.entry("trust_store").or_insert_with(|| self.trust_store().path().to_string_lossy().into());
        }
        let place = format!("load {}", entry.get("path").or(entry.get("discover")).unwrap());
        Self::check_report(&place, &entry, client.load(&entry))
    }

    /// Reads everything again; gives what does not hold.
    pub(crate) async fn reload(&self, client: &dyn Client, expect: &Map<String, Value>) -> Vec<String> {
        Self::check_report("reload", expect, client.reload().await)
    }

    /// Lints what an entry names; gives what does not hold.
    pub(crate) fn lint(&self, entry: &Map<String, Value>) -> Vec<String> {
        let path = self.project.join(entry["path"].as_str().unwrap());
        let dialect = entry.get("dialect").and_then(Value::as_str);
        let (place, mut faults) = (format!("lint {}", path.display()), Vec::new());
        match lint(&path, &LoadOptions { dialect, ..LoadOptions::default() }) {
            Ok(findings) => {
                let findings = serde_json::to_value(findings).unwrap();
                check_refusal(&place, entry.get("error"), None, &mut faults);
                let wanted = entry.get("findings").cloned().unwrap_or(json!([]));
                compare(&place, &wanted, Some(&findings), Missing::IsAFault, &mut faults);
            }
            Err(error) => check_refusal(&place, entry.get("error"), Some(error.into()), &mut faults),
        }
        faults
    }

    fn trust_store(&self) -> TrustStore {
        TrustStore::at(self.root.path().join("trust.json"))
    }

    /// Approves every pending hook in the usual places of the project.
    pub(crate) fn approve(&self, client: &dyn Client, entry: &Map<String, Value>) {
        let mut request = json!({"discover": self.project, "trust_store": self.trust_store().path()});
        request.as_object_mut().unwrap().extend(entry.clone());
        let report = client.load(request.as_object().unwrap()).unwrap();
        let waiting = report["untrusted"].as_array().unwrap().iter();
        let approvals: Vec<TrustedHook> =
            waiting.map(|hook| serde_json::from_value(hook["approval"].clone()).unwrap()).collect();
        self.trust_store().approve(&approvals).unwrap();
    }

    fn check_report(place: &str, expect: &Map<String, Value>, came: Result<Value, Fault>) -> Vec<String> {
        let mut faults = Vec::new();
        let report = match came {
            Ok(report) => report,
            Err(fault) => {
                check_refusal(place, expect.get("error"), Some(fault), &mut faults);
                return faults;
            }
        };
        if let Some(wanted) = expect.get("error") {
            faults.push(format!("{place}: expected {wanted}, was not refused"));
        }
        // An unexpected entry is a fault too: a case that loads less than intended would test nothing.
        let nothing = json!([]);
        for list in ["problems", "untrusted"] {
            let wanted = expect.get(list).unwrap_or(&nothing);
            compare(&format!("{place}: {list}"), wanted, Some(&report[list]), Missing::IsAFault, &mut faults);
        }
        for list in ["found", "added", "removed", "changed", "kept", "options"] {
            if let Some(wanted) = expect.get(list) {
                compare(&format!("{place}: {list}"), wanted, Some(&report[list]), Missing::IsAFault, &mut faults);
            }
        }
        faults
    }

    /// A payload with the project as its working directory, unless it has another.
    pub(crate) fn payload(&self, payload: &Value) -> Value {
        let mut payload = payload.clone();
        if let Some(fields) = payload.as_object_mut() {
            fields.entry("cwd").or_insert_with(|| self.project.display().to_string().into());
        }
        payload
    }

    /// Holds what hooks left in files, and what the server was asked, against what is expected.
    pub(crate) fn check(&self, expect: &Map<String, Value>, faults: &mut Vec<String>) {
        for (path, pattern) in expect.get("saw").and_then(Value::as_object).into_iter().flatten() {
            let text = std::fs::read_to_string(self.project.join(path)).ok();
            let is_json = Path::new(path).extension().is_some_and(|ending| ending == "json");
            let got = text.map(|text| {
                if is_json {
                    serde_json::from_str(&text).unwrap_or_else(|why| panic!("{path}: {why}: {text}"))
                } else {
                    Value::from(text.trim_end())
                }
            });
            compare(&format!("saw {path}"), pattern, got.as_ref(), Missing::IsAFault, faults);
        }
        let asked = self.server.as_ref().map(Server::asked);
        if let Some(wanted) = expect.get("requests") {
            compare("requests", wanted, asked.as_ref(), Missing::IsAFault, faults);
        }
    }

    /// Takes a step that needs the place; `None` when the step is none of these.
    pub(crate) async fn step(&self, client: &dyn Client, step: &Map<String, Value>) -> Option<Vec<String>> {
        let (deed, value) = step.iter().next().expect("a step is not empty");
        let fields = || value.as_object().cloned().unwrap_or_default();
        match deed.as_str() {
            "write" => self.write(&fields()),
            "remove" => std::fs::remove_file(self.project.join(value.as_str().unwrap())).unwrap(),
            "wait_ms" => tokio::time::sleep(Duration::from_millis(value.as_u64().unwrap())).await,
            "load" => return Some(self.load(client, &fields())),
            "reload" => return Some(self.reload(client, &fields()).await),
            "approve" => self.approve(client, &fields()),
            _ => return None,
        }
        Some(Vec::new())
    }
}

#[cfg(unix)]
fn make_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(not(unix))]
fn make_executable(_path: &Path) {}
