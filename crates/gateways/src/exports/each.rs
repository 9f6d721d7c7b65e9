//! A list in a document that may be larger than the memory: each element is handed over as it is parsed.

use std::fmt;
use std::io;

use serde::de::{DeserializeSeed, Deserializer, Error as _, SeqAccess, Visitor};
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
