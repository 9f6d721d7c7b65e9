//! Requests are bounded, whatever is put, removed or read at once.

use qdrant_client::qdrant::{DeletePoints, GetPoints, ScrollPoints, UpsertPoints};
use threadlore_model::PointRow;
use threadlore_ports::CaseIndex as _;

use super::double::{Asked, Double};
use super::support::{BUILD, opened, point};

fn decoded<T: prost::Message + Default>(asked: &[Asked]) -> Vec<T> {
    let decoded = asked.iter().map(|one| T::decode(&one.bytes[..]));
    decoded.collect::<Result<_, _>>().expect("decodes")
}

#[tokio::test]
async fn many_points_go_in_many_requests_few_at_once() {
    let double = Double::start();
    let (index, _) = opened(&double).await;
    let points: Vec<_> = (0..2_500).map(|n| point(&format!("c{n}"))).collect();
    let rows: Vec<PointRow> = points.iter().map(|point| point.row.clone()).collect();
    let keys: Vec<_> = rows
        .iter()
        .map(|row| (row.space.clone(), row.case))
        .collect();

    index.put(BUILD, points).await.expect("puts");
    let asked = double.asked("Upsert");
    let sizes = decoded::<UpsertPoints>(&asked)
        .into_iter()
        .map(|request| request.points.len());
    let mut sizes: Vec<_> = sizes.collect();
    sizes.sort_unstable();
    assert_eq!(sizes, [vec![196], vec![256; 9]].concat());
    let most = double.most_under_way();
    assert!((1..=4).contains(&most), "{most} at once");

    let mut read = index.rows_of(BUILD, &keys).await.expect("reads");
    read.sort();
    let mut rows = rows;
    rows.sort();
    assert_eq!(read, rows);
    let sizes = decoded::<GetPoints>(&double.asked("Get"));
    let sizes: Vec<_> = sizes.into_iter().map(|request| request.ids.len()).collect();
    assert_eq!(sizes, [1000, 1000, 500]);

    let all = index.rows(BUILD, None, usize::MAX).await.expect("reads");
    assert_eq!(all.len(), 2_500);
    let after = (all[700].space.clone(), all[700].case);
    let rest = index.rows(BUILD, Some(&after), 1_500).await.expect("reads");
    assert_eq!(rest, all[701..2_201]);
    let limits = decoded::<ScrollPoints>(&double.asked("Scroll"));
    assert!(limits.iter().all(|request| request.limit() <= 1_000));

    index.remove(BUILD, &keys).await.expect("removes");
    assert_eq!(decoded::<DeletePoints>(&double.asked("Delete")).len(), 3);
    assert_eq!(index.rows(BUILD, None, 9).await.expect("reads"), []);
}
