//! A chat platform that joins by two HTTP calls: the bot of `docs/examples` and the binary.

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

use super::desk::{DESK, ISO, PRINTER, desk};
use super::support::{PATIENCE, Place, Ran, Running, look};

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

fn bot() -> Command {
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/examples/webhook_bot.py"
    );
    let mut command = Command::new("python3");
    command.arg(script).env("WEBHOOK_SECRET", SECRET);
    command
}

/// The bot, taking deliveries.
struct Bot {
    child: Child,
    lines: Receiver<String>,
}

impl Bot {
    /// Starts it; returns its URL too.
    fn start() -> (Self, String) {
        let mut command = bot();
        command
            .env("BOT_PORT", "0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().expect("python3, as ./dev installs");
        let stdout = BufReader::new(child.stdout.take().expect("piped"));
        let (said, lines) = channel();
        std::thread::spawn(move || {
            let mut printed = stdout.lines().map_while(Result::ok);
            printed.all(|line| said.send(line).is_ok())
        });
        let bot = Self { child, lines };
        let first = bot.line();
        let url = first.strip_prefix("deliver_url ").expect("its address");
        (bot, url.to_owned())
    }

    /// The next delivery that it prints.
    fn line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("a line in time")
    }
}

impl Drop for Bot {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// An address that nothing uses.
fn free_address() -> String {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    taken.local_addr().expect("an address").to_string()
}

/// `standalone` with the gateway, once every role runs.
fn serving(place: &Place, address: &str, url: &str) -> Running {
    let mut command = place.command(&["standalone"]);
    command
        .env("THREADLORE__WEBHOOK__LISTEN", address)
        .env("THREADLORE__WEBHOOK__DELIVER_URL", url)
        .env("THREADLORE__WEBHOOK__SECRET", SECRET)
        .env("THREADLORE__WEBHOOK__PLATFORMS", "chat");
    let mut owner = place.start(&mut command);
    assert!(
        owner.wait_for("receiving webhook calls"),
        "{}",
        owner.said()
    );
    owner
}

fn post(address: &str, [id, author, text]: [&str; 3]) {
    let mut command = bot();
    command
        .env("THREADLORE_URL", format!("http://{address}"))
        .args(["default", DESK, id, author, text]);
    let ran = Ran::of(command.output().expect("python3, as ./dev installs"));
    assert_eq!(ran.out, "{\"taken\":1}\n", "{}", ran.err);
}

#[test]
fn a_platform_that_makes_two_calls_is_answered_once_also_over_a_kill() {
    let place = desk();
    let set = place.run(&["channel", "set", "--channel", DESK, "--admin", "ann"]);
    assert_eq!(set.code, Some(0), "{}", set.err);
    let (bot, url) = Bot::start();
    let address = free_address();
    let owner = serving(&place, &address, &url);
    post(&address, ["101", "zoe", "good morning everybody"]);
    post(&address, ["102", "zoe", ISO]);
    let delivery = bot.line();
    assert!(
        delivery.starts_with("answer chat:desk ['sudo mount -o loop image.iso /mnt"),
        "{delivery}"
    );
    owner.kill();

    // The same message once more is the same message; what comes next is another question's answer.
    let owner = serving(&place, &address, &url);
    post(&address, ["102", "zoe", ISO]);
    post(&address, ["103", "yan", PRINTER]);
    let delivery = bot.line();
    assert!(
        delivery.starts_with("answer chat:desk ['clean the print head"),
        "{delivery}"
    );
    let results = "SELECT string_agg(result || ' ' || action || ' ' || cardinality(native_ids), ', ') \
                   FROM lore.deliveries WHERE result IS NOT NULL";
    let ended = "delivered post 1, delivered post 1";
    while place.sql(results).is_none_or(|found| found.trim() != ended) {
        look();
    }
    // What the bot posted is a message of the channel, by a bot, that replies to the question.
    let own = "SELECT count(*) FROM lore.messages m JOIN lore.messages q \
               ON q.space = m.space AND q.message = m.reply_to \
               WHERE m.bot AND q.native_id IN ('102', '103')";
    while place.sql(own).is_none_or(|found| found.trim() != "2") {
        look();
    }
    owner.stop();
    place.verified();
}

/// Each round asks something by name, and kills the process at another moment: before it decides, while
/// it sends, or after.
#[test]
#[ignore = "long form: ./dev soak webhook_kills"]
fn soak_webhook_kills() {
    const ROUNDS: usize = 100;
    let place = desk();
    place.file(
        "threadlore.toml",
        "[responder]\nanswers_per_minute = 1000\nanswers_per_day = 1000000\n",
    );
    let set = place.run(&["channel", "set", "--channel", DESK, "--admin", "ann"]);
    assert_eq!(set.code, Some(0), "{}", set.err);
    let (bot, url) = Bot::start();
    let address = free_address();
    let mut owner = serving(&place, &address, &url);
    for round in 0..ROUNDS {
        let id = format!("kill-{round}");
        post(&address, [&id, "zoe", &format!("lore: {ISO}")]);
        // From nothing to four seconds: a turn ends after two.
        for _ in 0..(round * 7) % 21 {
            look();
        }
        owner.kill();
        owner = serving(&place, &address, &url);
    }
    let count = |statement: &str| place.sql(statement).map(|found| found.trim().to_owned());
    let lines = "SELECT sum(cardinality(messages)) FROM lore.turns";
    while count(lines) != Some(ROUNDS.to_string()) {
        look();
    }
    let answered = "SELECT count(*) FROM lore.turns WHERE outcome = 'answered'";
    let delivered =
        "SELECT count(*) FROM lore.deliveries WHERE action = 'post' AND result = 'delivered'";
    while count(answered) != count(delivered) {
        look();
    }
    let wanted: usize = count(answered).expect("a count").parse().expect("a number");
    owner.stop();
    // The bot prints what it would post: each key once.
    let posted = bot.lines.try_iter().count();
    println!("{ROUNDS} kills: {wanted} turns, {posted} answers");
    assert_eq!(posted, wanted);
    place.verified();
}

#[test]
fn a_gateway_that_is_half_set_up_says_what_is_missing() {
    let place = Place::new();
    let mut command = place.command(&["standalone"]);
    command.env("THREADLORE__WEBHOOK__LISTEN", "127.0.0.1:0");
    let ended = place.start(&mut command).end();
    assert_eq!(ended.code, Some(3), "{}", ended.err);
    assert!(
        ended.err.contains("`webhook.deliver_url` is missing"),
        "{}",
        ended.err
    );
}
