//! The bot of `docs/examples`, as a program of its own.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use threadlore_gateways::WebhookFormat;
use threadlore_model::{Body, Timestamp};
use threadlore_ports::{Clock, Gateway as _};

use crate::deliver::{answer, space, withdrawal};
use crate::support::{SECRET, at, receiving_at};

/// The bot has the clock of the machine.
struct Wall;

#[async_trait]
impl Clock for Wall {
    #[expect(clippy::disallowed_methods, reason = "the bot signs by it")]
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let ms = since.expect("after 1970").as_millis();
        Timestamp::from_millis(i64::try_from(ms).expect("a date"))
    }

    async fn sleep(&self, _: Duration) {
        tokio::task::yield_now().await;
    }
}

fn bot() -> Command {
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/examples/webhook_bot.py"
    );
    let mut command = Command::new("python3");
    command.arg(script).env("WEBHOOK_SECRET", SECRET);
    command
}

struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn given_the_bot_when_it_posts_then_the_message_is_taken() {
    let to = receiving_at(Arc::new(Wall), Duration::from_secs(60)).await;
    let post = |channel: &str| {
        let mut command = bot();
        command.env("THREADLORE_URL", format!("http://{}", to.address));
        command.args(["acme", channel, "1001", "ann", "My Wi-Fi is gone."]);
        tokio::task::spawn_blocking(move || command.output().expect("python3, as ./dev installs"))
    };
    let output = post("webhook:general").await.expect("no panic");
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "{\"taken\":1}\n",
        "{output:?}"
    );
    let events = to.inbox.events.lock().expect("no panic").clone();
    assert!(matches!(&events[0].body, Body::PlatformMessage(m) if m.text == "My Wi-Fi is gone."));
    let output = post("irc:general").await.expect("no panic");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.contains("webhook.platforms") && !output.status.success(),
        "{said}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn given_the_bot_when_deliveries_come_twice_then_it_prints_once_and_answers_the_same() {
    let mut command = bot();
    command
        .env("BOT_PORT", "0")
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut served = Served(command.spawn().expect("python3, as ./dev installs"));
    let mut lines = BufReader::new(served.0.stdout.take().expect("its lines")).lines();
    let mut line = || lines.next().expect("a line").expect("text");
    let first = line();
    let url = first.strip_prefix("deliver_url ").expect("its address");
    let gateway = at(
        Arc::new(Wall),
        url,
        WebhookFormat::Plain,
        Duration::from_secs(60),
    );
    let key = answer().key();
    for _ in 0..2 {
        let ids = gateway.deliver(&space(), &answer()).await.expect("taken");
        assert_eq!((ids.len(), &ids[0].native_id), (1, &format!("{key}-0")));
    }
    assert_eq!(line(), "answer webhook:general ['Try MfKQtext.'] None");
    let none = gateway
        .deliver(&space(), &withdrawal())
        .await
        .expect("taken");
    assert!(none.is_empty());
    assert_eq!(line(), "withdrawal webhook:general None ['51']");
}
