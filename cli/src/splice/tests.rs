//! Round trips, and how what is put in looks.

use serde_json::json;

use super::JsonText;
use super::Step::{Field, Item};

const TEXTS: &[&str] = &[
    "{\"a\":1}",
    "{\"a\": 1, \"b\": [1, 2]}",
    "{ \"a\": 1 }\n",
    "{\n  \"a\": 1\n}",
    "{\n    \"a\": 1\n}\n\n\n",
    "{\n\t\"a\": 1,\n\t\"b\": {\n\t\t\"c\": []\n\t}\n}\n",
    "{\r\n  \"a\": 1\r\n}\r\n",
    "\u{FEFF}{\n  \"a\": 1\n}\n",
    "// top\n{\n  // before\n  \"a\": 1, // beside, with a comma\n}\n// below\n",
    "{\n  \"a\": 1 // beside\n  // below\n}\n",
    "{\n  \"a\": 1, /* one */ /* two\n  lines */\n}\n",
    "{\"a\": 1 // the whole rest of the line\n}",
    "{\"n\": 1e400, \"m\": 1.0, \"big\": 123456789012345678901234567890, \"esc\": \"\\u00e9\\/,\"}",
];

#[test]
fn what_is_put_in_is_taken_out_to_the_byte() {
    for text in TEXTS {
        for value in [json!({"x": [{"y": 1}, "z"], "e": {}}), json!("a, // text"), json!([])] {
            let mut json = JsonText::read(text).unwrap();
            assert_eq!(json.text(), *text);
            json.put(&[], Some("new"), &value);
            json.put(&[], Some("newer"), &json!(true));
            let whole = json.text();
            assert_eq!(JsonText::read(&whole).unwrap().value(&[Field("new")]), Some(value), "{whole}");
            let at = json.names(&[]).len() - 2;
            json.take(&[], at);
            assert_eq!(json.value(&[Field("newer")]), Some(json!(true)), "{}", json.text());
            json.take(&[], at);
            assert_eq!(json.text(), *text, "after {whole}");
        }
    }
}

#[test]
fn new_text_looks_like_the_old() {
    let cases = [
        ("", "{\n  \"n\": {\n    \"x\": [\n      1\n    ]\n  }\n}\n"),
        ("{}", "{\n  \"n\": {\n    \"x\": [\n      1\n    ]\n  }\n}"),
        ("{\"a\":1}", "{\"a\":1, \"n\": {\"x\": [1]}}"),
        ("{\r\n\t\"a\": 1\r\n}", "{\r\n\t\"a\": 1,\r\n\t\"n\": {\r\n\t\t\"x\": [\r\n\t\t\t1\r\n\t\t]\r\n\t}\r\n}"),
        ("{\n  \"a\": 1 // beside\n}", "{\n  \"a\": 1, // beside\n  \"n\": {\n    \"x\": [\n      1\n    ]\n  }\n}"),
        ("{\n  \"a\": 1,\n}", "{\n  \"a\": 1,\n  \"n\": {\n    \"x\": [\n      1\n    ]\n  },\n}"),
        ("{\n  // nothing yet\n}", "{\n  // nothing yet\n  \"n\": {\n    \"x\": [\n      1\n    ]\n  }\n}"),
        ("// only this", "// only this\n{\n  \"n\": {\n    \"x\": [\n      1\n    ]\n  }\n}\n"),
    ];
    for (text, wanted) in cases {
        let mut json = JsonText::read(text).unwrap();
        json.put(&[], Some("n"), &json!({"x": [1]}));
        assert_eq!(json.text(), wanted, "{text}");
    }
}

#[test]
fn items_go_from_any_place() {
    let text = "{\n  \"l\": [\n    1, // one\n    2, // two\n    3 // three\n  ]\n}";
    let without = |at: usize| {
        let mut json = JsonText::read(text).unwrap();
        json.take(&[Field("l")], at);
        json.text()
    };
    assert_eq!(without(0), "{\n  \"l\": [ // one\n    2, // two\n    3 // three\n  ]\n}");
    assert_eq!(without(1), "{\n  \"l\": [\n    1, // one // two\n    3 // three\n  ]\n}");
    assert_eq!(without(2), "{\n  \"l\": [\n    1, // one\n    2 // two // three\n  ]\n}");
    let mut json = JsonText::read("[[1],[2],[3]]").unwrap();
    json.take(&[], 0);
    json.take(&[Item(1)], 0);
    assert_eq!(json.text(), "[[2],[]]");
}

#[test]
fn a_value_takes_the_place_of_another() {
    let mut json = JsonText::read("{\n  \"a\": [1], // one\n  \"b\": {\n    \"c\": 1\n  }\n}").unwrap();
    json.set(&[Field("a"), Item(0)], &json!("two"));
    json.set(&[Field("b")], &json!({"c": 2}));
    assert_eq!(json.text(), "{\n  \"a\": [\"two\"], // one\n  \"b\": {\n    \"c\": 2\n  }\n}");
}

#[test]
fn what_agents_could_not_read_is_refused() {
    for text in
        ["{", "{'a': 1}", "{a: 1}", "{\"a\": 0x1}", "{\"a\": 1 \"b\": 2}", "{} {}", "{\"a\": .5}", "{\"a\": NaN}"]
    {
        assert!(JsonText::read(text).is_err(), "{text}");
    }
    assert!(JsonText::read(&"[".repeat(100_000)).is_err());
}
