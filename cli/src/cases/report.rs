//! Reports for machines: JUnit's XML and the Test Anything Protocol.

use std::fmt::Write as _;

use super::{Ran, RanFile, State};
use crate::screen::shown;

/// All files as JUnit's XML.
pub(crate) fn junit(files: &[RanFile]) -> String {
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for file in files {
        let number = |of: fn(&State) -> bool| file.cases.iter().filter(|case| of(&case.state)).count();
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(
            xml,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"{:.6}\">",
            escaped(&file.name),
            file.cases.len(),
            number(|state| matches!(state, State::Failed(_))),
            number(|state| matches!(state, State::Skipped(_))),
            file.cases.iter().map(|case| case.seconds).sum::<f64>(),
        );
        for case in &file.cases {
            junit_case(&mut xml, &file.name, case);
        }
        xml.push_str("  </testsuite>\n");
    }
    xml.push_str("</testsuites>\n");
    xml
}

fn junit_case(xml: &mut String, file: &str, case: &Ran) {
    let (file, name) = (escaped(file), escaped(&case.name));
    let _ = write!(xml, "    <testcase classname=\"{file}\" name=\"{name}\" time=\"{:.6}\"", case.seconds);
    let _ = match &case.state {
        State::Passed => writeln!(xml, "/>"),
        State::Skipped(why) => writeln!(xml, "><skipped message=\"{}\"/></testcase>", escaped(why)),
        State::Failed(why) => {
            let first = why.first().map_or("", String::as_str);
            writeln!(
                xml,
                "><failure message=\"{}\">{}</failure></testcase>",
                escaped(first),
                escaped(&case.lines().join("\n"))
            )
        }
    };
}

/// Text for XML; characters that XML cannot hold are written out.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\n' => safe.push('\n'),
            '\u{FFFE}' | '\u{FFFF}' => safe.push('\u{FFFD}'),
            letter if letter.is_control() => _ = write!(safe, "\\u{{{:x}}}", u32::from(letter)),
            letter => safe.push(letter),
        }
    }
    safe
}

/// All files in the Test Anything Protocol, version 14.
pub(crate) fn tap(files: &[RanFile]) -> String {
    let all = || files.iter().flat_map(|file| file.cases.iter().map(move |case| (file, case)));
    let mut text = format!("TAP version 14\n1..{}\n", all().count());
    for (at, (file, case)) in all().enumerate() {
        let name = format!("{}: {}", file.name, case.name);
        // A `#` would begin a directive.
        let name = shown(&name).replace('\\', "\\\\").replace('#', "\\#");
        let at = at + 1;
        let _ = match &case.state {
            State::Passed => writeln!(text, "ok {at} - {name}"),
            State::Skipped(why) => writeln!(text, "ok {at} - {name} # SKIP {}", shown(why)),
            State::Failed(_) => {
                let lines: Vec<String> = case.lines().iter().map(|line| format!("    {}", shown(line))).collect();
                writeln!(text, "not ok {at} - {name}\n  ---\n  differences: |\n{}\n  ...", lines.join("\n"))
            }
        };
    }
    text
}
