//! Pages of HTML that need nothing beside themselves: no network, no script.

use crate::screen::shown;

/// Dark and light, as the reader's system has it; colours are never the only sign.
const STYLE: &str = include_str!("html.css");

/// A page: its title and its content, which is HTML already.
pub(crate) fn page(title: &str, body: &str) -> String {
    let title = escaped(title);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )
}

/// Text for HTML, in elements and in attributes.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::new();
    for letter in shown(text).chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '`' => safe.push_str("&#96;"),
            letter => safe.push(letter),
        }
    }
    safe
}
