//! The places on a command line where a secret stands.
//!
//! An option of one letter is a secret's only behind the command that says so: `mkdir -p x` has none.

/// Regular expressions; of each only the group `secret` is blacked out.
pub(super) const SECRETS: &[&str] = &[
    // `--token value`, also as an element of a list.
    r#"(?i)(?:^|[\s"'])(?P<name>--?[\w-]*(?:passw(?:or)?d|passphrase|secret|token|api-?key|access-?key|private-?key)[\w-]*)(?:\s+|\\*["']\s*,\s*\\*["'])(?P<secret>"[^"]*"?|'[^']*'?|[^\s"'&;|-][^\s"'&;|]*)"#,
    // A name and a password.
    r#"(?:^|\s)(?:-u|--user)[ =]?["']?[^\s:"']+:(?P<secret>[^\s"']+)"#,
    // Variables: `set -x NAME value`, `setenv NAME value`.
    r#"(?i)(?-u:\b)(?:set(?:\s+--?[a-z]+)+|setenv|setx)\s+[\w.-]*(?:passw(?:or)?d|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential|_pass(?-u:\b))[\w-]*\s+(?P<secret>"[^"]*"?|'[^']*'?|[^\s"'&;|]+)"#,
    // Settings: `aws configure set aws_secret_access_key value`, `git config --global x.token value`.
    r#"(?i)(?-u:\b)config(?:ure)?\s+(?:(?:(?:set|put|add|--?[a-z][\w-]*(?:=\S+)?)\s+)+[^\s"'&;|=]*|[^\s"'&;|=]+[.:][\w-]*)(?:passw(?:or)?d|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential|_auth(?-u:\b))[\w-]*\s+(?P<secret>"[^"]*"?|'[^']*'?|[^\s"'&;|-][^\s"'&;|]*)"#,
    r#"(?-u:\b)sshpass\s+(?:-[a-zA-Z]+\s+)*-p\s*(?P<secret>"[^"]*"?|'[^']*'?|[^\s"'&;|]+)"#,
    // Behind a space it would be the name of the database. An error's text names the command behind a colon or in quotes.
    r#"(?:(?:^|[\n;|&(`:>$"']|(?-u:\b)(?:sudo|env|time|then|do|command|failed|running)\s)\s*(?:\S*/)?|(?-u:\b)exec\s[^\n|;&]*?\s)(?:mysql|mariadb)[a-z-]*\s(?:(?:[^\n|;&"']|"[^"\n]*"|'[^'\n]*')*?\s)?-p(?P<secret>"[^"]*"?|'[^']*'?|[^\s"'&;|]+)"#,
    r#"(?-u:\b)(?:docker|podman|nerdctl|buildah|helm|oras)\s+(?:registry\s+)?login\s(?:(?:[^\n|;&"']|"[^"\n]*"|'[^'\n]*')*?\s)?-p[\s=]?\s*(?P<secret>"[^"]*"?|'[^']*'?|[^\s"'&;|]+)"#,
    r#"(?-u:\b)gh\s+secret\s+set\s(?:(?:[^\n|;&"']|"[^"\n]*"|'[^'\n]*')*?\s)?(?:-b|--body)[\s=]?\s*(?P<secret>"[^"]*"?|'[^']*'?|[^\s"'&;|]+)"#,
    // Without `=` it is a file of cookies.
    r#"(?-u:\b)curl\s(?:(?:[^\n|;&"']|"[^"\n]*"|'[^'\n]*')*?\s)?(?:-b|--cookie)[\s=]?\s*(?P<secret>"[^"=]*=[^"]*"?|'[^'=]*=[^']*'?|[^\s"'=&;|]+=[^\s"'&;|]+)"#,
];
