//! Questions on screens of every size.

use serde_json::{Value, json};

use super::{Reading, TerminalQuestion};
use hookweave_machine::json::Json;

const WIDTHS: [usize; 4] = [20, 47, 80, 200];
const HEIGHTS: [usize; 5] = [5, 16, 24, 33, 50];
const OPTIONS: [usize; 4] = [1, 3, 21, 120];

/// A question with so many options, of which every third allows.
fn request(options: usize, long: bool) -> Value {
    let stretch = |text: &str| if long { format!("{text} ").repeat(60) } else { text.to_owned() };
    let named: Vec<String> = (1..=options).map(|number| format!("do {}", stretch(&number.to_string()))).collect();
    let granting: Vec<_> = named.iter().step_by(3).cloned().collect();
    json!({"event": "PreToolUse", "tool": stretch("Bash"), "shown": json!({"command": stretch("run it\n")}).to_string(),
        "command": [{"text": stretch("cd"), "met": false}, {"text": stretch("run it\n"), "met": long}],
        "hook": stretch("guard"), "why": stretch("rule"), "reason": stretch("because"), "prompt": stretch("really?\n"), "options": named, "granting": granting})
}

fn question(request: &Value, width: usize, height: usize) -> TerminalQuestion {
    TerminalQuestion::read_request(&Json, &request).unwrap().for_width(width).for_height(height)
}

/// A terminal: what was written, in rows of its width.
struct Screen {
    width: usize,
    rows: Vec<String>,
}

impl Screen {
    fn write(&mut self, text: &str) {
        for line in text.lines() {
            let letters: Vec<char> = line.chars().collect();
            self.rows.extend(letters.chunks(self.width).map(|row| row.iter().collect::<String>()));
            if letters.is_empty() {
                self.rows.push(String::new());
            }
        }
    }

    /// The last rows, which can be seen.
    fn seen(&self, height: usize) -> &[String] {
        &self.rows[self.rows.len().saturating_sub(height)..]
    }
}

fn label(row: &str) -> Option<&str> {
    row.split_once(" | ").map(|(label, _)| label.trim()).filter(|label| !label.is_empty())
}

/// How many rows the shortest form of a question takes at most.
fn least(width: usize) -> usize {
    let note = |text: &str| text.len().div_ceil(width - 12);
    let names = 7 * (1 + note("68 lines are left out here"));
    let options =
        2 * (1 + note("68 lines are left out here")) + note("options 2 to 119 are left out here, 40 of them allow");
    let cut = note("Not all of it is shown. Type ? to see it before you allow it.");
    (1 + 32_usize.div_ceil(width))
        + names
        + (1 + note("characters are left out"))
        + options
        + cut
        + note("Not all of it has been shown. Type ? to see it, then choose.")
        + 60_usize.div_ceil(width)
}

fn each(mut check: impl FnMut(&Value, usize, usize)) {
    for options in OPTIONS {
        for long in [false, true] {
            let request = request(options, long);
            for width in WIDTHS {
                for height in HEIGHTS {
                    check(&request, width, height);
                }
            }
        }
    }
}

/// Whether who asks, what is asked and a choice can be seen above the invitation.
fn is_decidable(seen: &[String]) -> bool {
    let labels: Vec<&str> = seen.iter().filter_map(|row| label(row)).collect();
    ["event", "tool", "command", "args", "hook", "why", "reason", "question"]
        .iter()
        .all(|wanted| labels.contains(wanted))
        && labels.iter().any(|label| label.ends_with("deny") || label.ends_with("allow"))
}

#[test]
fn who_asks_what_is_asked_and_the_choice_stand_on_the_screen_together() {
    let mut checked = 0;
    each(|request, width, height| {
        let mut question = question(request, width, height);
        let mut screen = Screen { width, rows: Vec::new() };
        let mut look = |question: &TerminalQuestion, text: &str| {
            screen.write(text);
            screen.write(&question.invitation(0));
            let seen = screen.seen(height);
            assert!(height < least(width) || is_decidable(seen), "{width}x{height}: {seen:#?}");
            checked += usize::from(height >= least(width));
        };
        let text = question.text();
        look(&question, &text);
        // Whatever is typed, and after all of it was shown.
        for typed in ["", "nonsense", "1", "?", "", "999", "", "", "", ""] {
            match question.read(Some(typed)) {
                Reading::Again(text) => look(&question, &text),
                Reading::Chosen(_) => assert!(typed == "1" && !text.contains("left out")),
                Reading::Over(why) => panic!("{why}"),
            }
        }
    });
    assert!(checked > 500, "{checked}");
}

#[test]
fn no_row_is_wider_than_the_screen() {
    each(|request, width, height| {
        let mut question = question(request, width, height);
        let _ = question.read(Some("?"));
        for text in [self::question(request, width, height).text(), question.text()] {
            let rows = text.lines().filter(|row| *row != "hookweave asks for your decision");
            for row in rows {
                assert!(row.len() <= width, "{width}: {row}");
            }
        }
    });
}

#[test]
fn what_is_left_out_is_counted_and_allows_nothing_before_it_was_shown() {
    each(|request, width, height| {
        let all = request["options"].as_array().unwrap();
        let allows = |number: usize| (number - 1).is_multiple_of(3);
        let mut question = question(request, width, height);
        let text = question.text();
        let shown: Vec<(usize, bool)> = text.lines().filter_map(label).filter_map(numbered).collect();
        assert!(shown.iter().all(|(number, allow)| allows(*number) == *allow));
        let hidden: Vec<usize> =
            (1..=all.len()).filter(|number| !shown.iter().any(|(shown, _)| shown == number)).collect();
        // The note as it is written, over rows that are broken anywhere.
        let notes: String = text.lines().filter_map(|row| row.split_once(" * ")).map(|(_, row)| row).collect();
        let notes = notes.replace(' ', "");
        if let (Some(first), Some(last)) = (hidden.first(), hidden.last()) {
            let allow = hidden.iter().filter(|number| allows(**number)).count();
            let note = format!("options{first}to{last}areleftouthere,{allow}ofthemallow");
            assert!(notes.contains(&note), "{width}x{height} {note}: {text}");
        }
        let is_cut = notes.contains("Notallofitisshown");
        assert!(is_cut || hidden.is_empty());
        let first = all[0].as_str().unwrap().to_owned();
        match question.clone().read(Some("1")) {
            Reading::Chosen(option) => assert!(!is_cut && option == first),
            again => assert!(is_cut && matches!(again, Reading::Again(_)), "{text}"),
        }
        // Denying needs no more, by the number of one that is left out too.
        for number in hidden.iter().chain(shown.iter().map(|(number, _)| number)).filter(|number| !allows(**number)) {
            assert!(matches!(question.clone().read(Some(&number.to_string())), Reading::Chosen(_)));
        }
        let Reading::Again(whole) = question.read(Some("?")) else { panic!("? shows all") };
        let shown: Vec<usize> =
            whole.lines().filter_map(label).filter_map(numbered).map(|(number, _)| number).collect();
        assert!((1..=all.len()).all(|number| shown.contains(&number)), "{whole}");
        assert_eq!(question.read(Some("1")), Reading::Chosen(first));
    });
}

fn numbered(label: &str) -> Option<(usize, bool)> {
    let (number, does) = label.split_once(' ')?;
    Some((number.parse().ok()?, does == "allow"))
}
