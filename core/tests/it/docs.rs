//! Documents that the core is the source of must say what it says.
//!
//! `UPDATE_DOCS=1 cargo test -p hookweave --test it docs` writes the generated page anew.

use std::fmt::Write as _;
use std::path::Path;

use hookweave::Code;
use hookweave_host::event::{BUILT_IN, COMMON_FIELDS, CatalogueField};

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("core lies in the repository")
}

fn fields(fields: &[CatalogueField], pick: impl Fn(&CatalogueField) -> bool) -> String {
    let names = fields.iter().filter(|field| pick(field)).map(|field| {
        let optional = if field.optional { "?" } else { "" };
        format!("`{}{optional}` {}", field.name, field.kind.as_str())
    });
    names.collect::<Vec<_>>().join(", ")
}

fn events_page() -> String {
    let mut page = String::from(
        "# Events\n\n<!-- Generated from core/machine/src/event/table.rs; change it there. -->\n\n\
         What happens in an agent, and what hooks may change of it. A name or alias from this page works wherever an event\n\
         is named. On a **gate** a block stops what the agent is about to do; on other events it is feedback. `?` marks what a\n\
         payload may lack; TypeScript spells the names in camelCase. The *subtype* is what the `source` matcher looks at.\n\n",
    );
    let _ = writeln!(page, "Every event also carries {}.\n", fields(COMMON_FIELDS, |_| true));
    page.push_str("| event | aliases | payload | may be modified | gate | subtype |\n|---|---|---|---|---|---|\n");
    for event in BUILT_IN {
        let aliases: Vec<_> = event.aliases.iter().map(|alias| format!("`{alias}`")).collect();
        let modifiable: Vec<_> =
            event.fields.iter().filter(|field| field.modifiable).map(|field| format!("`{}`", field.name)).collect();
        let _ = writeln!(
            page,
            "| **{}** | {} | {} | {} | {} | {} |",
            event.name,
            aliases.join(", "),
            fields(event.fields, |_| true),
            modifiable.join(", "),
            if event.gate { "yes" } else { "" },
            event.subtype.map(|field| format!("`{field}`")).unwrap_or_default(),
        );
    }
    page
}

#[test]
fn the_events_page_is_the_catalogue() {
    let path = repository().join("docs/events.md");
    let page = events_page();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &page).expect("docs/events.md can be written");
    }
    let written = std::fs::read_to_string(&path).expect("docs/events.md is there");
    assert!(written == page, "docs/events.md is stale: UPDATE_DOCS=1 cargo test -p hookweave --test it docs");
}

#[test]
fn every_rule_that_a_vector_pins_is_in_the_law() {
    let law = std::fs::read_to_string(repository().join("docs/SEMANTICS.md")).expect("the law is there");
    let rules = std::fs::read_to_string(repository().join("tests/vectors/rules.json")).expect("the rules are there");
    let rules: serde_json::Value = serde_json::from_str(&rules).expect("the rules are JSON");
    let list = rules.as_array().or_else(|| rules["rules"].as_array()).expect("the rules are a list");
    assert!(list.len() > 50, "only {} rules", list.len());
    let missing: Vec<_> =
        list.iter().filter_map(|rule| rule["id"].as_str()).filter(|id| !law.contains(&format!("`{id}`"))).collect();
    assert!(missing.is_empty(), "docs/SEMANTICS.md lacks {missing:?}");
}

#[test]
fn every_error_code_has_its_cause_and_mend_in_the_docs() {
    let page = std::fs::read_to_string(repository().join("docs/troubleshooting.md")).expect("the page is there");
    let missing: Vec<_> =
        Code::ALL.iter().map(|code| code.as_str()).filter(|code| !page.contains(&format!("`{code}`"))).collect();
    assert!(missing.is_empty(), "docs/troubleshooting.md lacks {missing:?}");
}
