//! Avro data to values, from bytes that may be hostile.
//!
//! The decoder of `apache-avro` is not used, because it reads missing bytes as null (a truncated
//! record would pass as a whole one) and allocates memory for any length that a record claims.

use apache_avro::Schema;
use apache_avro::types::Value;

/// Why bytes are no datum of their schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Bad {
    #[error("it ends early")]
    Short,
    #[error("it has bytes after its last field")]
    Long,
    #[error("a number is too large")]
    Number,
    #[error("a text is not UTF-8")]
    Text,
    #[error("a boolean, enum or union has a value that the schema does not know")]
    Choice,
    #[error("its schema uses a type that this codec does not support")]
    Unsupported,
}

/// Decodes all of `bytes` as one datum. It allocates in proportion to `bytes`, because every length
/// is compared with the remaining bytes.
pub(crate) fn decode(schema: &Schema, bytes: &[u8]) -> Result<Value, Bad> {
    let mut input = Input::new(bytes);
    let value = input.value(schema)?;
    if input.is_empty() {
        Ok(value)
    } else {
        Err(Bad::Long)
    }
}

/// Whether a schema of ours has only types that events may have.
pub(crate) fn supports(schema: &Schema) -> bool {
    every(schema, |schema| {
        matches!(
            schema,
            Schema::Boolean
                | Schema::Int
                | Schema::Long
                | Schema::TimestampMillis
                | Schema::Bytes
                | Schema::String
                | Schema::Uuid
                | Schema::Enum(_)
        )
    })
}

/// Whether [`decode`] can read every type in a foreign schema, which may have additional fields.
pub(crate) fn reads(schema: &Schema) -> bool {
    every(schema, |schema| match schema {
        // A type without bytes is refused, because any number of them could be claimed.
        Schema::Fixed(fixed) => fixed.size > 0,
        Schema::Float | Schema::Double | Schema::Map(_) => true,
        Schema::Date | Schema::TimeMillis | Schema::TimeMicros => true,
        Schema::TimestampMicros | Schema::TimestampNanos => true,
        Schema::LocalTimestampMillis | Schema::LocalTimestampMicros => true,
        simple => supports(simple),
    })
}

/// Whether all simple types in a schema are these. Items of arrays must have at least
/// one byte each, so that a claimed count is bounded by the input.
fn every(schema: &Schema, simple: fn(&Schema) -> bool) -> bool {
    match schema {
        Schema::Array(array) => every(&array.items, simple),
        Schema::Map(map) => simple(schema) && every(&map.types, simple),
        Schema::Union(union) => {
            let mut variants = union.variants().iter();
            variants.all(|variant| *variant == Schema::Null || every(variant, simple))
        }
        Schema::Record(record) => {
            !record.fields.is_empty() && record.fields.iter().all(|f| every(&f.schema, simple))
        }
        other => simple(other),
    }
}

/// The bytes that are left of a datum.
pub(crate) struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], Bad> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Bad::Short)?;
        self.0 = rest;
        Ok(taken)
    }

    fn chunk<const N: usize>(&mut self) -> Result<[u8; N], Bad> {
        let (chunk, rest) = self.0.split_first_chunk().ok_or(Bad::Short)?;
        self.0 = rest;
        Ok(*chunk)
    }

    /// A zig-zag number of at most 64 bits.
    pub(crate) fn long(&mut self) -> Result<i64, Bad> {
        let mut bits = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.take(1)?[0];
            let low = u64::from(byte & 0x7f);
            if shift == 63 && low > 1 {
                return Err(Bad::Number);
            }
            bits |= low << shift;
            if byte & 0x80 == 0 {
                return Ok((bits >> 1) as i64 ^ -((bits & 1) as i64));
            }
        }
        Err(Bad::Number)
    }

    pub(crate) fn int(&mut self) -> Result<i32, Bad> {
        i32::try_from(self.long()?).map_err(|_| Bad::Number)
    }

    /// A length in bytes or items, each item having at least one byte.
    fn length(&mut self) -> Result<usize, Bad> {
        let length = usize::try_from(self.long()?).map_err(|_| Bad::Number)?;
        if length > self.0.len() {
            return Err(Bad::Short);
        }
        Ok(length)
    }

    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], Bad> {
        let length = self.length()?;
        self.take(length)
    }

    pub(crate) fn text(&mut self) -> Result<&'a str, Bad> {
        std::str::from_utf8(self.bytes()?).map_err(|_| Bad::Text)
    }

    pub(crate) fn boolean(&mut self) -> Result<bool, Bad> {
        match self.take(1)?[0] {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Bad::Choice),
        }
    }

    /// The position of a symbol of an enum.
    pub(crate) fn symbol(&mut self) -> Result<usize, Bad> {
        usize::try_from(self.int()?).map_err(|_| Bad::Choice)
    }

    /// The position of a variant of a union.
    pub(crate) fn variant(&mut self) -> Result<usize, Bad> {
        usize::try_from(self.long()?).map_err(|_| Bad::Choice)
    }

    /// The number of items in the next block of an array or map, which is 0 after the last
    /// block. A negative count is followed by the block's size.
    pub(crate) fn block(&mut self) -> Result<usize, Bad> {
        let count = self.long()?;
        if count < 0 {
            self.length()?;
        }
        let count = usize::try_from(count.unsigned_abs()).map_err(|_| Bad::Number)?;
        match count > self.0.len() {
            true => Err(Bad::Short),
            false => Ok(count),
        }
    }

    fn value(&mut self, schema: &Schema) -> Result<Value, Bad> {
        Ok(match schema {
            Schema::Null => Value::Null,
            Schema::Boolean => Value::Boolean(self.boolean()?),
            Schema::Int => Value::Int(self.int()?),
            Schema::Long => Value::Long(self.long()?),
            Schema::TimestampMillis => Value::TimestampMillis(self.long()?),
            // These types are only in foreign schemas.
            Schema::Float => Value::Float(f32::from_le_bytes(self.chunk()?)),
            Schema::Double => Value::Double(f64::from_le_bytes(self.chunk()?)),
            Schema::Date => Value::Date(self.int()?),
            Schema::TimeMillis => Value::TimeMillis(self.int()?),
            Schema::TimeMicros => Value::TimeMicros(self.long()?),
            Schema::TimestampMicros => Value::TimestampMicros(self.long()?),
            Schema::TimestampNanos => Value::TimestampNanos(self.long()?),
            Schema::LocalTimestampMillis => Value::LocalTimestampMillis(self.long()?),
            Schema::LocalTimestampMicros => Value::LocalTimestampMicros(self.long()?),
            Schema::Fixed(fixed) => Value::Fixed(fixed.size, self.take(fixed.size)?.to_vec()),
            Schema::Map(map) => {
                let items =
                    self.items(|input| Ok((input.text()?.to_owned(), input.value(&map.types)?)))?;
                Value::Map(items.into_iter().collect())
            }
            Schema::Bytes => Value::Bytes(self.bytes()?.to_vec()),
            // Ids check themselves when they are parsed.
            Schema::String | Schema::Uuid => Value::String(self.text()?.to_owned()),
            Schema::Enum(choice) => {
                let position = self.symbol()?;
                let symbol = choice.symbols.get(position).ok_or(Bad::Choice)?;
                Value::Enum(position as u32, symbol.clone())
            }
            Schema::Union(union) => {
                let at = self.variant()?;
                let variant = union.variants().get(at).ok_or(Bad::Choice)?;
                Value::Union(at as u32, Box::new(self.value(variant)?))
            }
            Schema::Array(array) => Value::Array(self.items(|input| input.value(&array.items))?),
            Schema::Record(record) => {
                let mut fields = Vec::with_capacity(record.fields.len());
                for field in &record.fields {
                    fields.push((field.name.clone(), self.value(&field.schema)?));
                }
                Value::Record(fields)
            }
            _ => return Err(Bad::Unsupported),
        })
    }

    fn items<T>(&mut self, one: impl Fn(&mut Self) -> Result<T, Bad>) -> Result<Vec<T>, Bad> {
        let mut items = Vec::new();
        loop {
            let count = self.block()?;
            if count == 0 {
                return Ok(items);
            }
            items.reserve(count);
            for _ in 0..count {
                items.push(one(self)?);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array() -> Schema {
        Schema::parse_str(r#"{"type":"array","items":"string"}"#).expect("a schema")
    }

    #[test]
    fn numbers_use_all_64_bits_and_no_more() {
        for (bytes, number) in [
            (&[0x00][..], 0),
            (&[0x01], -1),
            (&[0x80, 0x01], 64),
            (
                &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
                i64::MIN,
            ),
            (
                &[0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
                i64::MAX,
            ),
        ] {
            assert_eq!(decode(&Schema::Long, bytes), Ok(Value::Long(number)));
        }
        let too_large = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02];
        assert_eq!(decode(&Schema::Long, &too_large), Err(Bad::Number));
    }

    #[test]
    fn claimed_lengths_are_not_believed() {
        let huge = [0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
        assert_eq!(decode(&Schema::String, &huge), Err(Bad::Short));
        assert_eq!(decode(&array(), &huge), Err(Bad::Short));
    }

    #[test]
    fn blocks_of_both_forms_are_read() {
        let plain = [2, 2, b'a', 2, 2, b'b', 0];
        let sized = [1, 4, 2, b'a', 1, 4, 2, b'b', 0];
        assert_eq!(decode(&array(), &plain), decode(&array(), &sized));
        assert!(decode(&array(), &plain).is_ok());
        assert_eq!(decode(&array(), &plain[..6]), Err(Bad::Short));
        assert_eq!(decode(&array(), &[0, 0]), Err(Bad::Long));
    }
}
