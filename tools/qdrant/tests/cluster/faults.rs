//! Servers that are away, slow, busy, or refuse.

use std::time::Duration;

use threadlore_index_qdrant::ClusterOptions;
use threadlore_ports::{CaseIndex as _, Opened, PortError};
use tonic::{Code, Status};

use super::double::{Double, Fault};
use super::support::{BUILD, DENSE, connect, find, found, opened, options, passes, point, told};

const MILLIS: fn(u64) -> Duration = Duration::from_millis;

fn say(code: Code) -> Fault {
    Fault::Say(Status::new(code, "so it is"))
}

#[tokio::test]
async fn a_server_away_at_the_start_is_waited_for_by_who_calls() {
    let mut double = Double::start();
    double.stop();
    let (index, slept) = connect(options(&double));
    let error = index.open(BUILD, DENSE).await.expect_err("nobody answers");
    assert!(passes(&error), "{error:?}");
    assert!(told(&error).contains(&double.url()), "{}", told(&error));
    assert_eq!(slept.take(), [100, 200, 400].map(MILLIS));
    double.resume();
    assert_eq!(index.open(BUILD, DENSE).await.expect("opens"), Opened::Made);
}

#[tokio::test]
async fn a_server_away_in_the_middle_is_found_again() {
    let mut double = Double::start();
    let (index, slept) = opened(&double).await;
    index.put(BUILD, vec![point("c1")]).await.expect("puts");
    double.stop();
    let key = [(point("c1").row.space, point("c1").row.case)];
    for (call, error) in [
        index.put(BUILD, vec![point("c2")]).await.err(),
        index.remove(BUILD, &key).await.err(),
        find(&index).await.err(),
        index.rows(BUILD, None, 9).await.err(),
        index.rows_of(BUILD, &key).await.err(),
        index.optimise(BUILD).await.err(),
        index.open(BUILD, DENSE).await.err(),
        index.drop_build(BUILD).await.err(),
    ]
    .into_iter()
    .enumerate()
    {
        let error = error.expect("nobody answers");
        assert!(passes(&error), "call {call}: {error:?}");
    }
    assert!(!slept.take().is_empty());
    double.resume();
    index.put(BUILD, vec![point("c2")]).await.expect("puts");
    assert_eq!(found(&index).await, 2);
}

#[tokio::test]
async fn a_connection_that_is_cut_is_made_again() {
    let mut double = Double::start();
    let (index, _) = opened(&double).await;
    double.fail(1, "Upsert", Fault::Hang);
    let put = index.put(BUILD, vec![point("c1")]);
    let cut = async {
        double.is_asked().await;
        double.stop();
        double.resume();
    };
    let (put, ()) = tokio::join!(put, cut);
    put.expect("puts");
    assert_eq!(found(&index).await, 1);
}

/// The client sends a request twice before it gives an error.
#[tokio::test]
async fn a_passing_fault_is_tried_again() {
    let double = Double::start();
    let (index, slept) = opened(&double).await;
    for code in [
        Code::Unavailable,
        Code::Internal,
        Code::Unknown,
        Code::Cancelled,
    ] {
        double.fail(4, "Upsert", say(code));
        index.put(BUILD, vec![point("c1")]).await.expect("puts");
        assert_eq!(slept.take(), [100, 200].map(MILLIS), "{code}");
    }
    for code in [
        Code::DeadlineExceeded,
        Code::Aborted,
        Code::FailedPrecondition,
        Code::ResourceExhausted,
    ] {
        double.fail(3, "Delete", say(code));
        let key = (point("c1").row.space, point("c1").row.case);
        index.remove(BUILD, &[key]).await.expect("removes");
        assert_eq!(slept.take(), [100, 200, 400].map(MILLIS), "{code}");
    }
    double.fail(100, "Upsert", say(Code::Unavailable));
    let error = index.put(BUILD, vec![point("c1")]).await;
    let error = error.expect_err("there is an end to it");
    assert!(passes(&error), "{error:?}");
    assert!(told(&error).contains("so it is"), "{}", told(&error));
    assert_eq!(slept.take().len(), 3);
}

#[tokio::test]
async fn a_server_that_asks_for_patience_is_given_it() {
    let double = Double::start();
    let (index, slept) = opened(&double).await;
    for (asked, given) in [("2", 2), ("3600", 5)] {
        let mut busy = Status::new(Code::ResourceExhausted, "too many requests");
        let seconds = asked.parse().expect("a header");
        busy.metadata_mut().insert("retry-after", seconds);
        double.fail(1, "Upsert", Fault::Say(busy));
        index.put(BUILD, vec![point("c1")]).await.expect("puts");
        assert_eq!(slept.take(), [Duration::from_secs(given)]);
    }
}

#[tokio::test]
async fn a_change_that_is_only_accepted_is_not_made() {
    let double = Double::start();
    let (index, _) = opened(&double).await;
    double.fail(1, "Upsert", Fault::NotYet);
    index.put(BUILD, vec![point("c1")]).await.expect("puts");
    assert_eq!(double.asked("Upsert").len(), 2, "it is sent again");
    double.fail(4, "Upsert", Fault::NotYet);
    let error = index.put(BUILD, vec![point("c1")]).await;
    let error = error.expect_err("nobody knows when");
    assert!(passes(&error), "{error:?}");
}

#[tokio::test]
async fn a_search_is_not_tried_again() {
    let double = Double::start();
    let (index, slept) = opened(&double).await;
    double.fail(100, "QueryBatch", say(Code::Unavailable));
    let error = find(&index).await.expect_err("it fails");
    assert!(passes(&error), "{error:?}");
    assert!(slept.take().is_empty());
    assert_eq!(double.asked("QueryBatch").len(), 2, "by the client itself");
    let (reader, slept) = connect(options(&double));
    double.fail(1, "Collections/Get", say(Code::Unavailable));
    let error = find(&reader).await.expect_err("it fails");
    assert!(passes(&error), "{error:?}");
    assert!(slept.take().is_empty());
}

#[tokio::test]
async fn a_slow_server_is_not_waited_for_longer_than_told() {
    let double = Double::start();
    opened(&double).await;
    let (index, slept) = connect(ClusterOptions {
        timeout: MILLIS(1_000),
        ..options(&double)
    });
    double.fail(2, "QueryBatch", Fault::Hang);
    let error = find(&index).await.expect_err("it is late");
    assert!(passes(&error), "{error:?}");
    assert_eq!(double.asked("QueryBatch").len(), 2, "by the client itself");
    assert!(slept.take().is_empty());
    find(&index).await.expect("it is in time");
    double.fail(2, "Upsert", Fault::Hang);
    index.put(BUILD, vec![point("c1")]).await.expect("puts");
    assert_eq!(slept.take(), [MILLIS(100)]);
}

#[tokio::test]
async fn a_wrong_key_is_said_and_not_shown() {
    let double = Double::with_key(Some("right"));
    let with = |key: Option<&str>| ClusterOptions {
        api_key: key.map(str::to_owned),
        ..options(&double)
    };
    for key in [None, Some("wr0ng")] {
        let (index, slept) = connect(with(key));
        for error in [
            index.open(BUILD, DENSE).await.err(),
            index.drop_build(BUILD).await.err(),
            find(&index).await.err(),
        ] {
            let error = error.expect("refused");
            assert!(matches!(error, PortError::Broken { .. }), "{error:?}");
            let told = told(&error);
            assert!(
                told.contains("API key") && told.contains(&double.url()),
                "{told}"
            );
            assert!(!told.contains("wr0ng"), "{told}");
        }
        assert!(slept.take().is_empty(), "trying again does not help");
    }
    let (index, _) = connect(with(Some("right")));
    index.open(BUILD, DENSE).await.expect("opens");
    double.fail(1, "Upsert", say(Code::PermissionDenied));
    let error = index.put(BUILD, vec![point("c1")]).await;
    let error = error.expect_err("the key may only read");
    assert!(matches!(error, PortError::Broken { .. }), "{error:?}");
}

#[tokio::test]
async fn what_the_server_does_not_take_is_refused() {
    let double = Double::start();
    let (index, slept) = opened(&double).await;
    double.fail(1, "Upsert", say(Code::InvalidArgument));
    let error = index.put(BUILD, vec![point("c1")]).await;
    let error = error.expect_err("refused");
    assert!(matches!(error, PortError::Refused { .. }), "{error:?}");
    assert!(slept.take().is_empty(), "trying again does not help");
    index.put(BUILD, vec![point("c1")]).await.expect("puts");
}

#[tokio::test]
async fn a_server_that_is_too_old_is_refused() {
    let double = Double::start();
    for version in ["1.14.9", "0.99.0"] {
        double.engine(|engine| engine.version = version.to_owned());
        let (index, _) = connect(options(&double));
        let error = index.open(BUILD, DENSE).await.expect_err("too old");
        assert!(matches!(error, PortError::Broken { .. }), "{error:?}");
        assert!(error.to_string().contains(version), "{error}");
    }
    for version in ["1.15.0", "1.21.3", "2.0.0", "dev"] {
        double.engine(|engine| engine.version = version.to_owned());
        let (index, _) = connect(options(&double));
        index.open(BUILD, DENSE).await.expect(version);
    }
    let (index, _) = opened(&double).await;
    double.fail(1, "QueryBatch", say(Code::Unimplemented));
    let error = find(&index).await.expect_err("no such call");
    assert!(matches!(error, PortError::Broken { .. }), "{error:?}");
}

#[tokio::test]
async fn what_is_no_server_of_grpc_does_not_answer() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
    let listener = listener.expect("a free port");
    let address = listener.local_addr().expect("its address");
    let other = tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let answer = b"HTTP/1.1 400 Bad Request\r\n\r\n";
            drop(tokio::io::AsyncWriteExt::write_all(&mut stream, answer).await);
        }
    });
    let (index, _) = connect(ClusterOptions::new(format!("http://{address}")));
    let error = index.open(BUILD, DENSE).await.expect_err("no gRPC");
    assert!(passes(&error), "{error:?}");
    other.abort();
}
