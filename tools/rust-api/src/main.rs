//! Prints the public API of a crate, an item a line, from the JSON of rustdoc.

use std::error::Error;
use std::io::Write as _;

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args_os().nth(1).ok_or("usage: hookweave-rust-api FILE")?;
    let api = public_api::Builder::from_rustdoc_json(file).omit_blanket_impls(true).build()?;
    let mut out = std::io::stdout().lock();
    api.items().try_for_each(|item| writeln!(out, "{item}"))?;
    Ok(())
}
