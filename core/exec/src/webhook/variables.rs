//! Variables in header values: `$NAME` and `${NAME}`.

/// The variables that a header value names, in order.
pub(super) fn variables(text: &str) -> impl Iterator<Item = &str> {
    parts(text).into_iter().filter_map(|part| match part {
        Part::Variable(name) => Some(name),
        Part::Text(_) => None,
    })
}

/// A piece of a header value.
pub(super) enum Part<'a> {
    Text(&'a str),
    Variable(&'a str),
}

/// Splits a value at its `$NAME` and `${NAME}`; a `$` before anything else is a dollar sign.
pub(super) fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        let (name, next) = match after.strip_prefix('{') {
            Some(braced) => match braced.split_once('}') {
                Some((name, next)) if name_end(name) == name.len() => (name, next),
                _ => ("", after),
            },
            None => after.split_at(name_end(after)),
        };
        if name.is_empty() {
            parts.push(Part::Text(rest.get(..=before.len()).unwrap_or(before)));
            rest = after;
        } else {
            parts.push(Part::Text(before));
            parts.push(Part::Variable(name));
            rest = next;
        }
    }
    parts.push(Part::Text(rest));
    parts
}

/// Where the name of a variable ends that the text begins with.
fn name_end(text: &str) -> usize {
    if text.starts_with(|each: char| each.is_ascii_digit()) {
        return 0;
    }
    text.find(|each: char| !each.is_ascii_alphanumeric() && each != '_').unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_both_spellings() {
        assert_eq!(variables("a $B ${C}$D_1.${e} $1 ${F ${G H} $").collect::<Vec<_>>(), ["B", "C", "D_1", "e"]);
        assert_eq!(variables("${${A}}").collect::<Vec<_>>(), ["A"]);
    }
}
