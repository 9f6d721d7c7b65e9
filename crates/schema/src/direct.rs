//! Avro data straight to the types of events, without a tree of values in between: for data that
//! was written with the newest schema, which is what nearly every record is.

use std::fmt;

use apache_avro::Schema;
use apache_avro::schema::RecordField;
use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, IgnoredAny, IntoDeserializer, MapAccess,
    SeqAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use crate::datum::{Bad, Input};

/// Why a datum is no value of a type.
#[derive(Debug)]
pub(crate) enum Unfit {
    /// It does not follow its schema.
    Bad(Bad),
    /// A field breaks the rule of its type.
    Field,
}

impl From<Bad> for Unfit {
    fn from(bad: Bad) -> Self {
        Self::Bad(bad)
    }
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bad(bad) => bad.fmt(f),
            Self::Field => f.write_str("a field breaks the rule of its type"),
        }
    }
}

impl std::error::Error for Unfit {}

impl serde::de::Error for Unfit {
    /// The message may quote the record, so it is dropped.
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self::Field
    }
}

/// Reads all of `bytes` as one value of a type. It allocates in proportion to `bytes`, as
/// [`crate::datum::decode`] does.
pub(crate) fn read<T: DeserializeOwned>(schema: &Schema, bytes: &[u8]) -> Result<T, Unfit> {
    let mut input = Input::new(bytes);
    let value = T::deserialize(Datum {
        schema,
        input: &mut input,
    })?;
    match input.is_empty() {
        true => Ok(value),
        false => Err(Bad::Long.into()),
    }
}

/// The next value of the input, of a schema.
struct Datum<'a, 'de> {
    schema: &'a Schema,
    input: &'a mut Input<'de>,
}

impl<'de> Deserializer<'de> for Datum<'_, 'de> {
    type Error = Unfit;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unfit> {
        let Self { schema, input } = self;
        match schema {
            Schema::Null => visitor.visit_unit(),
            Schema::Boolean => visitor.visit_bool(input.boolean()?),
            Schema::Int => visitor.visit_i32(input.int()?),
            Schema::Long | Schema::TimestampMillis => visitor.visit_i64(input.long()?),
            Schema::Bytes => visitor.visit_borrowed_bytes(input.bytes()?),
            Schema::String | Schema::Uuid => visitor.visit_borrowed_str(input.text()?),
            Schema::Enum(choice) => {
                let symbol = choice.symbols.get(input.symbol()?).ok_or(Bad::Choice)?;
                visitor.visit_str(symbol)
            }
            Schema::Union(union) => {
                let at = input.variant()?;
                let schema = union.variants().get(at).ok_or(Bad::Choice)?;
                Datum { schema, input }.deserialize_any(visitor)
            }
            Schema::Array(array) => {
                let mut items = Items {
                    schema: &array.items,
                    input,
                    left: 0,
                    has_ended: false,
                };
                let value = visitor.visit_seq(&mut items)?;
                // What the type does not take has to be passed over.
                while (&mut items).next_element::<IgnoredAny>()?.is_some() {}
                Ok(value)
            }
            Schema::Record(record) => visitor.visit_map(Fields {
                fields: record.fields.iter(),
                schema: &Schema::Null,
                input,
            }),
            _ => Err(Bad::Unsupported.into()),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unfit> {
        let Self { schema, input } = self;
        let Schema::Union(union) = schema else {
            return visitor.visit_some(Datum { schema, input });
        };
        match union.variants().get(input.variant()?) {
            None => Err(Bad::Choice.into()),
            Some(Schema::Null) => visitor.visit_none(),
            Some(schema) => visitor.visit_some(Datum { schema, input }),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unfit> {
        match self.schema {
            Schema::Enum(choice) => {
                let symbol = choice.symbols.get(self.input.symbol()?);
                visitor.visit_enum(symbol.ok_or(Bad::Choice)?.as_str().into_deserializer())
            }
            Schema::String => visitor.visit_enum(self.input.text()?.into_deserializer()),
            _ => Err(Bad::Unsupported.into()),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Unfit> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string
        bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// Items of an array, block by block.
struct Items<'a, 'de> {
    schema: &'a Schema,
    input: &'a mut Input<'de>,
    /// Of the block.
    left: usize,
    /// Whether the last block was read.
    has_ended: bool,
}

impl<'de> SeqAccess<'de> for &mut Items<'_, 'de> {
    type Error = Unfit;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Unfit> {
        if self.left == 0 && !self.has_ended {
            self.left = self.input.block()?;
            self.has_ended = self.left == 0;
        }
        if self.has_ended {
            return Ok(None);
        }
        self.left -= 1;
        let item = Datum {
            schema: self.schema,
            input: self.input,
        };
        seed.deserialize(item).map(Some)
    }
}

/// The fields of a record, in the order of its schema.
struct Fields<'a, 'de> {
    fields: std::slice::Iter<'a, RecordField>,
    /// Of the value that is next.
    schema: &'a Schema,
    input: &'a mut Input<'de>,
}

impl<'de> MapAccess<'de> for Fields<'_, 'de> {
    type Error = Unfit;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Unfit> {
        let Some(field) = self.fields.next() else {
            return Ok(None);
        };
        self.schema = &field.schema;
        let name: StrDeserializer<'_, Unfit> = field.name.as_str().into_deserializer();
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Unfit> {
        seed.deserialize(Datum {
            schema: self.schema,
            input: self.input,
        })
    }
}
