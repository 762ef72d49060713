//! Points in time as dialects write them: ISO 8601 in UTC, from and to milliseconds since the epoch.

use serde_json::Value;

const DAY_MS: i64 = 86_400_000;

/// The last millisecond of the year 9999; later ones have no form of four-digit years.
const LATEST_MS: i64 = 253_402_300_799_999;

/// `2026-11-22T01:20:00.000Z`, as JavaScript writes it; milliseconds out of range are moved to the nearest end.
pub fn iso(ms: i64) -> String {
    let ms = ms.clamp(0, LATEST_MS);
    let (year, month, day) = date(ms.div_euclid(DAY_MS));
    let rest = ms.rem_euclid(DAY_MS);
    let (seconds, millis) = (rest / 1000, rest % 1000);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{millis:03}Z",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )
}

/// The point in time of a payload, which the engine fills in; the epoch when a host put something else there.
pub fn millis(timestamp: Option<&Value>) -> i64 {
    timestamp.and_then(|value| value.as_i64().or_else(|| value.as_f64().map(whole))).unwrap_or(0)
}

#[expect(clippy::cast_possible_truncation, reason = "a float beyond the range saturates, and `iso` clamps it")]
fn whole(number: f64) -> i64 {
    number.round() as i64
}

/// Reads a point in time: a number of milliseconds, or ISO 8601 with `Z` or an offset.
pub fn read(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| number.as_f64().map(whole)),
        Value::String(text) => parse(text),
        _ => None,
    }
}

fn parse(text: &str) -> Option<i64> {
    let (date, time) = text.split_once(['T', ' '])?;
    let mut parts = date.splitn(3, '-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    if !((1970..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day)) {
        return None;
    }
    let (clock, offset) = split_offset(time)?;
    let mut parts = clock.splitn(3, ':');
    let hour: i64 = parts.next()?.parse().ok()?;
    let minute: i64 = parts.next()?.parse().ok()?;
    let second: f64 = parts.next().unwrap_or("0").parse().ok()?;
    if !((0..24).contains(&hour) && (0..60).contains(&minute) && (0.0..61.0).contains(&second)) {
        return None;
    }
    Some(days(year, month, day) * DAY_MS + (hour * 60 + minute - offset) * 60_000 + whole(second * 1000.0))
}

/// The clock's text and the offset from UTC in minutes.
fn split_offset(time: &str) -> Option<(&str, i64)> {
    if let Some(clock) = time.strip_suffix(['Z', 'z']) {
        return Some((clock, 0));
    }
    let Some(at) = time.rfind(['+', '-']) else { return Some((time, 0)) };
    let (clock, offset) = time.split_at(at);
    let digits: String = offset.chars().filter(char::is_ascii_digit).collect();
    let number: i64 = digits.parse().ok().filter(|_| digits.len() == 4)?;
    let minutes = number / 100 * 60 + number % 100;
    Some((clock, if offset.starts_with('-') { -minutes } else { minutes }))
}

/// Days since the epoch of a date of the proleptic Gregorian calendar, counted in years that begin in March.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let shifted = if month <= 2 { year - 1 } else { year };
    let era = shifted.div_euclid(400);
    let of_era = shifted.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The date of a day since the epoch; the other direction of [`days`].
fn date(day: i64) -> (i64, i64, i64) {
    let shifted = day + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let years = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * years + years / 4 - years / 100);
    let from_march = (5 * of_year + 2) / 153;
    let month = (from_march + 2) % 12 + 1;
    let year = years + era * 400 + i64::from(month <= 2);
    (year, month, of_year - (153 * from_march + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn known_points() {
        assert_eq!(iso(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(iso(1_709_210_096_789), "2024-02-29T12:34:56.789Z");
        assert_eq!(iso(i64::MAX), "9999-12-31T23:59:59.999Z");
        assert_eq!(read(&json!("2026-11-22T03:20:00+02:00")), read(&json!("2026-11-22T01:20:00Z")));
        assert_eq!(read(&json!(1.5e3)), Some(1500));
    }

    #[test]
    fn what_is_no_point_in_time_is_none() {
        for text in ["", "yesterday", "2026-13-01T00:00:00Z", "2026-01-01T25:00:00Z", "2026-01-01", "é-é-éTé"] {
            assert_eq!(read(&json!(text)), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn there_and_back(ms in 0..=LATEST_MS) {
            prop_assert_eq!(read(&json!(iso(ms))), Some(ms));
        }

        #[test]
        fn no_text_panics(text in ".*") {
            let _ = read(&json!(text));
        }
    }
}
