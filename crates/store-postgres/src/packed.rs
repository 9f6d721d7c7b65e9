//! Values of the processors' own tables: CBOR, and compressed where many are in one row.

use serde::Serialize;
use serde::de::DeserializeOwned;
use threadlore_ports::PortError;

/// CBOR: self-describing, so that a newer binary reads what an older one left. Fails for an event
/// whose private fields are still open.
pub(crate) fn cbor(doing: &'static str, value: &impl Serialize) -> Result<Vec<u8>, PortError> {
    let mut bytes = Vec::new();
    ciborium::into_writer(value, &mut bytes)
        .map_err(|e| PortError::broken(doing, format!("encoding a row: {e}")))?;
    Ok(bytes)
}

/// The value of [`cbor`], or why there is none.
pub(crate) fn of_cbor<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    ciborium::from_reader(bytes).map_err(|e| e.to_string())
}

/// CBOR behind LZ4.
pub(crate) fn pack(doing: &'static str, value: &impl Serialize) -> Result<Vec<u8>, PortError> {
    Ok(lz4_flex::compress_prepend_size(&cbor(doing, value)?))
}

/// The value of [`pack`], or why there is none.
pub(crate) fn unpack<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    let bytes = lz4_flex::decompress_size_prepended(bytes).map_err(|e| e.to_string())?;
    of_cbor(&bytes)
}
