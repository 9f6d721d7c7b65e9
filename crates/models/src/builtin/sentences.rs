//! Sentences of a text.

/// The sentences of a text, with their marks. A full stop inside a name or a number, after an
/// abbreviation or in an ellipsis does not end a sentence.
pub(super) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text.trim();
    std::iter::from_fn(move || {
        let (sentence, after) = rest.split_at(end(rest));
        rest = after.trim_start();
        (!sentence.is_empty()).then(|| sentence.trim_end())
    })
}

/// The end of the first sentence.
fn end(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let spaced = next.is_none_or(char::is_whitespace);
        let ends = match c {
            '\n' | '。' | '？' | '؟' => true,
            '!' | '?' | ';' => spaced,
            '.' => spaced && !is_shortened(&text[..at]),
            _ => false,
        };
        if ends {
            return at + c.len_utf8();
        }
    }
    text.len()
}

/// Whether a full stop after this text belongs to a short form or to a row of stops.
fn is_shortened(before: &str) -> bool {
    let word = before.rsplit([' ', '(']).next().unwrap_or_default();
    word.ends_with('.')
        || matches!(
            word,
            "e.g" | "i.e" | "eg" | "ie" | "etc" | "vs" | "z.B" | "т.е"
        )
}

#[cfg(test)]
mod tests {
    use super::sentences;

    #[test]
    fn stops_inside_names_and_short_forms_end_nothing() {
        let text = "my xorg.conf (e.g. line 3) is odd... why? see 9.10. ok";
        let found: Vec<&str> = sentences(text).collect();
        assert_eq!(
            found,
            [
                "my xorg.conf (e.g. line 3) is odd... why?",
                "see 9.10.",
                "ok"
            ]
        );
    }

    #[test]
    fn other_scripts_and_lines_end_sentences_too() {
        let found: Vec<&str> = sentences("怎么安装？谢谢。\nهل يعمل؟ نعم").collect();
        assert_eq!(found, ["怎么安装？", "谢谢。", "هل يعمل؟", "نعم"]);
        assert_eq!(sentences("  ").count(), 0);
    }
}
