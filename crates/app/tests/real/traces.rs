//! Spans as a collector gets them.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{
    TraceService, TraceServiceServer,
};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::trace::v1::Span;
use tonic::{Request, Response, Status};

use super::support::Place;

/// Three messages are enough to look at, and the last one is when.
const TALK: [(&str, &str, &str); 3] = [
    (
        "ann",
        "",
        "how do I get the wifi to work after the update? it finds no network",
    ),
    (
        "bob",
        "0",
        "ann: install the package linux-firmware and restart, the driver needs it",
    ),
    ("ann", "1", "bob: thanks, that solved it"),
];

/// A collector: what it was sent.
#[derive(Clone, Default)]
struct Collector(Arc<Mutex<Vec<Span>>>);

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        let resources = request.into_inner().resource_spans.into_iter();
        let scopes = resources.flat_map(|resource| resource.scope_spans);
        let spans = scopes.flat_map(|scope| scope.spans);
        self.0.lock().expect("not poisoned").extend(spans);
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

/// Listens from now on.
async fn listen(collector: Collector) -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
    let listener = listener.expect("a port");
    let address = listener.local_addr().expect("an address");
    let service = TraceServiceServer::new(collector);
    let incoming = tonic::transport::server::TcpIncoming::from(listener);
    let server = tonic::transport::Server::builder().add_service(service);
    tokio::spawn(server.serve_with_incoming(incoming));
    address
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_is_followed_to_the_row_of_its_case() {
    let collector = Collector::default();
    let address = listen(collector.clone()).await;
    let place = Place::new();
    place.file(
        "threadlore.toml",
        format!(
            "[buffer]\nmin_for_resolution = 3\n\
             [telemetry]\notlp_endpoint = \"http://{address}\"\n"
        ),
    );
    let lines = TALK.iter().zip(0..).map(|((author, to, text), n)| {
        let mut line = serde_json::json!({
            "type": "message", "id": n.to_string(), "author": author, "text": text,
            "at": format!("2024-05-01T10:0{n}:00Z"),
        });
        if !to.is_empty() {
            line["reply_to"] = (*to).into();
        }
        format!("{line}\n")
    });
    let talk = place.file("talk.jsonl", lines.collect::<String>());
    let talk = talk.to_str().expect("UTF-8").to_owned();
    let told = tokio::task::spawn_blocking(move || {
        // What was not sent yet is sent at the end.
        place.json(&["import", &talk, "--channel", "irc:#secret"])
    });
    let told = told.await.expect("a task");
    assert_eq!(told["messages"], 3, "{told}");

    let spans = collector.0.lock().expect("not poisoned").clone();
    let by_id: BTreeMap<&[u8], &Span> =
        spans.iter().map(|span| (&span.span_id[..], span)).collect();
    let row = spans
        .iter()
        .find(|span| span.name == "projector CaseOpened");
    let row = row.unwrap_or_else(|| panic!("{spans:#?}"));
    let mut way = vec![row];
    while let Some(parent) = by_id.get(&way[way.len() - 1].parent_span_id[..]) {
        way.push(parent);
    }
    let names: Vec<&str> = way.iter().rev().map(|span| span.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "intake PlatformMessage",
            "buffer MessagePosted",
            "extractor WindowReady",
            "extractor call",
            "projector CaseOpened",
        ]
    );
    let traces: BTreeSet<&[u8]> = way.iter().map(|span| &span.trace_id[..]).collect();
    assert_eq!(traces.len(), 1, "{way:#?}");
    assert!(
        way[way.len() - 1].parent_span_id.is_empty(),
        "it begins there"
    );

    let keys: BTreeSet<&str> = spans
        .iter()
        .flat_map(|span| span.attributes.iter().map(|one| one.key.as_str()))
        .collect();
    let known = ["event", "group", "offset", "partition", "role", "topic"];
    assert_eq!(keys, BTreeSet::from(known));
    let all = format!("{spans:?}");
    for private in ["secret", "bob", "wifi"] {
        assert!(!all.contains(private), "{private} is in a span");
    }
}

#[test]
fn an_address_that_is_none_is_told() {
    let place = Place::new();
    place.file(
        "threadlore.toml",
        "[telemetry]\notlp_endpoint = \"no address\"\n",
    );
    let refused = place.run(&["standalone"]);
    assert_eq!(refused.code, Some(3), "{}", refused.err);
    assert!(
        refused.err.contains("telemetry.otlp_endpoint"),
        "{}",
        refused.err
    );
}
