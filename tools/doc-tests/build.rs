//! Makes a documentation test of the Rust names in `docs/reference.md`: one that the crate lacks does not compile.

use std::path::Path;
use std::{env, fs};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let page = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../docs/reference.md");
    println!("cargo::rerun-if-changed={}", page.display());
    let text = fs::read_to_string(page)?;
    let names = rust_names(&text).ok_or("docs/reference.md has no sections `## Names` and `## Methods`")?;
    let uses = names.iter().fold(String::new(), |uses, name| uses + "use hookweave::" + name + ";\n");
    let test = format!("```rust\n#![allow(unused_imports)]\n{uses}assert_ne!({}, 0);\n```\n", names.len());
    fs::write(Path::new(&env::var("OUT_DIR")?).join("reference.md"), test)?;
    Ok(())
}

/// The names in code under `## Names`: in the columns of Rust, and in those of all languages.
fn rust_names(page: &str) -> Option<Vec<&str>> {
    let (_, section) = page.split_once("\n## Names\n")?;
    let (section, _) = section.split_once("\n## Methods\n")?;
    let (mut names, mut columns) = (Vec::new(), Vec::new());
    for row in section.lines().filter(|line| line.starts_with('|')) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        if cells.contains(&"Rust") {
            let titles = cells.iter().enumerate();
            columns = titles.filter(|(_, title)| matches!(**title, "all" | "Rust")).map(|(place, _)| place).collect();
        } else {
            let named = columns.iter().filter_map(|&place| cells.get(place));
            names.extend(named.flat_map(|cell| cell.split('`').skip(1).step_by(2)));
        }
    }
    Some(names)
}
