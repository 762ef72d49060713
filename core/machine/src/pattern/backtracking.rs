//! How large a regular expression with lookaround or backreferences becomes.

use fancy_regex::Expr;

use super::linear::Parsed;

/// What each of its parts takes, in bytes: the parts that need no backtracking are expressions of their own.
const PART: usize = 4 * 1024;

/// At most so much memory an expression takes, in bytes; 0 for what is none.
pub(super) fn bytes(text: &str) -> usize {
    Expr::parse_tree(text).map_or(0, |tree| of(&tree.expr))
}

fn of(expr: &Expr) -> usize {
    let own = match expr {
        Expr::Literal { val, casei } => val.len() * if *casei { 1024 } else { 64 },
        Expr::Delegate { inner, casei: false } => Parsed::new(inner).bytes(),
        Expr::Delegate { inner, casei: true } => Parsed::new(&format!("(?i:{inner})")).bytes(),
        _ => PART,
    };
    let parts = expr.children_iter().fold(own, |sum, part| sum.saturating_add(of(part)));
    match expr {
        Expr::Repeat { lo, hi, .. } => {
            let times = if *hi == usize::MAX { *lo } else { *hi };
            parts.saturating_mul(times.max(1))
        }
        _ => parts,
    }
}
