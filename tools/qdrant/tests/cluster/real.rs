//! The suite against a real server: `QDRANT_URL=http://host:6334`, and `QDRANT_API_KEY`
//! where it wants one. It makes collections whose names begin with `threadlore_test_`,
//! and drops them.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use threadlore_index_qdrant::{ClusterIndex, ClusterOptions};
use threadlore_model::Timestamp;
use threadlore_ports::{CaseIndex, Clock};
use threadlore_testkit::conformance::{self, samples};
use threadlore_testkit::not_run_without;

use super::support::BUILD;

struct Passing;

#[async_trait]
impl Clock for Passing {
    fn now(&self) -> Timestamp {
        samples::at(0)
    }

    #[expect(clippy::disallowed_methods, reason = "a real server is waited for")]
    async fn sleep(&self, by: Duration) {
        tokio::time::sleep(by).await;
    }
}

#[expect(clippy::disallowed_methods, reason = "which server is not ours to say")]
fn real(test: &str) -> Option<ClusterOptions> {
    let Ok(url) = std::env::var("QDRANT_URL") else {
        not_run_without("QDRANT_URL");
        return None;
    };
    Some(ClusterOptions {
        api_key: std::env::var("QDRANT_API_KEY").ok(),
        prefix: format!("threadlore_test_{}_{test}_", std::process::id()),
        timeout: Duration::from_secs(30),
        ..ClusterOptions::new(url)
    })
}

fn connect(options: &ClusterOptions) -> ClusterIndex {
    ClusterIndex::connect(options.clone(), Arc::new(Passing)).expect("connects")
}

#[tokio::test]
async fn the_index_on_a_real_server() {
    if let Some(options) = real("whole") {
        conformance::index(&connect(&options)).await;
    }
}

#[tokio::test]
async fn the_index_on_a_real_server_opened_again() {
    if let Some(options) = real("again") {
        let open = || async { Arc::new(connect(&options)) as Arc<dyn CaseIndex> };
        conformance::index_reopened(open).await;
        let index = connect(&options);
        index.drop_build(BUILD).await.expect("drops");
    }
}
