//! `--mcp`: the proxy in front of the servers of a client's configuration.

use std::path::{Path, PathBuf};

use super::{Install, NAME, Uninstall, again_if_changed, keep, own_program, warn};
use crate::change::{Change, make, read, real_place};
use crate::commands::installed::{MCP, Written};
use crate::failed::{Failed, Result, Verdict};
use crate::hook_command::split;
use crate::mcp_servers::{Servers, Wrapped};
use crate::reach::Reach;
use crate::screen::{Screen, count, shown};

/// The file, and what is in it.
fn open(named: &Path) -> Result<(PathBuf, String)> {
    let folder = named.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file = real_place(named, folder)?;
    let missing = || Failed::file(named, "is not there; name the configuration of an MCP client, such as .mcp.json");
    let text = read(&file)?.ok_or_else(missing)?;
    Ok((file, text))
}

fn changed(file: &Path, before: String, after: String) -> Change {
    Change { file: file.to_path_buf(), before: Some(before), after: Some(after), executable: false, is_ours: false }
}

impl Install {
    /// Puts the proxy in front of the servers of a file.
    pub(super) fn servers(&self, screen: Screen<'_>, named: &Path) -> Result<Verdict> {
        let (file, _) = open(named)?;
        let project = std::fs::canonicalize(&self.target.cwd).map_err(|why| Failed::file(&self.target.cwd, why))?;
        let reach = if file.starts_with(project) { Reach::Project } else { Reach::User };
        let options = split(&self.options(&self.sources, reach)?);
        let own = || own_program().map_or_else(|| NAME.to_owned(), |own| own.display().to_string());
        let program = self.program.clone().unwrap_or_else(own);
        if program.contains(char::is_whitespace) && !Path::new(&program).exists() {
            return Err(Failed::new(format!(
                "--program `{program}` is no file; servers are started by one program, without a shell"
            )));
        }
        let (mut wrapped, mut written, mut is_as_wanted) = (Wrapped::default(), Written::new(), false);
        let is_made = again_if_changed(self.how, || {
            let (file, before) = open(named)?;
            let refuse = |why: String| Failed::file(named, why);
            let mut servers = Servers::read(&before).map_err(refuse)?;
            wrapped = servers.wrap(&program, &options).map_err(refuse)?;
            written = servers.standing().0.iter().map(|judged| (judged.name.clone(), judged.line())).collect();
            let change = changed(&file, before, servers.text());
            is_as_wanted = change.is_empty();
            Ok((make(screen, std::slice::from_ref(&change), self.how), change))
        })?;
        for (name, why) in &wrapped.left {
            warn(screen, &format!("{name} {why}: calls of its tools are not judged"))?;
        }
        if is_made || is_as_wanted && !self.how.dry_run {
            keep(screen, MCP, &file, Some(&written))?;
        }
        if is_made {
            let number = count(wrapped.judged.len(), "server");
            writeln!(screen, "{number} through hookweave from the client's next start.")?;
        }
        Ok(Verdict::Fine)
    }
}

impl Uninstall {
    /// Takes the proxy out of a file.
    pub(super) fn servers(&self, screen: Screen<'_>, named: &Path) -> Result<Verdict> {
        if !named.exists() {
            self.forget(screen, MCP, named)?;
        }
        let (file, before) = open(named)?;
        let mut servers = Servers::read(&before).map_err(|why| Failed::file(named, why))?;
        self.forget(screen, MCP, &file)?;
        if servers.unwrap() == 0 {
            let file = shown(&named.display().to_string());
            writeln!(screen, "Nothing to change: no server of {file} is reached through hookweave.")?;
            return Ok(Verdict::Fine);
        }
        let change = changed(&file, before, servers.text());
        make(screen, std::slice::from_ref(&change), self.how)?;
        Ok(Verdict::Fine)
    }
}
