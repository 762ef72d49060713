//! The forms of secrets that need no name beside them to be recognised.

/// Regular expressions; of one with a group `secret` only that is blacked out, unless a group `name` tells that it is none.
pub(super) const SECRETS: &[&str] = &[
    // Private keys, also without their end.
    r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|\z)",
    // JSON web tokens.
    r"(?-u:\b)eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*",
    // GitHub, GitLab.
    r"(?-u:\b)(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,})",
    // OpenAI, Anthropic and others of their kind; Stripe.
    r"(?-u:\b)sk-[A-Za-z0-9_-]{16,}",
    r"(?-u:\b)(?:sk|rk|pk|whsec)_(?:(?:live|test)_)?[A-Za-z0-9]{16,}",
    // Amazon, Google, Azure.
    r"(?-u:\b)(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA)[A-Z0-9]{16}(?-u:\b)",
    r"(?-u:\b)AIza[A-Za-z0-9_-]{30,}|(?-u:\b)ya29\.[A-Za-z0-9_-]{16,}",
    r"(?i)(?-u:\b)(?:AccountKey|SharedAccessKey|sig)=(?P<secret>[A-Za-z0-9+/%]{20,}={0,2})",
    // What signs an address.
    r#"(?i)[?&;](?:X-(?:Amz|Goog)-Signature|signature|sig)=(?P<secret>[^\s"'&;#<>]{8,})"#,
    // Slack, Discord, Telegram, Twilio, SendGrid.
    r"(?-u:\b)xox[a-z]-[A-Za-z0-9-]{10,}|(?-u:\b)xapp-[A-Za-z0-9-]{10,}",
    r"hooks\.slack\.com/services/(?P<secret>[A-Za-z0-9/]{20,})",
    r"(?:(?-u:\b)|bot)(?P<secret>[0-9]{8,10}:[A-Za-z0-9_-]{35})(?:[^A-Za-z0-9_-]|\z)",
    r"(?-u:\b)SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
    // Package registries, model hubs, clouds.
    r"(?-u:\b)npm_[A-Za-z0-9]{30,}|(?-u:\b)pypi-[A-Za-z0-9_-]{32,}|(?-u:\b)hf_[A-Za-z0-9]{24,}|(?-u:\b)do[opr]_v1_[a-f0-9]{32,}|(?-u:\b)hvs\.[A-Za-z0-9_-]{20,}",
    // What stands in a header.
    r"(?i)(?-u:\b)(?:bearer|basic|token|digest)\s+(?P<secret>[A-Za-z0-9._~+/-]{8,}=*)",
    r"(?i)(?-u:\b)(?:authorization|x-api-key|api-key|cookie|set-cookie|x-auth-token)\s*:\s*(?P<secret>[^\r\n'\x22]+)",
    // What stands before the host in an address; an `@` may be part of it.
    r"(?-u:\b)[A-Za-z][A-Za-z0-9+.-]*://[^\s/@:'\x22]*:(?P<secret>[^\s/'\x22]+)@",
    // `name=value`, `name: value` where the name reveals a secret; in JSON inside of JSON the quotes are escaped.
    r#"(?i)(?P<name>[\w.-]*(?:passw(?:or)?d|passphrase|pwd|secret|token|api[_-]?key|apikey|access[_-]?key|private[_-]?key|signing[_-]?key|credential)s?[\w-]*)(?:\\*["'])?\s*(?:=>?|:=?)\s*(?P<secret>\\+"[^"]*"?|"(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s"'&;|,)}\]]+)"#,
    // `pass` alone is a word of tests (`PASS: all`, `pass=12`) and of compilers (`first_pass = …`): more is needed.
    r#"(?i)(?:\w_|(?:^|[^\w.]))pass(?:\\*["'])?\s*(?:=>?|:=?)\s*(?P<secret>\\+"[^"]*"?|"(?:[^"\\]|\\.)*"?|'[^']*'?)"#,
    r#"(?i)\w_pass=(?P<secret>[^\s"'&;|,)}\]]+)"#,
    r#"(?i)(?:^|[\s?&;,({])pass=(?P<secret>[0-9]*[^\s"'&;|,)}\]0-9][^\s"'&;|,)}\]]*)"#,
    r#"[A-Z0-9]_PASS\s*[=:]\s*(?P<secret>[^\s"'&;|,)}\]]+)"#,
    r#"(?m)^[ \t]*\w+_pass:[ \t]+(?P<secret>[^\s"'#]+)"#,
    // The text of an element.
    r"(?i)<(?:[\w.-]+:)?(?P<name>[\w.-]*(?:passw(?:or)?d|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential)[\w.-]*)(?:\s[^<>\n]*)?>(?P<secret>[^<>\n]+)</",
    // A name and a value in two fields, as Kubernetes lists variables.
    r#"(?i)(?-u:\b)(?:name|key)(?:\\*["'])?\s*[:=]\s*(?:\\*["'])?(?P<name>[\w.-]*(?:passw(?:or)?d|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|signing[_-]?key|credential)s?[\w.-]*)(?:\\*["'])?\s*,?\s*(?:\\*["'])?value(?:\\*["'])?\s*[:=]\s*(?P<secret>\\+"[^"]*"?|"(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s"'&;|,)}\]]+)"#,
    // A line of `.pgpass`, told by the usual ports of PostgreSQL and its poolers.
    r#"(?m)(?:^|[\s"'])[^\s:"']+:(?:54[0-9]{2}|6432|6543|26257|\*):[^\s:"']+:[^\s:"']+:(?P<secret>[^\s"']+)"#,
    // A line of `.npmrc`.
    r#"(?m)(?:^|[\s:/"'])_auth[ \t]*=[ \t]*(?P<secret>[^\s"']+)"#,
    // A private key of PuTTY's, also without its end.
    r"(?-u:\b)Private-Lines:[ \t]*[0-9]+\s+(?P<secret>[A-Za-z0-9+/=\s]+)",
    // A line of `.netrc`.
    r"(?i)(?-u:\b)(?:machine\s+\S+(?:\s+login\s+\S+)?|default\s+login\s+\S+)(?:\s+account\s+\S+)?\s+password\s+(?P<secret>\S+)",
];
