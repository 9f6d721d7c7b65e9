//! The bytes that are sent are those that were reviewed.
//!
//! `tests/wire/<call>.txt` holds a request as `dump` shows it; the messages are those of
//! Qdrant's `.proto` files. On drift the test fails and writes what was sent beside them
//! with `.proposed` at the end.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use threadlore_index_qdrant::ClusterOptions;
use threadlore_model::{ChannelId, SparseVector, Terms};
use threadlore_ports::{CaseIndex as _, Query, Within};

use super::double::Double;
use super::dump::dump;
use super::support::{BUILD, DENSE, connect, options, point, scope};

/// Compares with a kept file; writes a proposal when they differ.
fn same(file: &str, found: &str) -> Result<(), String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/wire")
        .join(file);
    if fs::read_to_string(&path).ok().as_deref() == Some(found) {
        return Ok(());
    }
    let proposal = path.with_file_name(format!("{file}.proposed"));
    fs::write(&proposal, found).expect("the proposal is written");
    Err(format!("{file} differs; see {}", proposal.display()))
}

fn terms() -> Terms {
    Terms {
        words: SparseVector::new(vec![(3, 1.0), (400_000, 0.5)]),
        stems: SparseVector::default(),
        grams: SparseVector::new(vec![(9, 2.0)]),
    }
}

#[tokio::test]
async fn the_requests_are_as_they_were() {
    let double = Double::start();
    let (index, _) = connect(ClusterOptions {
        replication_factor: 2,
        ..options(&double)
    });
    let mut drift = Vec::new();
    let mut check = |call: &str| {
        let asked = double.asked("");
        let shown = asked
            .iter()
            .map(|one| format!("{}\n{}", one.path, dump(&one.bytes)));
        let shown: Vec<String> = shown.collect();
        drift.extend(same(&format!("{call}.txt"), &shown.join("\n")).err());
    };

    index.open(BUILD, DENSE).await.expect("opens");
    check("open");
    let mut one = point("c1");
    one.terms = terms();
    let key = (one.row.space.clone(), one.row.case);
    index.put(BUILD, vec![one]).await.expect("puts");
    check("put");
    let within = Within {
        channels: Some(BTreeSet::from([
            ChannelId::parse("irc:#ubuntu").expect("valid")
        ])),
        solved: Some(true),
    };
    let query = Query {
        terms: terms(),
        dense: Some(vec![0.5, 2.0]),
    };
    let found = index.find(BUILD, &scope(), &within, &query, 7).await;
    assert_eq!(found.expect("searches").len(), 3);
    check("find");
    index.rows(BUILD, Some(&key), 5).await.expect("reads");
    check("rows");
    let keys = [key];
    index.rows_of(BUILD, &keys).await.expect("reads");
    check("rows_of");
    index.remove(BUILD, &keys).await.expect("removes");
    check("remove");
    index.optimise(BUILD).await.expect("optimises");
    check("optimise");
    index.drop_build(BUILD).await.expect("drops");
    check("drop_build");
    assert!(drift.is_empty(), "{drift:#?}");
}
