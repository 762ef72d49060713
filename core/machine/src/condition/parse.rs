//! Reads an expression.

use std::iter::Peekable;
use std::str::CharIndices;

use super::{Expression, Literal, MAX_DEPTH, MAX_LENGTH, Operator, Path, Root, Step, TextTest};
use crate::error::did_you_mean;
use crate::pattern::Pattern;
use crate::sessions::SessionFacts;

/// The operators between two values, loosest first; `&&` and `||` are looser still.
const RELATIONS: &[(&str, Operator)] = &[
    ("==", Operator::Equal),
    ("!=", Operator::Unequal),
    ("<=", Operator::AtMost),
    (">=", Operator::AtLeast),
    ("<", Operator::Less),
    (">", Operator::More),
    ("in", Operator::In),
];
const SUMS: &[(&str, Operator)] = &[("+", Operator::Add), ("-", Operator::Subtract)];
const PRODUCTS: &[(&str, Operator)] = &[("*", Operator::Multiply), ("/", Operator::Divide), ("%", Operator::Remainder)];

/// What an expression is made of, longest first.
const SIGNS: &[&str] =
    &["&&", "||", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "!", "(", ")", "[", "]", ".", ","];

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Sign(&'static str),
    Name(String),
    Integer(i64),
    Float(f64),
    Text(String),
    End,
}

/// A token and its place, in characters from 1.
type Placed = (Token, usize);

pub(super) fn parse(text: &str) -> Result<Expression, String> {
    if text.len() > MAX_LENGTH {
        return Err(format!("the expression has {} bytes; at most {MAX_LENGTH} are allowed", text.len()));
    }
    if text.trim().is_empty() {
        return Err("the expression is empty; write one such as `session.tool_calls > 50`, or take it out".to_owned());
    }
    let mut parser = Parser { tokens: tokens(text)?, at: 0, depth: 0 };
    let whole = parser.any()?;
    match parser.peek() {
        (Token::End, _) => Ok(whole),
        (Token::Name(name), at) if name == "and" || name == "or" => {
            let sign = if name == "and" { "&&" } else { "||" };
            Err(format!("character {at}: `{name}` is no operator; write `{sign}`"))
        }
        (token, at) => Err(format!("character {at}: {} stands where an operator or the end should", shown(token))),
    }
}

/// Whether a name can stand behind a dot.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

fn shown(token: &Token) -> String {
    match token {
        Token::Sign(sign) => format!("`{sign}`"),
        Token::Name(name) => format!("`{name}`"),
        Token::Integer(_) | Token::Float(_) => "a number".to_owned(),
        Token::Text(_) => "a text".to_owned(),
        Token::End => "the end".to_owned(),
    }
}

fn tokens(text: &str) -> Result<Vec<Placed>, String> {
    let mut found = Vec::new();
    let mut letters = text.char_indices().peekable();
    while let Some(&(start, letter)) = letters.peek() {
        let at = 1 + text.get(..start).map_or(0, |before| before.chars().count());
        let rest = text.get(start..).unwrap_or_default();
        if letter.is_whitespace() {
            letters.next();
        } else if matches!(letter, '\'' | '"') || (letter == 'r' && (rest.starts_with("r'") || rest.starts_with("r\"")))
        {
            found.push((Token::Text(quoted(&mut letters, at)?), at));
        } else if letter.is_ascii_digit() {
            found.push((number(&mut letters, text, start, at)?, at));
        } else if letter.is_ascii_alphabetic() || letter == '_' {
            let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
            found.push((Token::Name(rest.get(..length).unwrap_or_default().to_owned()), at));
            skip(&mut letters, start + length);
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            found.push((Token::Sign(sign), at));
            skip(&mut letters, start + sign.len());
        } else if letter == '=' {
            return Err(format!("character {at}: `=` is no operator; write `==` to compare"));
        } else {
            return Err(format!("character {at}: `{}` has no meaning here", letter.escape_debug()));
        }
    }
    found.push((Token::End, text.chars().count() + 1));
    Ok(found)
}

fn skip(letters: &mut Peekable<CharIndices<'_>>, until: usize) {
    while letters.next_if(|(index, _)| *index < until).is_some() {}
}

fn number(letters: &mut Peekable<CharIndices<'_>>, text: &str, start: usize, at: usize) -> Result<Token, String> {
    let rest = text.get(start..).unwrap_or_default();
    let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let mut length = digits(rest);
    let fraction = rest.get(length..).and_then(|rest| rest.strip_prefix('.')).map_or(0, digits);
    if fraction > 0 {
        length += 1 + fraction;
    }
    let written = rest.get(..length).unwrap_or_default();
    skip(letters, start + length);
    let number =
        if fraction > 0 { written.parse().ok().map(Token::Float) } else { written.parse().ok().map(Token::Integer) };
    number.ok_or_else(|| format!("character {at}: the number {written} is too large"))
}

/// Reads a text in quotes; behind `r` a backslash is a backslash.
fn quoted(letters: &mut Peekable<CharIndices<'_>>, at: usize) -> Result<String, String> {
    let raw = letters.next_if(|(_, letter)| *letter == 'r').is_some();
    let Some((_, quote)) = letters.next() else { return Ok(String::new()) };
    let mut text = String::new();
    while let Some((_, letter)) = letters.next() {
        match letter {
            _ if letter == quote => return Ok(text),
            '\\' if !raw => text.push(match letters.next() {
                Some((_, 'n')) => '\n',
                Some((_, 't')) => '\t',
                Some((_, 'r')) => '\r',
                Some((_, same @ ('\\' | '\'' | '"' | '`'))) => same,
                Some((_, 'u')) => {
                    let digits: String = letters.by_ref().take(4).map(|(_, digit)| digit).collect();
                    let code = u32::from_str_radix(&digits, 16).ok().filter(|_| digits.len() == 4);
                    code.and_then(char::from_u32).ok_or_else(|| {
                        format!("the text at character {at} has an unknown escape `\\u{}`", digits.escape_debug())
                    })?
                }
                other => {
                    let other = other.map(|(_, letter)| letter.escape_debug().to_string()).unwrap_or_default();
                    return Err(format!(
                        "the text at character {at} has an unknown escape `\\{other}`; write `\\\\` for a backslash, \
                         or r'…' for a text without escapes"
                    ));
                }
            }),
            _ => text.push(letter),
        }
    }
    Err(format!("character {at}: the text has no closing {quote}"))
}

struct Parser {
    tokens: Vec<Placed>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> (&Token, usize) {
        self.tokens.get(self.at).map_or((&Token::End, 0), |(token, at)| (token, *at))
    }

    fn next(&mut self) -> Placed {
        let next = self.tokens.get(self.at).cloned().unwrap_or((Token::End, 0));
        self.at += 1;
        next
    }

    fn accept(&mut self, sign: &str) -> bool {
        let is_next = matches!(self.peek().0, Token::Sign(next) if *next == sign);
        self.at += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, sign: &str) -> Result<(), String> {
        if self.accept(sign) {
            return Ok(());
        }
        let (token, at) = self.peek();
        Err(format!("character {at}: `{sign}` is missing before {}", shown(token)))
    }

    /// Goes one level deeper.
    fn nested<R>(&mut self, read: impl FnOnce(&mut Self) -> Result<R, String>) -> Result<R, String> {
        if self.depth == MAX_DEPTH {
            return Err(format!("character {}: the expression nests deeper than {MAX_DEPTH} levels", self.peek().1));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn any(&mut self) -> Result<Expression, String> {
        self.several("||", Self::all, Expression::Any)
    }

    fn all(&mut self) -> Result<Expression, String> {
        self.several("&&", |parser| parser.binary(RELATIONS), Expression::All)
    }

    fn several(
        &mut self,
        sign: &str,
        mut part: impl FnMut(&mut Self) -> Result<Expression, String>,
        whole: fn(Vec<Expression>) -> Expression,
    ) -> Result<Expression, String> {
        let first = part(self)?;
        let mut parts = vec![first];
        while self.accept(sign) {
            parts.push(part(self)?);
        }
        Ok(if parts.len() > 1 { whole(parts) } else { parts.pop().unwrap_or(Expression::Literal(Literal::Null)) })
    }

    /// Values with operators of one strength between them, from left to right.
    fn binary(&mut self, operators: &'static [(&'static str, Operator)]) -> Result<Expression, String> {
        let operand = |parser: &mut Self| match operators {
            RELATIONS => parser.binary(SUMS),
            SUMS => parser.binary(PRODUCTS),
            _ => parser.unary(),
        };
        let mut left = operand(self)?;
        while let Some(operator) = self.operator(operators) {
            left = Expression::Binary(operator, Box::new(left), Box::new(operand(self)?));
        }
        Ok(left)
    }

    fn operator(&mut self, operators: &[(&str, Operator)]) -> Option<Operator> {
        let written = match self.peek().0 {
            Token::Sign(sign) => sign,
            Token::Name(name) => name.as_str(),
            _ => return None,
        };
        let operator = operators.iter().find(|(known, _)| *known == written).map(|(_, operator)| *operator)?;
        self.at += 1;
        Some(operator)
    }

    fn unary(&mut self) -> Result<Expression, String> {
        if self.accept("!") {
            return self.nested(|parser| Ok(Expression::Not(Box::new(parser.unary()?))));
        }
        if self.accept("-") {
            return self.nested(|parser| Ok(Expression::Negative(Box::new(parser.unary()?))));
        }
        let mut value = self.primary()?;
        while self.accept(".") {
            value = self.method(value)?;
        }
        Ok(value)
    }

    fn primary(&mut self) -> Result<Expression, String> {
        let (token, at) = self.next();
        let literal = match token {
            Token::Integer(number) => Literal::Integer(number),
            Token::Float(number) => Literal::Float(number),
            Token::Text(text) => Literal::Text(text),
            Token::Name(name) => return self.named(&name, at),
            Token::Sign("(") => {
                let inner = self.nested(Self::any)?;
                self.expect(")")?;
                return Ok(inner);
            }
            Token::Sign("[") => return self.nested(Self::list),
            token => return Err(format!("character {at}: {} stands where a value should", shown(&token))),
        };
        Ok(Expression::Literal(literal))
    }

    fn list(&mut self) -> Result<Expression, String> {
        let mut items = Vec::new();
        while !self.accept("]") {
            if !items.is_empty() {
                self.expect(",")?;
            }
            items.push(self.any()?);
        }
        Ok(Expression::List(items))
    }

    /// A word, a path or a function.
    fn named(&mut self, name: &str, at: usize) -> Result<Expression, String> {
        Ok(match name {
            "true" | "false" => Expression::Literal(Literal::Bool(name == "true")),
            "null" => Expression::Literal(Literal::Null),
            "event" => Expression::Path(self.path(Root::Event, at)?),
            "session" => Expression::Path(self.path(Root::Session, at)?),
            "size" => {
                self.expect("(")?;
                let of = self.nested(Self::any)?;
                self.expect(")")?;
                Expression::Size(Box::new(of))
            }
            "has" => {
                self.expect("(")?;
                let Expression::Path(path) = self.nested(Self::unary)? else {
                    return Err(format!("character {at}: `has` takes a field, such as has(event.args.path)"));
                };
                self.expect(")")?;
                Expression::Has(path)
            }
            _ => {
                let known = ["event", "session", "true", "false", "null", "size", "has"];
                let hint = did_you_mean(name, known);
                return Err(format!(
                    "character {at}: there is no `{name}`{hint}; an expression is about `event` and `session`, and \
                     texts stand in quotes"
                ));
            }
        })
    }

    /// The steps behind `event` or `session`, up to a function of the value.
    fn path(&mut self, root: Root, at: usize) -> Result<Path, String> {
        let mut steps = Vec::new();
        loop {
            if self.accept("[") {
                steps.push(match self.next() {
                    (Token::Text(name), _) => Step::Name(name),
                    (Token::Integer(index), at) => Step::Index(
                        usize::try_from(index)
                            .map_err(|_| format!("character {at}: the index {index} is too large"))?,
                    ),
                    (token, at) => {
                        let shown = shown(&token);
                        return Err(format!(
                            "character {at}: {shown} stands where a name in quotes or a number should"
                        ));
                    }
                });
                self.expect("]")?;
                continue;
            }
            let is_function = matches!(self.tokens.get(self.at + 2), Some((Token::Sign("("), _)));
            if is_function || !self.accept(".") {
                break;
            }
            match self.next() {
                (Token::Name(name), _) => steps.push(Step::Name(name)),
                (token, at) => return Err(format!("character {at}: {} stands where a name should", shown(&token))),
            }
        }
        match (root, steps.as_slice()) {
            (Root::Event, []) => Err(format!("character {at}: name a field of the event, such as event.tool")),
            (Root::Session, [Step::Name(name)]) if name == "id" || SessionFacts::NAMES.contains(&name.as_str()) => {
                Ok(Path { root, steps })
            }
            (Root::Session, []) => Err(format!("character {at}: name a fact of the session, such as session.turn")),
            (Root::Session, written) => {
                let name = if let [Step::Name(name), ..] = written { name.as_str() } else { "" };
                let hint = did_you_mean(name, SessionFacts::NAMES.iter().copied());
                let names = SessionFacts::NAMES.join(", ");
                Err(format!("character {at}: a session has no `{name}`{hint}; it has id, {names}"))
            }
            (Root::Event, _) => Ok(Path { root, steps }),
        }
    }

    /// A function of a value, behind its dot.
    fn method(&mut self, value: Expression) -> Result<Expression, String> {
        let (token, at) = self.next();
        let Token::Name(name) = token else {
            return Err(format!("character {at}: {} stands where a function should", shown(&token)));
        };
        let test = match name.as_str() {
            "size" => {
                self.expect("(")?;
                self.expect(")")?;
                return Ok(Expression::Size(Box::new(value)));
            }
            "startsWith" => Some(TextTest::StartsWith),
            "endsWith" => Some(TextTest::EndsWith),
            "contains" => Some(TextTest::Contains),
            "matches" => None,
            _ => {
                let known = ["startsWith", "endsWith", "contains", "matches", "size"];
                let hint = did_you_mean(&name, known);
                let known = known.join(", ");
                return Err(format!("character {at}: there is no function `{name}`{hint}; there are {known}"));
            }
        };
        self.expect("(")?;
        let place = self.peek().1;
        let argument = self.nested(Self::any)?;
        self.expect(")")?;
        match (test, argument) {
            (Some(test), argument) => Ok(Expression::Text(test, Box::new(value), Box::new(argument))),
            (None, Expression::Literal(Literal::Text(pattern))) => match Pattern::new(&pattern) {
                Ok(pattern) => Ok(Expression::Matches(Box::new(value), pattern)),
                Err(why) => Err(format!("character {place}: {why}")),
            },
            (None, _) => Err(format!("character {place}: `matches` takes a regular expression as a text in quotes")),
        }
    }
}
