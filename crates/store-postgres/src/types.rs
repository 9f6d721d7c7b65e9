//! Types that sqlx does not bring along: moments at exact milliseconds, and
//! arrays within arrays.

use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::types::Oid;
use sqlx::postgres::{PgArgumentBuffer, PgHasArrayType, PgTypeInfo, PgValueRef};
use sqlx::{Decode, Encode, Postgres, Type};
use threadlore_model::Timestamp;

/// A moment as `timestamptz`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment(pub(crate) Timestamp);

/// 2000-01-01, from which PostgreSQL counts microseconds, in Unix milliseconds.
const EPOCH_MS: i64 = 946_684_800_000;

/// A moment as PostgreSQL counts it, from Unix milliseconds. The fold keeps moments within the
/// years 1970 to 9999.
pub(crate) const fn micros(ms: i64) -> i64 {
    (ms - EPOCH_MS) * 1000
}

impl Type<Postgres> for Moment {
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_oid(Oid(1184))
    }
}

impl PgHasArrayType for Moment {
    fn array_type_info() -> PgTypeInfo {
        PgTypeInfo::with_oid(Oid(1185))
    }
}

impl Encode<'_, Postgres> for Moment {
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        Encode::<Postgres>::encode_by_ref(&micros(self.0.as_millis()), buffer)
    }
}

impl Decode<'_, Postgres> for Moment {
    fn decode(value: PgValueRef<'_>) -> Result<Self, BoxDynError> {
        let micros = i64::from_be_bytes(value.as_bytes()?.try_into()?);
        let ms = micros.div_euclid(1000).saturating_add(EPOCH_MS);
        Ok(Self(Timestamp::from_millis(ms)))
    }
}

/// An array as the text that PostgreSQL reads as one, for arrays within arrays.
pub(crate) fn array_literal<T: ToString>(values: impl IntoIterator<Item = T>) -> String {
    let mut out = String::from("{");
    for (i, value) in values.into_iter().enumerate() {
        out.push_str(if i == 0 { "\"" } else { ",\"" });
        for c in value.to_string().chars() {
            if matches!(c, '"' | '\\') {
                out.push('\\');
            }
            out.push(c);
        }
        out.push('"');
    }
    out.push('}');
    out
}

#[cfg(test)]
mod tests {
    use super::array_literal;

    #[test]
    fn literals_escape_what_would_end_them() {
        assert_eq!(
            array_literal(["a\"b", "c\\,}", ""]),
            r#"{"a\"b","c\\,}",""}"#
        );
        assert_eq!(array_literal::<String>([]), "{}");
    }
}
