//! Names of fields whose values are secrets.

/// Words that make a name one of a secret, wherever they stand in it.
const WORDS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "pwd",
    "secret",
    "secrets",
    "token",
    "apikey",
    "authorization",
    "credential",
    "credentials",
    "cookie",
    "cookies",
    "privatekey",
    "accesskey",
    "secretkey",
    "otp",
    "pin",
    "jwt",
];

/// Pairs of words that do.
const PAIRS: &[(&str, &str)] = &[
    ("api", "key"),
    ("access", "key"),
    ("private", "key"),
    ("signing", "key"),
    ("encryption", "key"),
    ("account", "key"),
    ("auth", "key"),
    ("auth", "header"),
    ("connection", "string"),
];

/// Last words that make a text a secret; numbers under such a name count what passed.
const PASS: &[&str] = &["pass", "dbpass", "userpass"];

/// Words behind `token` that say that tokens are counted.
const COUNTS: &[&str] = &["usage", "count", "counts", "limit", "budget"];

/// Last words that say that a file has the secret.
const FILES: &[&str] = &["file", "filename", "path"];

/// A longer number counts nothing.
const LONGEST_COUNT: usize = 12;

/// Whether a text is no secret though its name has a word of one: a count (`max_tokens: 4096`), or the place of the file
/// that has the secret (`--token-file x`).
pub(super) fn is_count_or_file(name: &str, text: &str) -> bool {
    let words = words(name);
    let text = text.trim_matches(['\\', '"', '\'']);
    (counts_tokens(&words) && is_count(text)) || (names_file(&words) && !text.contains([':', '=']))
}

fn counts_tokens(words: &[String]) -> bool {
    let next = |at: usize| words.get(at + 1).map_or("", String::as_str);
    words.iter().enumerate().any(|(at, word)| word == "tokens" || (word == "token" && COUNTS.contains(&next(at))))
}

fn is_count(text: &str) -> bool {
    let number = text.strip_suffix(['k', 'K', 'm', 'M']).unwrap_or(text);
    number.len() <= LONGEST_COUNT
        && number.starts_with(|letter: char| letter.is_ascii_digit())
        && number.chars().all(|letter| letter.is_ascii_digit() || matches!(letter, '_' | '.'))
}

fn names_file(words: &[String]) -> bool {
    words.last().is_some_and(|word| FILES.contains(&word.as_str()))
}

/// Which names are those of secrets.
#[derive(Debug)]
pub(super) struct Keys {
    defaults: bool,
    own: Vec<String>,
}

impl Keys {
    pub(super) fn new(defaults: bool, own: &[String]) -> Self {
        Self { defaults, own: own.iter().map(|key| plain(key)).collect() }
    }

    /// Whether what stands under a name is a secret: `dbPassword`, `API-KEY`, `session_token`; not `max_tokens`.
    pub(super) fn are_secret(&self, name: &str) -> bool {
        if !self.own.is_empty() && self.own.contains(&plain(name)) {
            return true;
        }
        if !self.defaults {
            return false;
        }
        let words = words(name);
        !names_file(&words)
            && words.iter().enumerate().any(|(at, word)| {
                let next = words.get(at + 1).map_or("", String::as_str);
                let counted = word == "token" && COUNTS.contains(&next);
                (WORDS.contains(&word.as_str()) && !counted) || PAIRS.contains(&(word.as_str(), next))
            })
    }

    /// Whether a text under a name is a secret though a number would not be: `pass`, `DB_PASS`.
    pub(super) fn are_secret_texts(&self, name: &str) -> bool {
        self.defaults && words(name).last().is_some_and(|word| PASS.contains(&word.as_str()))
    }

    /// Whether an argument names the secret that is the next one: `--token`.
    pub(super) fn announced_by(&self, argument: &str) -> bool {
        let is_option =
            argument.starts_with('-') && !argument.contains(|letter: char| letter == '=' || letter.is_whitespace());
        is_option && (self.are_secret(argument) || self.are_secret_texts(argument))
    }
}

fn plain(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The words of a name in any of the usual spellings, in small letters.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for letter in name.chars() {
        let begins = letter.is_uppercase() && before.is_lowercase();
        if (begins || !letter.is_alphanumeric()) && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if letter.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_told_from_others() {
        let keys = Keys::new(true, &["X-Internal".to_owned()]);
        for name in [
            "password",
            "dbPassword",
            "DB_PASSWORD",
            "api_key",
            "apiKey",
            "API-KEY",
            "apikey",
            "x-api-key",
            "session_token",
            "clientSecret",
            "Authorization",
            "set-cookie",
            "aws.secret.access.key",
            "xInternal",
            "x_internal",
        ] {
            assert!(keys.are_secret(name), "{name}");
        }
        for name in [
            "max_tokens",
            "token_usage",
            "tokenCount",
            "key",
            "monkey",
            "author",
            "command",
            "content",
            "pinned",
            "token_file",
        ] {
            assert!(!keys.are_secret(name), "{name}");
        }
        assert!(!Keys::new(false, &[]).are_secret("password"));
    }

    #[test]
    fn a_pass_is_a_secret_where_it_is_a_text() {
        let keys = Keys::new(true, &[]);
        for name in ["pass", "DB_PASS", "smtpPass", "dbpass"] {
            assert!(keys.are_secret_texts(name) && !keys.are_secret(name), "{name}");
        }
        for name in ["passed", "bypass", "pass_count", "passes"] {
            assert!(!keys.are_secret_texts(name), "{name}");
        }
    }

    #[test]
    fn options_announce_secrets() {
        let keys = Keys::new(true, &[]);
        for (argument, announces) in [
            ("--token", true),
            ("-password", true),
            ("--db-pass", true),
            ("--token=x", false),
            ("--token-file", false),
            ("token", false),
            ("-p", false),
        ] {
            assert_eq!(keys.announced_by(argument), announces, "{argument}");
        }
    }
}
