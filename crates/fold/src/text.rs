//! Values that every table can hold: text without U+0000, emoji of bounded length, and times within
//! the calendar. The fold applies these limits, so that all stores and digests have the same
//! values.

use threadlore_model::{Private, Timestamp};

/// The longest emoji or shortcode, in bytes. It is part of a row's key, and databases limit the
/// length of keys.
const EMOJI_MAX: usize = 256;

/// The text with U+0000 replaced by U+FFFD: PostgreSQL stores no U+0000.
pub(crate) fn clean(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// The readable text, cleaned; `None` once erased.
pub(crate) fn clean_private(text: &Private) -> Option<String> {
    text.text().map(clean)
}

/// The emoji, cleaned and cut.
#[must_use]
pub fn clean_emoji(emoji: &str) -> String {
    let mut emoji = clean(emoji);
    emoji.truncate(emoji.floor_char_boundary(EMOJI_MAX));
    emoji
}

/// The longest name of a model, in bytes; it is part of a row's key.
const MODEL_MAX: usize = 256;

/// The name of a model, cleaned and cut.
pub(crate) fn clean_model(model: &str) -> String {
    let mut model = clean(model);
    model.truncate(model.floor_char_boundary(MODEL_MAX));
    model
}

/// The moment, moved into the years 1970 to 9999.
pub(crate) fn clean_time(at: Timestamp) -> Timestamp {
    at.clamp(Timestamp::EARLIEST, Timestamp::LATEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emoji_are_cut_between_characters() {
        let cut = clean_emoji(&format!("x{}", "👍".repeat(100)));
        assert_eq!(cut.len(), 253);
        assert!(cut.ends_with('👍'));
        assert_eq!(clean_emoji("👍"), "👍");
    }

    #[test]
    fn nul_and_far_dates_are_replaced() {
        assert_eq!(clean("a\0b"), "a\u{fffd}b");
        assert_eq!(
            clean_time(Timestamp::from_millis(i64::MIN)),
            Timestamp::EARLIEST
        );
        assert_eq!(
            clean_time(Timestamp::from_millis(i64::MAX)),
            Timestamp::LATEST
        );
    }
}
