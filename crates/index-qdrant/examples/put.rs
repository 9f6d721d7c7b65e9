//! Puts points one batch after the other, tells the number of each that is kept,
//! and goes on until it is killed: `put DIR FIRST SIZE`. Large batches (100 points and
//! more) are put in order, each after it was told of.

use std::env;
use std::error::Error;
use std::io::{Write as _, stdout};
use std::path::Path;

use threadlore_index_qdrant::EdgeIndex;
use threadlore_model::{CaseId, ChannelId, EventId, Point, PointRow, SpaceId, document_terms};
use threadlore_ports::{CaseIndex as _, Generation, Projection};
use threadlore_testkit::conformance::samples::dense;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().collect();
    let [_, dir, first, size] = args.as_slice() else {
        return Err("put DIR FIRST SIZE".into());
    };
    let size: u16 = size.parse()?;
    let index = EdgeIndex::open(Path::new(dir))?;
    let build = Generation {
        projection: Projection::Cases,
        number: 1,
    };
    index.open(build, Some(dense(2))).await?;
    for batch in first.parse::<u32>()?.. {
        let points = (0..size)
            .map(|n| point(batch, n))
            .collect::<Result<_, _>>()?;
        index.put(build, points).await?;
        // Of every batch the last point is removed again.
        let last = point(batch, size - 1)?.row;
        index.remove(build, &[(last.space, last.case)]).await?;
        writeln!(stdout(), "{batch}")?;
        if size >= 100 {
            index.optimise(build).await?;
        }
    }
    Ok(())
}

fn point(batch: u32, n: u16) -> Result<Point, Box<dyn Error>> {
    let name = format!("{batch}/{n}");
    let mut source = [n as u8; 32];
    source[..4].copy_from_slice(&batch.to_be_bytes());
    Ok(Point {
        row: PointRow {
            space: SpaceId::parse("a")?,
            case: CaseId::from_uuid(EventId::of_content("put", &[&name]).as_uuid()),
            channel: ChannelId::parse("irc:#ubuntu")?,
            solved: n == 0,
            source,
        },
        terms: document_terms(&format!("no sound on card {batch} of host {n}")),
        dense: Some(vec![f32::from(n), 1.0]),
    })
}
