//! Fingerprints of schemas, and values that begin with one.

use std::fmt;

use apache_avro::Schema;

/// Marks an Avro single-object encoding.
const MAGIC: [u8; 2] = [0xc3, 0x01];

/// CRC-64-AVRO of a schema's canonical form: equal for schemas that write equal bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint([u8; 8]);

/// Primitive types that a logical type may be based on.
const PRIMITIVES: [&str; 4] = ["string", "bytes", "int", "long"];

impl Fingerprint {
    pub(crate) fn of(schema: &Schema) -> Self {
        let mut form = schema.canonical_form();
        // The library strips logical types but leaves {"type":"long"}, which the
        // canonical form of the specification writes as "long".
        for primitive in PRIMITIVES {
            form = form.replace(
                &format!("{{\"type\":\"{primitive}\"}}"),
                &format!("\"{primitive}\""),
            );
        }
        Self(crc_64_avro(form.as_bytes()).to_le_bytes())
    }

    /// A datum as a single object.
    #[must_use]
    pub fn join(self, datum: &[u8]) -> Vec<u8> {
        [&MAGIC, &self.0[..], datum].concat()
    }

    /// A single object's fingerprint and datum.
    ///
    /// # Errors
    /// One sentence that says why the value is none, without any of its text.
    pub fn split(value: &[u8]) -> Result<(Self, &[u8]), &'static str> {
        if value.is_empty() {
            return Err("the value is empty");
        }
        let Some(rest) = value.strip_prefix(&MAGIC) else {
            return Err(match value {
                [0, _, _, _, _, ..] => {
                    "the value is no Avro single-object encoding but begins as one of a schema \
                     registry does, and none is set"
                }
                _ => "the value is no Avro single-object encoding: it does not start with C3 01",
            });
        };
        let (fingerprint, datum) = rest
            .split_first_chunk::<8>()
            .ok_or("the value ends within the schema's fingerprint")?;
        Ok((Self(*fingerprint), datum))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", u64::from_le_bytes(self.0))
    }
}

/// The 64-bit Rabin fingerprint of the Avro specification.
fn crc_64_avro(bytes: &[u8]) -> u64 {
    const EMPTY: u64 = 0xc15d_213a_a4d7_a795;
    bytes.iter().fold(EMPTY, |crc, byte| {
        let low = (crc ^ u64::from(*byte)) & 0xff;
        let shifted = (0..8).fold(low, |t, _| (t >> 1) ^ (EMPTY & (t & 1).wrapping_neg()));
        (crc >> 8) ^ shifted
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As other Avro libraries compute them (fastavro 1.13).
    #[test]
    fn fingerprints_are_those_of_the_specification() {
        let of = |text: &str| {
            let schema = Schema::parse_str(text).expect("a schema");
            u64::from_be_bytes(Fingerprint::of(&schema).0)
        };
        assert_eq!(of("\"null\""), 0x8a8f_25cc_e724_dd63);
        let archived = include_str!("../../../schemas/CaseArchived.avsc");
        assert_eq!(of(archived), 0x80ed_d489_090a_0890);
        let posted = include_str!("../../../schemas/MessagePosted.avsc");
        assert_eq!(of(posted), 0xb458_a6f8_56be_6e13);
    }

    #[test]
    fn a_single_object_is_split_where_it_was_joined() {
        let fingerprint = Fingerprint([1, 2, 3, 4, 5, 6, 7, 8]);
        let value = fingerprint.join(b"datum");
        assert_eq!(value[..3], [0xc3, 1, 1]);
        assert_eq!(Fingerprint::split(&value), Ok((fingerprint, &b"datum"[..])));
        assert!(
            Fingerprint::split(b"\0\0\0\0\x07x")
                .expect_err("none")
                .contains("registry")
        );
        assert!(
            Fingerprint::split(b"\0\0")
                .expect_err("none")
                .contains("C3 01")
        );
    }
}
