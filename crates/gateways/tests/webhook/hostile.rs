//! Bodies and connections that mean harm.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::support::{GENERAL, NOW, answer, message, receiving, signature};

const MIB: usize = 1 << 20;

#[tokio::test]
async fn given_a_body_over_the_limit_when_it_is_sent_then_it_is_refused_and_the_next_is_taken() {
    let to = receiving(Duration::from_secs(60)).await;
    for length in [MIB + 1, 3 * MIB] {
        let refused = to.send(GENERAL, vec![b' '; length]).await;
        assert_eq!(refused.status, 413, "{refused:?}");
        assert!(refused.detail().contains("1048576 bytes"), "{refused:?}");
    }
    // Without a length said beforehand.
    let body = vec![b'\n'; 2 * MIB];
    let chunks: Vec<Result<Vec<u8>, std::io::Error>> =
        body.chunks(9999).map(|chunk| Ok(chunk.to_vec())).collect();
    let stream = axum::body::Body::from_stream(futures::stream::iter(chunks));
    let mut raw = TcpStream::connect(to.address).await.expect("a connection");
    let head = format!(
        "POST {GENERAL} HTTP/1.1\r\nhost: x\r\nwebhook-id: call-1\r\nwebhook-timestamp: {NOW}\r\n\
         webhook-signature: v1,AAAA\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n"
    );
    raw.write_all(head.as_bytes()).await.expect("sent");
    let mut stream = stream.into_data_stream();
    while let Some(chunk) = futures::StreamExt::next(&mut stream).await {
        let chunk = chunk.expect("a chunk");
        let size = format!("{:x}\r\n", chunk.len());
        raw.write_all(size.as_bytes()).await.expect("sent");
        raw.write_all(&chunk).await.expect("sent");
        raw.write_all(b"\r\n").await.expect("sent");
    }
    raw.write_all(b"0\r\n\r\n").await.expect("sent");
    let mut answer = String::new();
    raw.read_to_string(&mut answer).await.expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    assert_eq!(to.send(GENERAL, message(1)).await.status, 202);
    let most = message(2) + &" ".repeat(MIB - message(2).len());
    assert_eq!(to.send(GENERAL, most).await.status, 202);
}

#[tokio::test]
async fn given_hostile_bytes_when_they_are_sent_then_each_is_refused_and_nothing_is_taken() {
    let to = receiving(Duration::from_secs(60)).await;
    for body in [
        Vec::new(),
        b"\n\n\r\n".to_vec(),
        "\u{feff}".into(),
        b"\xff\xfe\x00".to_vec(),
        vec![0; MIB],
        vec![b'['; MIB],
        b"{\"type\":".repeat(MIB / 8),
        message(1).replace("2024", "2034").into(),
        message(1).replace("2024", "-2024").into(),
        message(1).replace("\"u1\"", "{}").into(),
    ] {
        let refused = to.send(GENERAL, body).await;
        assert_eq!(refused.status, 400, "{refused:?}");
        assert!(refused.detail().len() < 300, "{refused:?}");
    }
    assert!(to.inbox.ids().is_empty());
}

#[tokio::test]
async fn given_odd_but_sound_bytes_when_they_are_sent_then_they_are_taken() {
    let to = receiving(Duration::from_secs(60)).await;
    let mentions: Vec<String> = (0..500).map(|n| format!("\"u{n}\"")).collect();
    let mentions = format!(",\"mentions\":[{}]}}", mentions.join(","));
    for body in [
        message(1).replace('}', &mentions),
        message(2).replace("hi", "\u{202e}ih\u{2069}"),
        // Half of a symbol that a program cut in two.
        message(9).replace("hi", "\\ud800"),
        format!("\u{feff}{}", message(3)),
        message(4).replace("12:00", "23:59"),
        format!("{}\n", message(5)).repeat(5000),
    ] {
        let taken = to.send(GENERAL, body).await;
        assert_eq!(taken.status, 202, "{taken:?}");
    }
}

#[tokio::test]
async fn given_many_callers_at_once_when_they_send_then_all_is_taken() {
    let to = receiving(Duration::from_secs(60)).await;
    let calls = (0..200).map(|n| answer(to.call(GENERAL, message(n), NOW)));
    for taken in futures::future::join_all(calls).await {
        assert_eq!(taken.status, 202, "{taken:?}");
    }
    assert_eq!(to.inbox.ids().len(), 200);
}

#[tokio::test]
async fn given_a_caller_who_falls_silent_when_time_is_over_then_the_connection_is_closed() {
    let to = receiving(Duration::from_millis(50)).await;
    // Within the head, and before it.
    for begun in [&b"POST /v1/spaces"[..], b""] {
        let mut raw = TcpStream::connect(to.address).await.expect("a connection");
        raw.write_all(begun).await.expect("sent");
        let mut rest = Vec::new();
        raw.read_to_end(&mut rest).await.expect("closed");
        assert!(rest.is_empty());
    }
    // Within the body.
    let mut raw = TcpStream::connect(to.address).await.expect("a connection");
    let signature = signature("call-1", NOW, b"");
    let head = format!(
        "POST {GENERAL} HTTP/1.1\r\nhost: x\r\nwebhook-id: call-1\r\nwebhook-timestamp: {NOW}\r\n\
         webhook-signature: {signature}\r\ncontent-length: 10\r\n\r\n{{"
    );
    raw.write_all(head.as_bytes()).await.expect("sent");
    let mut answer = vec![0; 12];
    raw.read_exact(&mut answer).await.expect("an answer");
    assert_eq!(answer, b"HTTP/1.1 408");
}
