//! A cluster that several processes, installations and others use.

use threadlore_index_qdrant::ClusterOptions;
use threadlore_model::Leg;
use threadlore_ports::{CaseIndex as _, Dense, Opened, PortError};

use tonic::Status;

use super::double::{Double, Fault};
use super::support::{
    BUILD, DENSE, NAME, connect, find, found, opened, options, passes, point, told,
};

fn other(model: u64, dimensions: u32) -> Option<Dense> {
    Some(Dense { model, dimensions })
}

#[tokio::test]
async fn who_only_searches_need_not_open() {
    let double = Double::start();
    let (reader, _) = connect(options(&double));
    let refused = find(&reader).await.expect_err("no build yet");
    assert!(matches!(refused, PortError::Refused { .. }), "{refused}");
    let (writer, _) = opened(&double).await;
    writer.put(BUILD, vec![point("c1")]).await.expect("puts");
    let legs = find(&reader).await.expect("searches");
    assert_eq!(legs.len(), Leg::ALL.len());
    assert_eq!(found(&reader).await, 1);
    assert_eq!(reader.rows(BUILD, None, 9).await.expect("reads").len(), 1);
    double.asked("");
    found(&reader).await;
    assert_eq!(double.asked("").len(), 1, "one request for all legs");
}

#[tokio::test]
async fn two_may_open_at_once() {
    let double = Double::start();
    for round in 0..20 {
        let [(a, _), (b, _)] = [connect(options(&double)), connect(options(&double))];
        let (a, b) = tokio::join!(a.open(BUILD, DENSE), b.open(BUILD, DENSE));
        let opened = [a.expect("opens"), b.expect("opens")];
        // Both may say so while it is empty.
        assert!(opened.contains(&Opened::Made), "round {round}");
        let (index, _) = connect(options(&double));
        let again = index.open(BUILD, DENSE).await.expect("opens");
        assert_eq!(again, Opened::Found, "round {round}");
        index.drop_build(BUILD).await.expect("drops");
    }
}

#[tokio::test]
async fn what_another_dropped_is_made_anew() {
    let double = Double::start();
    for call in 0..6 {
        let (index, _) = opened(&double).await;
        index.put(BUILD, vec![point("c1")]).await.expect("puts");
        let (other, _) = connect(options(&double));
        other.drop_build(BUILD).await.expect("drops");
        let key = [(point("c1").row.space, point("c1").row.case)];
        let error = match call {
            0 => index.put(BUILD, vec![point("c1")]).await.err(),
            1 => index.remove(BUILD, &key).await.err(),
            2 => find(&index).await.err(),
            3 => index.rows(BUILD, None, 9).await.err(),
            4 => index.rows_of(BUILD, &key).await.err(),
            _ => index.optimise(BUILD).await.err(),
        };
        let error = error.expect("it is gone");
        assert!(passes(&error), "call {call}: {error:?}");
        assert!(told(&error).contains(NAME), "{}", told(&error));
        let error = find(&index).await.expect_err("it is known to be gone");
        assert!(matches!(error, PortError::Refused { .. }), "{error}");
        let opened = index.open(BUILD, DENSE).await.expect("opens");
        assert_eq!(opened, Opened::Made, "call {call}");
        index.put(BUILD, vec![point("c1")]).await.expect("puts");
        assert_eq!(found(&index).await, 1);
        index.drop_build(BUILD).await.expect("drops");
    }
}

#[tokio::test]
async fn vectors_of_two_models_never_mix() {
    let double = Double::start();
    for other in [other(8, 2), other(7, 3)] {
        let (index, _) = opened(&double).await;
        let (another, _) = connect(options(&double));
        let made = another.open(BUILD, other).await.expect("opens");
        assert_eq!(made, Opened::Made);
        let error = index.put(BUILD, vec![point("c1")]).await;
        let error = error.expect_err("it has another shape");
        assert!(passes(&error), "{error:?}");
        assert!(told(&error).contains("made anew"), "{}", told(&error));
        assert_eq!(another.rows(BUILD, None, 9).await.expect("reads"), []);
        let again = index.open(BUILD, DENSE).await.expect("opens");
        assert_eq!(again, Opened::Made);
        index.drop_build(BUILD).await.expect("drops");
    }
}

/// Points of a collection, made for one model after the other while somebody searches.
#[tokio::test]
async fn who_searches_learns_that_it_was_made_anew() {
    let double = Double::start();
    let (reader, _) = connect(options(&double));
    let (writer, _) = connect(options(&double));
    let mut last = None;
    for of in [None, DENSE, other(7, 3), DENSE, other(8, 2), None, DENSE] {
        writer.open(BUILD, of).await.expect("opens");
        writer.put(BUILD, vec![point("c1")]).await.expect("puts");
        // The name of a vector is gone only where its model had as many numbers.
        if last.is_some() && last != of && last != other(7, 3) {
            let error = find(&reader).await.expect_err("it searches the old one");
            assert!(passes(&error), "{last:?} {of:?} {error:?}");
        }
        let finds = usize::from(of.is_some_and(|of| of.dimensions == 2));
        assert_eq!(found(&reader).await, finds, "{last:?} {of:?}");
        last = of;
    }
}

#[tokio::test]
async fn vectors_of_another_model_are_not_compared() {
    let double = Double::start();
    let (writer, _) = opened(&double).await;
    writer.put(BUILD, vec![point("c1")]).await.expect("puts");
    for (dense, finds) in [(None, 1), (DENSE, 1), (other(8, 2), 0), (other(7, 3), 0)] {
        let (reader, _) = connect(ClusterOptions {
            dense,
            ..options(&double)
        });
        for _ in 0..2 {
            assert_eq!(found(&reader).await, finds, "{dense:?}");
        }
    }
}

#[tokio::test]
async fn a_collection_of_others_is_left_alone() {
    let double = Double::start();
    double.engine(|engine| {
        let foreign = qdrant_client::qdrant::CreateCollection {
            collection_name: NAME.to_owned(),
            ..Default::default()
        };
        let foreign = prost::Message::encode_to_vec(&foreign);
        engine
            .answer("/qdrant.Collections/Create", &foreign)
            .expect("made");
    });
    let (index, _) = connect(options(&double));
    for error in [
        index.open(BUILD, DENSE).await.err(),
        index.drop_build(BUILD).await.err(),
        find(&index).await.err(),
    ] {
        let error = error.expect("it is not ours");
        assert!(matches!(error, PortError::Broken { .. }), "{error:?}");
        assert!(error.to_string().contains("another prefix"), "{error}");
    }
    assert_eq!(double.engine(|engine| engine.names().len()), 1);
    let (index, _) = connect(ClusterOptions {
        prefix: "mine-".to_owned(),
        ..options(&double)
    });
    let opened = index.open(BUILD, DENSE).await.expect("opens");
    assert_eq!(opened, Opened::Made);
    let names = double.engine(|engine| engine.names().join(" "));
    assert_eq!(names, format!("mine-cases_g1 {NAME}"));
}

#[tokio::test]
async fn what_was_made_in_part_is_said_to_be_made() {
    let double = Double::start();
    let (index, _) = connect(options(&double));
    let broken = Fault::Say(Status::unavailable("in the middle"));
    double.fail(8, "CreateFieldIndex", broken);
    let error = index.open(BUILD, DENSE).await.expect_err("cut short");
    assert!(passes(&error), "{error:?}");
    let (other, _) = connect(options(&double));
    assert_eq!(other.open(BUILD, DENSE).await.expect("opens"), Opened::Made);
    assert_eq!(
        index.open(BUILD, DENSE).await.expect("opens"),
        Opened::Found
    );
}

#[tokio::test]
async fn an_index_that_is_missing_is_added() {
    let double = Double::start();
    let (index, _) = opened(&double).await;
    index.put(BUILD, vec![point("c1")]).await.expect("puts");
    let all = ["channel", "solved", "space"];
    assert_eq!(
        double.engine(|engine| engine.indexes(NAME).join(" ")),
        all.join(" ")
    );
    for field in all {
        double.engine(|engine| engine.forget_index(NAME, field));
        let opened = index.open(BUILD, DENSE).await.expect("opens");
        assert_eq!(opened, Opened::Found);
        assert_eq!(double.asked("CreateFieldIndex").len(), 1, "{field}");
    }
    assert_eq!(
        double.engine(|engine| engine.indexes(NAME).join(" ")),
        all.join(" ")
    );
}
