//! A case as a point of the index: its search terms, and the result of a search.

use crate::{CaseId, ChannelId, Leg, SpaceId, Terms};

/// The fields of a point other than its vectors. Digests of an index are over these fields; the
/// vectors follow from the source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PointRow {
    /// The tenant.
    pub space: SpaceId,
    /// The case; the point's id.
    pub case: CaseId,
    /// The channel it was found in.
    pub channel: ChannelId,
    /// Whether the case is solved; otherwise it is open.
    pub solved: bool,
    /// SHA-256 of the text, term version and model that the vectors were made from.
    pub source: [u8; 32],
}

/// A point with its vectors.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// The fields other than the vectors.
    pub row: PointRow,
    /// The sparse vectors.
    pub terms: Terms,
    /// The vector of a model; `None` without a model, or before it is computed.
    pub dense: Option<Vec<f32>>,
}

/// The candidates that one leg of a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found<T> {
    /// By which leg.
    pub leg: Leg,
    /// Candidates with the leg's own scores, in any order. Those that are not
    /// above 0 do not count.
    pub candidates: Vec<(T, f32)>,
}

/// The text by which a case is searched: title, problem and solution on a line each, and all tags
/// on one. Missing and empty parts are left out. `None` if no part is left.
#[must_use]
pub fn searched_text(
    title: Option<&str>,
    problem: Option<&str>,
    solution: Option<&str>,
    tags: &[String],
) -> Option<String> {
    let tags = tags.join(" ");
    let parts = [title, problem, solution, Some(tags.as_str())];
    let lines = parts.into_iter().flatten().map(str::trim);
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_has_its_line_and_what_is_missing_has_none() {
        let tags = ["audio".to_owned(), "alsa".to_owned()];
        let text = searched_text(
            Some("No sound"),
            Some("mute\nall"),
            Some("alsamixer"),
            &tags,
        );
        let expected = "No sound\nmute\nall\nalsamixer\naudio alsa";
        assert_eq!(text.as_deref(), Some(expected));
        let text = searched_text(Some("No sound"), Some("  "), None, &[]);
        assert_eq!(text.as_deref(), Some("No sound"));
        let text = searched_text(None, None, Some("alsamixer"), &tags);
        assert_eq!(text.as_deref(), Some("alsamixer\naudio alsa"));
    }

    #[test]
    fn nothing_has_no_text() {
        assert_eq!(searched_text(None, None, None, &[]), None);
        assert_eq!(searched_text(Some(" "), None, None, &[String::new()]), None);
    }
}
