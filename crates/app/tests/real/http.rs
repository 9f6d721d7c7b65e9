//! Metrics and health, as a scraper sees them.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};

use super::support::{Place, demo};

/// Status and body of a path.
fn get(address: SocketAddr, path: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).expect("it listens");
    let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let (head, body) = answer.split_once("\r\n\r\n").expect("head and body");
    let status = head.split(' ').nth(1).expect("a status").to_owned();
    (status, body.to_owned())
}

#[test]
fn metrics_and_health_are_served_where_the_setting_says() {
    let place = Place::new();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("an address");
    let serving = |args: &[&str]| {
        let mut command = place.command(args);
        command.env("THREADLORE__TELEMETRY__LISTEN", address.to_string());
        command
    };
    let refused = place.start(&mut serving(&["standalone"])).end();
    println!("{}", refused.err);
    assert_eq!(refused.code, Some(3), "{}", refused.err);
    assert!(refused.err.contains("telemetry.listen"), "{}", refused.err);
    assert!(!refused.err.contains("running"), "{}", refused.err);

    drop(taken);
    let mut owner = place.start(&mut serving(&["standalone"]));
    // The database of a new data directory takes seconds to make.
    assert!(owner.wait_for("serving metrics"), "{}", owner.said());
    assert_eq!(get(address, "/health/live").0, "200");
    for path in ["/health/startup", "/health/ready", "/metrics"] {
        let (status, why) = get(address, path);
        assert_eq!(status, "503", "{path}: {why}");
        assert!(why.contains("still being opened"), "{path}: {why}");
    }
    assert!(owner.wait_for("running every role"), "{}", owner.said());
    let log = demo().join("2008-03-01.txt");
    let log = log.to_str().expect("UTF-8");
    let told = place.json(&["import", log, "--channel", "irc:#u"]);
    // Each message, and that the history ended.
    let records = told["messages"].as_u64().expect("a count") + 1;
    for path in ["/health/live", "/health/startup", "/health/ready"] {
        assert_eq!(get(address, path).0, "200", "{path}");
    }
    let (status, text) = get(address, "/metrics");
    assert_eq!(status, "200", "{text}");
    for line in [
        format!("threadlore_records_read_total{{role=\"intake\",topic=\"chat.inbox\"}} {records}"),
        format!("threadlore_events_decided_total{{role=\"intake\"}} {records}"),
        "threadlore_outbox_pending{role=\"intake\"} 0".to_owned(),
    ] {
        assert!(text.lines().any(|l| l == line), "{line}: {text}");
    }
    let lags = text
        .lines()
        .filter(|l| l.starts_with("kafka_consumergroup_lag{"));
    let behind = |l: &&str| !l.ends_with(" 0");
    assert_eq!(lags.clone().filter(behind).count(), 0, "{text}");
    assert!(lags.count() > 5, "{text}");
    let group = "kafka_consumergroup_current_offset{consumergroup=\"projector.messages.g1\"";
    let offsets = text.lines().filter(|l| l.starts_with(group));
    let offsets = offsets.filter_map(|l| l.rsplit(' ').next()?.parse::<u64>().ok());
    assert_eq!(offsets.sum::<u64>(), records, "{text}");
    assert!(!text.contains("#u"), "no channel in labels: {text}");
    assert_eq!(get(address, "/").0, "404");

    owner.signal("TERM");
    let ended = owner.end();
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(TcpStream::connect(address).is_err(), "nobody listens");

    let quiet = place.standalone();
    assert!(TcpStream::connect(address).is_err(), "off by default");
    quiet.signal("TERM");
    assert_eq!(quiet.end().code, Some(0));
}
