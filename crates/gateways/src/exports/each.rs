//! JSON documents that may be larger than the memory: the elements of lists are handed over as they are
//! parsed.

use std::fmt;
use std::io::{self, Read};

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// What is done with each element.
pub(super) struct Each<F>(pub(super) F);

impl<'de, F: FnMut(Value) -> io::Result<()>> DeserializeSeed<'de> for Each<F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de, F: FnMut(Value) -> io::Result<()>> Visitor<'de> for Each<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of messages")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        while let Some(value) = list.next_element()? {
            (self.0)(value).map_err(A::Error::custom)?;
        }
        Ok(())
    }
}

/// A part of a document.
#[derive(Debug, PartialEq)]
pub(super) enum Piece {
    /// An element of a list.
    Element(Value),
    /// What is no list.
    Whole(Value),
}

/// Hands over the fields of objects, each with its name, and the elements of lists one by one; those of a
/// list that is a document itself have no name. A file may have several documents, one behind the other.
pub(super) fn pieces(
    reader: impl Read,
    mut take: impl FnMut(&str, Piece) -> io::Result<()>,
) -> serde_json::Result<()> {
    let mut parser = serde_json::Deserializer::from_reader(reader);
    loop {
        parser.deserialize_any(Document(&mut take))?;
        if parser.end().is_ok() {
            return Ok(());
        }
    }
}

/// An object or a list.
struct Document<'a, F>(&'a mut F);

impl<'de, F: FnMut(&str, Piece) -> io::Result<()>> Visitor<'de> for Document<'_, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or a list")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            let take = &mut *self.0;
            map.next_value_seed(Field { name: &name, take })?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<(), A::Error> {
        Field {
            name: "",
            take: self.0,
        }
        .visit_seq(list)
    }
}

/// The value of a field.
struct Field<'a, F> {
    name: &'a str,
    take: &'a mut F,
}

impl<F: FnMut(&str, Piece) -> io::Result<()>> Field<'_, F> {
    fn whole<E: serde::de::Error>(self, value: impl Into<Value>) -> Result<(), E> {
        (self.take)(self.name, Piece::Whole(value.into())).map_err(E::custom)
    }
}

impl<'de, F: FnMut(&str, Piece) -> io::Result<()>> DeserializeSeed<'de> for Field<'_, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de, F: FnMut(&str, Piece) -> io::Result<()>> Visitor<'de> for Field<'_, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(value) = list.next_element()? {
            (self.take)(self.name, Piece::Element(value)).map_err(A::Error::custom)?;
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        let value = Value::deserialize(MapAccessDeserializer::new(map))?;
        self.whole(value)
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<(), E> {
        self.whole(value)
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<(), E> {
        self.whole(value)
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<(), E> {
        self.whole(value)
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<(), E> {
        self.whole(value)
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<(), E> {
        self.whole(value)
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        self.whole(Value::Null)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(text: &str) -> serde_json::Result<Vec<(String, Piece)>> {
        let mut found = Vec::new();
        pieces(text.as_bytes(), |name, piece| {
            found.push((name.to_owned(), piece));
            Ok(())
        })?;
        Ok(found)
    }

    #[test]
    fn fields_and_elements_are_handed_over() {
        let text = r#"{"a": 1, "b": [{"c": [2]}, 3], "d": {"e": [4]}, "f": null} ["g"]"#;
        let expect = [
            ("a", Piece::Whole(json!(1))),
            ("b", Piece::Element(json!({"c": [2]}))),
            ("b", Piece::Element(json!(3))),
            ("d", Piece::Whole(json!({"e": [4]}))),
            ("f", Piece::Whole(Value::Null)),
            ("", Piece::Element(json!("g"))),
        ];
        let expect = expect.map(|(name, piece)| (name.to_owned(), piece));
        assert_eq!(read(text).expect("JSON"), expect);
        for damaged in ["", "7", "{\"a\": [1,", "{} x", "[1]]"] {
            assert!(read(damaged).is_err(), "{damaged}");
        }
    }
}
