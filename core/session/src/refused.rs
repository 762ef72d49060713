//! Variables that decide what a program really runs, whom it talks to, or what an agent's hooks find.

/// Beginnings of names, in capitals.
const FAMILIES: &[&str] = &[
    // The loader and the C library.
    "LD_",
    "DYLD_",
    "_RLD",
    "GLIBC_",
    "MALLOC_",
    "NIX_",
    "ASAN_",
    "LSAN_",
    "TSAN_",
    "UBSAN_",
    // Interpreters and their packages.
    "PYTHON",
    "PYENV_",
    "PIP_",
    "UV_",
    "CONDA_",
    "VIRTUAL_ENV",
    "NODE_",
    "NPM_",
    "NVM_",
    "YARN_",
    "PNPM_",
    "BUN_",
    "DENO_",
    "PERL5",
    "PERLLIB",
    "RUBY",
    "GEM_",
    "BUNDLE_",
    "LUA_",
    "PHP_",
    "JAVA_",
    "JDK_",
    "_JAVA_",
    "DOTNET_",
    "CORECLR_",
    "COR_",
    "COMPLUS_",
    "JULIA_",
    "TCL",
    "GUILE_",
    "ERL_",
    "PSMODULE",
    "POWERSHELL_",
    // Shells.
    "BASH",
    "ZDOTDIR",
    "ZSH_",
    "KSH_",
    "FISH_",
    // Programs that guards are made of.
    "GIT_",
    "SSH_",
    "GPG_",
    "CARGO_",
    "RUSTC",
    "RUSTUP_",
    "RUSTFLAGS",
    "CMAKE_",
    "DOCKER_",
    "KUBECONFIG",
    "GREP_",
    "CURL_",
    "WGET",
    "POSIXLY_",
    // Whom a request believes, and where a name leads.
    "SSL_",
    "SSLKEYLOG",
    "OPENSSL_",
    "RES_",
    "KRB5",
    // Whose files are read, and in which language messages are written.
    "XDG_",
    "LC_",
    "DBUS_",
    // What agents and the engine set for their hooks.
    "CLAUDE",
    "CODEX_",
    "GEMINI_",
    "CURSOR_",
    "COPILOT_",
    "FACTORY_",
    "DROID_",
    "WINGMAN_",
    "HOOK_",
    "HOOKWEAVE_",
];

/// Endings of names, in capitals: where agents' hooks find the project and their plugin.
const PLACES: &[&str] = &["_PROJECT_DIR", "_PLUGIN_ROOT", "_PLUGIN_DATA"];

/// Whole names, in capitals.
const NAMES: &[&str] = &[
    // Where programs are found, and what shells do with a line.
    "PATH",
    "MANPATH",
    "ENV",
    "_",
    "SHELL",
    "SHELLOPTS",
    "IFS",
    "PS4",
    "FPATH",
    "CDPATH",
    "GLOBIGNORE",
    "EXECIGNORE",
    "PROMPT_COMMAND",
    "HISTFILE",
    // The C library.
    "GCONV_PATH",
    "LOCPATH",
    "NLSPATH",
    "LOCALDOMAIN",
    "HOSTALIASES",
    "RESOLV_HOST_CONF",
    // Interpreters.
    "CLASSPATH",
    "PHPRC",
    "PERL_UNICODE",
    "R_HOME",
    "R_PROFILE",
    "R_ENVIRON",
    // Builders, and programs that guards are made of.
    "GOFLAGS",
    "GOPATH",
    "GOROOT",
    "GOENV",
    "GOPROXY",
    "GODEBUG",
    "GOTOOLCHAIN",
    "GOBIN",
    "MAKEFLAGS",
    "MFLAGS",
    "MAKEFILES",
    "CC",
    "CXX",
    "CPP",
    "AWKPATH",
    "AWKLIBPATH",
    // What these start in turn.
    "LESS",
    "LESSOPEN",
    "LESSCLOSE",
    "LESSKEY",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "MANPAGER",
    "BROWSER",
    "GNUPGHOME",
    "JQ_LIBRARY_PATH",
    // Where requests go, and whom they believe.
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "FTP_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "REQUESTS_CA_BUNDLE",
    // Whose files are read, and in which language messages are written.
    "HOME",
    "HOMEDRIVE",
    "HOMEPATH",
    "USER",
    "LOGNAME",
    "USERNAME",
    "USERPROFILE",
    "PWD",
    "OLDPWD",
    "TMP",
    "TEMP",
    "TMPDIR",
    "TEMPDIR",
    "LANG",
    "LANGUAGE",
    "TERM",
    "TERMINFO",
    "TERMCAP",
    "TZ",
    "TZDIR",
    // The same on Windows.
    "APPDATA",
    "LOCALAPPDATA",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "SYSTEMROOT",
    "WINDIR",
    "COMSPEC",
    "PATHEXT",
    // What agents set for their hooks.
    "PLUGIN_ROOT",
    "PLUGIN_DATA",
];

/// Whether a variable may change what a program does other than by being asked for.
pub(super) fn says_how_programs_run(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    NAMES.contains(&name.as_str())
        || PLACES.iter().any(|ending| name.ends_with(ending))
        || FAMILIES.iter().any(|family| name.starts_with(family))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_only_reads_passes_and_what_changes_it_does_not() {
        for name in [
            "PATH",
            "LD_PRELOAD",
            "DYLD_INSERT_LIBRARIES",
            "NODE_OPTIONS",
            "PYTHONPATH",
            "BASH_ENV",
            "ENV",
            "https_proxy",
            "GIT_SSH_COMMAND",
            "HOME",
            "IFS",
            "PERL5OPT",
            "RUBYOPT",
            "JAVA_TOOL_OPTIONS",
            "SSL_CERT_FILE",
            "CLAUDE_PROJECT_DIR",
            "FACTORY_PROJECT_DIR",
            "DROID_PLUGIN_ROOT",
            "HOOKWEAVE_DEPTH",
            "CURL_HOME",
            "GCONV_PATH",
            "PROMPT_COMMAND",
            "TMPDIR",
        ] {
            assert!(says_how_programs_run(name), "{name}");
        }
        for name in [
            "DATABASE_URL",
            "API_URL",
            "PROJECT",
            "STAGE",
            "A",
            "TEMPLATE",
            "GOAL",
            "USER_ID",
            "MY_PATH",
            "FEATURE_PATH",
            "DEPLOY_ENV",
        ] {
            assert!(!says_how_programs_run(name), "{name}");
        }
    }
}
