//! What `tests/interop/gateway.py` wrote, by Confluent's own serializer and fastavro, with
//! the schemas as Karapace gave them back.

use threadlore_model::Body;
use threadlore_testkit::RegistryDouble;

use crate::support::{read, registry};

const TEXT: &str =
    "how do I get the wifi of my laptop to work after the update? it finds no network";
/// Single object; ours in Confluent's form; a schema of its own in Confluent's form.
const VALUES: [&str; 3] = [
    "c3012458186594f90785186972633a23696e7465726f702a313739353336313730313932303135363136312d3006616e6e\
     0206416e6e00a001686f7720646f204920676574207468652077696669206f66206d79206c6170746f7020746f20776f72\
     6b20616674657220746865207570646174653f2069742066696e6473206e6f206e6574776f726bdc82acbec06800000000",
    "0000000001186972633a23696e7465726f702a313739353336313730393030303137383738382d3006616e6e0206416e6e\
     00a001686f7720646f204920676574207468652077696669206f66206d79206c6170746f7020746f20776f726b20616674\
     657220746865207570646174653f2069742066696e6473206e6f206e6574776f726bac86adbec0680000",
    "000000000200186972633a23696e7465726f702a313739353336313731333239383734303138302d3006616e6e00a00168\
     6f7720646f204920676574207468652077696669206f66206d79206c6170746f7020746f20776f726b2061667465722074\
     6865207570646174653f2069742066696e6473206e6f206e6574776f726be4b6adbec068",
];
/// What a gateway was given before messages had threads.
const EARLIER: &str = r#"{"type":"record","name":"PlatformMessage","namespace":"io.threadlore.v1",
    "doc":"A gateway delivers a message. Topic chat.inbox.","fields":[
    {"name":"channel","type":"string"},{"name":"native_id","type":"string"},
    {"name":"author_id","type":"string"},
    {"name":"author_name","type":["null","string"],"default":null},
    {"name":"author_is_bot","type":"boolean"},{"name":"text","type":"string"},
    {"name":"sent_at","type":{"type":"long","logicalType":"timestamp-millis"}},
    {"name":"reply_to","type":["null","string"],"default":null},
    {"name":"mentions","type":{"type":"array","items":"string"},"default":[]}]}"#;
const OWN: &str = r#"{"doc":"A gateway delivers a message. Topic chat.inbox.","fields":[
    {"default":null,"name":"client","type":["null","string"]},
    {"name":"channel","type":"string"},{"name":"native_id","type":"string"},
    {"name":"author_id","type":"string"},{"name":"author_is_bot","type":"boolean"},
    {"name":"text","type":"string"},
    {"name":"sent_at","type":{"logicalType":"timestamp-millis","type":"long"}}],
    "name":"PlatformMessage","namespace":"io.threadlore.v1","type":"record"}"#;

fn bytes(hex: &str) -> Vec<u8> {
    let pairs = (0..hex.len()).step_by(2);
    let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("hex digits");
    pairs.map(byte).collect()
}

#[tokio::test]
async fn what_other_libraries_wrote_is_read() {
    let double = RegistryDouble::start();
    double.holds_schema(EARLIER);
    double.holds_schema(OWN);
    let (registry, _) = registry(&double.url());
    for (value, name) in VALUES.iter().zip([Some("Ann"), Some("Ann"), None]) {
        let readable = read(&registry, &bytes(value)).await.expect("known");
        let readable = readable.expect("readable");
        let event = readable
            .codec
            .decode(&[], b"interop/irc:#interop", &readable.value);
        let Body::PlatformMessage(message) = event.expect("an event").body else {
            panic!("another body");
        };
        assert_eq!(
            (message.text.as_str(), message.author_id.as_str()),
            (TEXT, "ann")
        );
        assert_eq!(message.author_name.as_deref(), name);
    }
}
