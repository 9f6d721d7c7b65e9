//! How long texts are, counted as the platform counts.

/// How a platform counts.
#[derive(Debug, Clone, Copy)]
pub(super) enum Unit {
    /// Unicode scalar values.
    Characters,
    Utf16,
    /// Bytes of UTF-8 inside a JSON string.
    JsonBytes,
}

impl Unit {
    pub(super) fn count(self, text: &str) -> usize {
        match self {
            Self::Characters => text.chars().count(),
            Self::Utf16 => text.chars().map(char::len_utf16).sum(),
            Self::JsonBytes => {
                let escaped = |byte: &u8| matches!(byte, b'"' | b'\\' | b'\n' | b'\t');
                text.len() + text.bytes().filter(|byte| escaped(byte)).count()
            }
        }
    }
}

/// What a part has at most.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) unit: Unit,
    pub(super) body: usize,
    pub(super) formatted: usize,
    /// Body and formatted text together.
    pub(super) both: usize,
    /// Nodes of the formatted text.
    pub(super) entities: usize,
}

/// What a text has, in the same units.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Size {
    pub(super) body: usize,
    pub(super) formatted: usize,
    pub(super) entities: usize,
}

impl Limits {
    /// Whether a part has room for a text and for what is kept in reserve.
    pub(super) fn hold(&self, size: Size, reserve: Size) -> bool {
        let body = size.body + reserve.body;
        let formatted = size.formatted + reserve.formatted;
        body <= self.body
            && formatted <= self.formatted
            && body + formatted <= self.both
            && size.entities <= self.entities
    }

    /// Whether a text needs half of any of them.
    pub(super) fn are_half_used(&self, size: Size) -> bool {
        size.body >= self.body / 2
            || size.formatted >= self.formatted / 2
            || size.body + size.formatted >= self.both / 2
    }

    /// A text of more bytes does not fit into any part.
    pub(super) fn most_bytes(&self) -> usize {
        match self.unit {
            Unit::Characters | Unit::Utf16 => self.body.saturating_mul(4),
            Unit::JsonBytes => self.body,
        }
    }
}
