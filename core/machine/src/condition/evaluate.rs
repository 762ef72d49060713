//! Holds an expression against an event.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::{Expression, Literal, Operator, Path, Root, Step, TextTest};
use crate::match_input::MatchInput;
use crate::payload::{Host, Kind};

/// The longest text that a person is shown of a value, in characters.
const SHOWN: usize = 40;

/// What a part of an expression comes to.
enum Value<'a, 'v, H: Host + 'v> {
    Null,
    Bool(bool),
    Integer(i64),
    Float(f64),
    Text(Cow<'a, str>),
    /// A list of the payload's, and its length.
    List(H::View<'v>, usize),
    /// An object of the payload's.
    Object(H::View<'v>),
    /// A list of the expression's own.
    Items(&'a [Expression]),
}

type Evaluated<'a, 'v, H> = Result<Value<'a, 'v, H>, String>;

impl<'v, H: Host + 'v> Value<'_, 'v, H> {
    const fn words(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a truth value",
            Self::Integer(_) | Self::Float(_) => "a number",
            Self::Text(_) => "a text",
            Self::List(..) | Self::Items(_) => "a list",
            Self::Object(_) => "an object",
        }
    }
}

pub(super) fn holds<H: Host>(expression: &Expression, input: &MatchInput<'_, H>) -> Result<bool, String> {
    match expression {
        Expression::All(parts) => decided(parts, false, input),
        Expression::Any(parts) => decided(parts, true, input),
        Expression::Not(inner) => holds(inner, input).map(|holds| !holds),
        other => match value(other, input)? {
            Value::Bool(holds) => Ok(holds),
            other => Err(format!("{} is no truth value; compare it with something", other.words())),
        },
    }
}

/// One part that comes to `deciding` decides; else all must be known.
fn decided<H: Host>(parts: &[Expression], deciding: bool, input: &MatchInput<'_, H>) -> Result<bool, String> {
    let mut unknown = None;
    for part in parts {
        match holds(part, input) {
            Ok(holds) if holds == deciding => return Ok(deciding),
            Ok(_) => {}
            Err(why) => unknown = unknown.or(Some(why)),
        }
    }
    unknown.map_or(Ok(!deciding), Err)
}

fn value<'a, 'v: 'a, H: Host>(expression: &'a Expression, input: &'a MatchInput<'v, H>) -> Evaluated<'a, 'v, H> {
    Ok(match expression {
        Expression::Literal(literal) => match literal {
            Literal::Null => Value::Null,
            Literal::Bool(flag) => Value::Bool(*flag),
            Literal::Integer(number) => Value::Integer(*number),
            Literal::Float(number) => Value::Float(*number),
            Literal::Text(text) => Value::Text(Cow::Borrowed(text)),
        },
        Expression::List(items) => Value::Items(items),
        Expression::Path(path) => at(path, input)?.ok_or_else(|| format!("{path} is not there"))?,
        Expression::Has(path) => Value::Bool(at(path, input)?.is_some()),
        Expression::All(_) | Expression::Any(_) | Expression::Not(_) => Value::Bool(holds(expression, input)?),
        Expression::Negative(inner) => match value(inner, input)? {
            Value::Integer(number) => Value::Integer(number.checked_neg().ok_or_else(too_large)?),
            Value::Float(number) => Value::Float(-number),
            other => return Err(format!("{} has no sign", other.words())),
        },
        Expression::Binary(operator, left, right) => {
            let (left, right) = (value(left, input)?, value(right, input)?);
            binary(*operator, &left, &right, input)?
        }
        Expression::Size(inner) => {
            let size = match value(inner, input)? {
                Value::Text(text) => text.chars().count(),
                Value::List(_, length) => length,
                Value::Items(items) => items.len(),
                Value::Object(view) => input.host().keys(&view).map_err(|bad| bad.to_string())?.len(),
                other => return Err(format!("{} has no size", other.words())),
            };
            Value::Integer(i64::try_from(size).unwrap_or(i64::MAX))
        }
        Expression::Text(test, text, part) => {
            let (text, part) = (text_of(text, input)?, text_of(part, input)?);
            Value::Bool(match test {
                TextTest::StartsWith => text.starts_with(&*part),
                TextTest::EndsWith => text.ends_with(&*part),
                TextTest::Contains => text.contains(&*part),
            })
        }
        Expression::Matches(text, pattern) => {
            let text = text_of(text, input)?;
            let matches = pattern.is_match(&text);
            Value::Bool(matches.ok_or_else(|| "a regular expression takes too many steps on the text".to_owned())?)
        }
    })
}

fn too_large() -> String {
    "a number becomes too large".to_owned()
}

fn text_of<'a, 'v: 'a, H: Host>(
    expression: &'a Expression,
    input: &'a MatchInput<'v, H>,
) -> Result<Cow<'a, str>, String> {
    match value(expression, input)? {
        Value::Text(text) => Ok(text),
        other => Err(format!("{} is no text", other.words())),
    }
}

/// What stands at a path; `None` where nothing does.
fn at<'a, 'v: 'a, H: Host>(path: &'a Path, input: &'a MatchInput<'v, H>) -> Result<Option<Value<'a, 'v, H>>, String> {
    let Some(Step::Name(first)) = path.steps.first() else { return Ok(None) };
    if path.root == Root::Session {
        if first == "id" {
            return Ok(input.field("session_id").map(|view| of(view, path, input)).transpose()?.flatten());
        }
        let facts =
            input.session_facts().ok_or_else(|| "no open session of this client has the event's id".to_owned())?;
        return Ok(facts.get(first).map(|number| Value::Integer(i64::try_from(number).unwrap_or(i64::MAX))));
    }
    let host = input.host();
    let Some(mut view) = input.field(first) else { return Ok(None) };
    // Names inside these are the program's own, and the same in every language.
    let is_verbatim = first == "args" || first == "metadata";
    for step in path.steps.iter().skip(1) {
        let next = match (step, host.kind(&view)) {
            (Step::Name(name), Kind::Object) if is_verbatim => host.get(&view, name),
            (Step::Name(name), Kind::Object) => host.field(&view, name),
            (Step::Index(index), Kind::List(_)) => host.item(&view, *index),
            _ => None,
        };
        let Some(next) = next else { return Ok(None) };
        view = next;
    }
    of(view, path, input)
}

/// A value of the payload's; `None` for one that is absent.
fn of<'a, 'v: 'a, H: Host>(
    view: H::View<'v>,
    path: &Path,
    input: &'a MatchInput<'v, H>,
) -> Result<Option<Value<'a, 'v, H>>, String> {
    let host = input.host();
    let simple = match host.kind(&view) {
        Kind::Absent => return Ok(None),
        Kind::Null => Some(Value::Null),
        Kind::Bool(flag) => Some(Value::Bool(flag)),
        Kind::Int(number) => Some(Value::Integer(number)),
        Kind::Float(number) => Some(Value::Float(number)),
        Kind::Text(_) | Kind::List(_) | Kind::Object => None,
        other => return Err(format!("{path} is {}, which has no meaning in an expression", other.words())),
    };
    if simple.is_some() {
        return Ok(simple);
    }
    if let Some(text) = host.long_text(&view) {
        return Ok(Some(Value::Text(text)));
    }
    let length = if let Kind::List(length) = host.kind(&view) { Some(length) } else { None };
    Ok(Some(match length {
        Some(length) => Value::List(view, length),
        None => Value::Object(view),
    }))
}

fn binary<'a, 'v: 'a, H: Host>(
    operator: Operator,
    left: &Value<'a, 'v, H>,
    right: &Value<'a, 'v, H>,
    input: &'a MatchInput<'v, H>,
) -> Evaluated<'a, 'v, H> {
    let ordered = |wanted: fn(Ordering) -> bool| compare(left, right).map(|order| Value::Bool(wanted(order)));
    match operator {
        Operator::Equal => same(left, right).map(Value::Bool),
        Operator::Unequal => same(left, right).map(|same| Value::Bool(!same)),
        Operator::Less => ordered(Ordering::is_lt),
        Operator::AtMost => ordered(Ordering::is_le),
        Operator::More => ordered(Ordering::is_gt),
        Operator::AtLeast => ordered(Ordering::is_ge),
        Operator::In => contains(left, right, input).map(Value::Bool),
        _ => calculated(operator, left, right),
    }
}

fn same<'v, H: Host + 'v>(left: &Value<'_, 'v, H>, right: &Value<'_, 'v, H>) -> Result<bool, String> {
    use Value::{Bool, Float, Integer, Items, List, Null, Object, Text};
    Ok(match (left, right) {
        (Null, Null) => true,
        (Bool(left), Bool(right)) => left == right,
        (Text(left), Text(right)) => left == right,
        (Integer(_) | Float(_), Integer(_) | Float(_)) => compare(left, right).is_ok_and(Ordering::is_eq),
        (List(..) | Items(_), List(..) | Items(_)) | (Object(_), Object(_)) => {
            return Err(format!("cannot compare {} with {}: compare what is in them", left.words(), right.words()));
        }
        _ => false,
    })
}

/// Which is more; numbers of both kinds are compared by their value.
fn compare<'v, H: Host + 'v>(left: &Value<'_, 'v, H>, right: &Value<'_, 'v, H>) -> Result<Ordering, String> {
    use Value::{Float, Integer, Text};
    let order = match (left, right) {
        (Integer(left), Integer(right)) => Some(left.cmp(right)),
        (Float(left), Float(right)) => left.partial_cmp(right),
        (Integer(left), Float(right)) => mixed(*left, *right),
        (Float(left), Integer(right)) => mixed(*right, *left).map(Ordering::reverse),
        (Text(left), Text(right)) => Some(left.cmp(right)),
        _ => None,
    };
    order.ok_or_else(|| format!("cannot compare {} with {}", left.words(), right.words()))
}

/// Compares exactly: beyond 2^53 an integer is not rounded to the number beside it.
fn mixed(integer: i64, float: f64) -> Option<Ordering> {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if float.is_nan() {
        return None;
    }
    if float >= LIMIT {
        return Some(Ordering::Less);
    }
    if float < -LIMIT {
        return Some(Ordering::Greater);
    }
    #[expect(clippy::cast_possible_truncation, reason = "checked to fit; the rest is compared behind it")]
    let whole = float.trunc() as i64;
    Some(integer.cmp(&whole).then_with(|| 0.0_f64.partial_cmp(&float.fract()).unwrap_or(Ordering::Equal)))
}

fn contains<'v, H: Host>(
    wanted: &Value<'_, 'v, H>,
    container: &Value<'_, 'v, H>,
    input: &MatchInput<'v, H>,
) -> Result<bool, String> {
    let host = input.host();
    match (wanted, container) {
        (wanted, Value::Items(items)) => {
            for item in *items {
                if same(wanted, &value(item, input)?)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        (wanted, Value::List(list, length)) => {
            let element = Path { root: Root::Event, steps: Vec::new() };
            for item in (0..*length).filter_map(|index| host.item(list, index)) {
                // An element that has no meaning here is not the one that is looked for.
                if let Ok(Some(item)) = of(item, &element, input)
                    && same(wanted, &item).unwrap_or(false)
                {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        (Value::Text(name), Value::Object(object)) => {
            Ok(host.get(object, name).is_some_and(|found| host.kind(&found) != Kind::Absent))
        }
        (wanted, other) => Err(format!("{} cannot be looked for in {}", wanted.words(), other.words())),
    }
}

fn calculated<'a, 'v: 'a, H: Host>(
    operator: Operator,
    left: &Value<'a, 'v, H>,
    right: &Value<'a, 'v, H>,
) -> Evaluated<'a, 'v, H> {
    match (left, right) {
        (Value::Integer(left), Value::Integer(right)) => {
            if *right == 0 && matches!(operator, Operator::Divide | Operator::Remainder) {
                return Err("a division by zero".to_owned());
            }
            let result = match operator {
                Operator::Add => left.checked_add(*right),
                Operator::Subtract => left.checked_sub(*right),
                Operator::Multiply => left.checked_mul(*right),
                Operator::Divide => left.checked_div(*right),
                _ => left.checked_rem(*right),
            };
            result.map(Value::Integer).ok_or_else(too_large)
        }
        (Value::Integer(_) | Value::Float(_), Value::Integer(_) | Value::Float(_)) => {
            let (left, right) = (float(left), float(right));
            Ok(Value::Float(match operator {
                Operator::Add => left + right,
                Operator::Subtract => left - right,
                Operator::Multiply => left * right,
                Operator::Divide => left / right,
                _ => return Err("a number with a fraction has no remainder".to_owned()),
            }))
        }
        _ => Err(format!("cannot calculate with {} and {}", left.words(), right.words())),
    }
}

#[expect(clippy::cast_precision_loss, reason = "mixed with a number with a fraction, an integer is one too")]
fn float<'v, H: Host + 'v>(value: &Value<'_, 'v, H>) -> f64 {
    match value {
        Value::Integer(number) => *number as f64,
        Value::Float(number) => *number,
        _ => f64::NAN,
    }
}

/// A path's value for a person, in few characters.
pub(super) fn shown<H: Host>(path: &Path, input: &MatchInput<'_, H>) -> String {
    match at(path, input) {
        Err(_) => "unknown".to_owned(),
        Ok(None) => "nothing".to_owned(),
        Ok(Some(Value::Null)) => "null".to_owned(),
        Ok(Some(Value::Bool(flag))) => flag.to_string(),
        Ok(Some(Value::Integer(number))) => number.to_string(),
        Ok(Some(Value::Float(number))) => number.to_string(),
        Ok(Some(Value::Text(text))) => {
            let short: String = text.chars().take(SHOWN).collect();
            let rest = if text.chars().nth(SHOWN).is_some() { "…" } else { "" };
            format!("{:?}", short + rest)
        }
        Ok(Some(other)) => other.words().to_owned(),
    }
}
