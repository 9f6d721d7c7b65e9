//! The IRC gateway against a server that the tests write.

mod common;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use common::{RefusingInbox, space};
use threadlore_gateways::{IrcConfig, IrcGateway, IrcSettings};
use threadlore_model::{Delivery, DeliveryKind, PlatformMessage, Timestamp};
use threadlore_ports::{Clock, Gateway, PortError};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

/// Time as it passes; nothing is compared with it.
struct Real;

#[async_trait]
impl Clock for Real {
    #[expect(clippy::disallowed_methods, reason = "it is the clock of these tests")]
    fn now(&self) -> Timestamp {
        let now = jiff::Timestamp::now();
        Timestamp::from_millis(now.as_millisecond())
    }
    #[expect(clippy::disallowed_methods, reason = "it is the clock of these tests")]
    async fn sleep(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }
}

/// Waits until so many messages are there.
async fn until(inbox: &RefusingInbox, count: usize) -> Vec<PlatformMessage> {
    loop {
        let messages = inbox.messages();
        if messages.len() >= count {
            return messages;
        }
        tokio::task::yield_now().await;
    }
}

/// The server's side of one connection.
struct Server {
    read: BufReader<OwnedReadHalf>,
    write: OwnedWriteHalf,
}

impl Server {
    fn of(stream: TcpStream) -> Self {
        let (read, write) = stream.into_split();
        let read = BufReader::new(read);
        Self { read, write }
    }

    /// The next line that begins so.
    async fn expect(&mut self, start: &str) -> String {
        loop {
            let mut line = String::new();
            let read = self.read.read_line(&mut line).await.expect("reads");
            assert_ne!(read, 0, "the client left before {start}");
            if line.starts_with(start) {
                return line.trim_end().to_owned();
            }
        }
    }

    async fn say(&mut self, lines: &[&str]) {
        let text = lines.join("\r\n") + "\r\n";
        self.write.write_all(text.as_bytes()).await.expect("writes");
    }

    /// The bot's connection, once it is in `#help`.
    async fn admitted(listener: &TcpListener) -> Self {
        let mut server = Self::of(listener.accept().await.expect("a client").0);
        server.welcome().await;
        server
    }

    /// Lets the bot into `#help`, whose operator is Ann.
    async fn welcome(&mut self) {
        self.expect("USER").await;
        self.say(&[":s CAP * LS :multi-prefix", ":s 001 lore :Welcome"])
            .await;
        self.expect("JOIN #help").await;
        self.say(&[
            ":lore!l@h JOIN #help",
            ":s 353 lore = #help :lore @Ann",
            ":s 366 lore #help :End",
        ])
        .await;
    }
}

async fn listen() -> (TcpListener, IrcGateway) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("binds");
    let address = listener.local_addr().expect("an address");
    let config = IrcConfig::new(IrcSettings {
        server: address.to_string(),
        nick: "lore".to_owned(),
        channels: vec!["#help".to_owned()],
        space: "acme".to_owned(),
        platform: "irc".to_owned(),
        ..IrcSettings::default()
    });
    let gateway = IrcGateway::new(config.expect("valid"), Arc::new(Real));
    (listener, gateway.expect("made"))
}

fn answer(text: &str, reply_to: &str) -> Delivery {
    common::answer("irc:#help", text, reply_to)
}

/// Runs both sides, until the server's is done.
async fn beside<T>(
    gateway: &IrcGateway,
    inbox: &RefusingInbox,
    server: impl Future<Output = T>,
) -> T {
    let receiving = async {
        let Err(error) = gateway.receive(inbox).await;
        panic!("receiving ended: {error}");
    };
    let both = async {
        tokio::select! {
            done = server => done,
            () = receiving => unreachable!("it panics"),
        }
    };
    let limit = tokio::time::timeout(Duration::from_secs(60), both);
    limit.await.expect("it ends in time")
}

#[tokio::test]
async fn it_joins_hears_who_speaks_and_answers_by_name() {
    let (listener, gateway) = listen().await;
    let inbox = RefusingInbox::default();
    beside(&gateway, &inbox, async {
        let mut server = Server::admitted(&listener).await;
        server
            .say(&[":Ann!a@h PRIVMSG #help :lore: how do I mount it?"])
            .await;
        let heard = until(&inbox, 1).await.remove(0);
        assert_eq!(heard.channel.to_string(), "irc:#help");
        assert_eq!((heard.author_id.as_str(), heard.to_bot), ("ann", true));
        assert_eq!(heard.author_name.as_deref(), Some("Ann"));
        let said = answer(
            &format!("{}\n\nFrom: link", "use mount ".repeat(60)),
            &heard.native_id,
        );
        let space = space();
        let sent = gateway.deliver(&space, &said);
        let read = async {
            let mut lines = vec![server.expect("PRIVMSG #help :").await];
            while !lines
                .last()
                .is_some_and(|line| line.ends_with("From: link"))
            {
                lines.push(server.expect("PRIVMSG #help :").await);
            }
            lines
        };
        let (sent, lines) = tokio::join!(sent, read);
        let sent = sent.expect("sent").remove(0);
        assert_eq!(sent.native_id, said.key());
        assert!(
            lines[0].starts_with("PRIVMSG #help :Ann: use mount"),
            "{}",
            lines[0]
        );
        assert!(lines.iter().all(|line| line.len() <= 400), "{lines:?}");
        assert_eq!(sent.text.lines().count(), lines.len());
    })
    .await;
    let channels = inbox.channels.lock().expect("no panic").clone();
    let ann = vec!["ann".to_owned()];
    assert_eq!(channels, [("irc:#help".to_owned(), ann, Some("public"))]);
}

#[tokio::test]
async fn what_the_log_does_not_take_at_once_is_handed_to_it_again() {
    let (listener, gateway) = listen().await;
    let inbox = RefusingInbox::default();
    *inbox.refuses.lock().expect("no panic") = 2;
    beside(&gateway, &inbox, async {
        let mut server = Server::admitted(&listener).await;
        server
            .say(&[":ann!a@h PRIVMSG #help :one", ":ann!a@h PRIVMSG #help :two"])
            .await;
        let texts: Vec<String> = until(&inbox, 2).await.into_iter().map(|m| m.text).collect();
        assert_eq!(texts, ["one", "two"]);
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_sent_now_is_tried_again_and_what_never_can_is_refused() {
    let (_listener, gateway) = listen().await;
    let space = space();
    let busy = gateway.deliver(&space, &answer("text", "m1")).await;
    assert!(matches!(busy, Err(PortError::Busy { .. })), "{busy:?}");
    let withdrawal = Delivery {
        what: DeliveryKind::Withdrawal {
            native_ids: vec!["answer-1".to_owned()],
        },
        ..answer("text", "m1")
    };
    let refused = gateway.deliver(&space, &withdrawal).await;
    assert!(
        matches!(refused, Err(PortError::Refused { .. })),
        "{refused:?}"
    );
}

#[tokio::test]
async fn a_server_that_is_none_or_goes_away_ends_the_connection_and_nothing_else() {
    let (listener, gateway) = listen().await;
    let inbox = RefusingInbox::default();
    for said in [
        "HTTP/1.1 400 Bad Request\r\nContent-Type: text/html\r\n\r\n<html></html>\r\n".to_owned(),
        "x".repeat(100_000),
        format!(
            ":s 001 lore :{}\r\nERROR :Closing Link\r\n",
            "y".repeat(20_000)
        ),
        String::new(),
    ] {
        let server = async {
            let (mut stream, _) = listener.accept().await.expect("a client");
            stream.write_all(said.as_bytes()).await.ok();
        };
        let (ended, ()) = tokio::join!(gateway.receive(&inbox), server);
        let Err(error) = ended;
        let passes = matches!(
            error,
            PortError::Busy { .. } | PortError::Unavailable { .. }
        );
        assert!(passes, "{error}");
    }
    let server = async {
        let mut server = Server::of(listener.accept().await.expect("a client").0);
        server.expect("USER").await;
        server.say(&[":s 465 * :You are banned"]).await;
        server
    };
    let (ended, _server) = tokio::join!(gateway.receive(&inbox), server);
    let Err(error) = ended;
    assert!(error.to_string().contains("You are banned"), "{error}");
    assert!(matches!(error, PortError::Refused { .. }));
    assert!(inbox.messages().is_empty());
}

#[tokio::test]
async fn a_long_answer_keeps_its_link_and_one_without_text_blocks_no_other() {
    let (listener, gateway) = listen().await;
    let inbox = RefusingInbox::default();
    beside(&gateway, &inbox, async {
        let mut server = Server::admitted(&listener).await;
        server.say(&[":ann!a@h PRIVMSG #help :how?"]).await;
        let heard = until(&inbox, 1).await.remove(0);
        let space = space();
        let empty = gateway
            .deliver(&space, &answer(" ", &heard.native_id))
            .await;
        assert!(matches!(empty, Err(PortError::Refused { .. })), "{empty:?}");
        let long = format!("{}\n\nFrom: link", "one line\n\n".repeat(40));
        let long = answer(&long, &heard.native_id);
        let read = async {
            let mut lines = vec![server.expect("PRIVMSG #help :").await];
            while !lines
                .last()
                .is_some_and(|line| line.ends_with("From: link"))
            {
                lines.push(server.expect("PRIVMSG #help :").await);
            }
            lines.len()
        };
        let (sent, count) = tokio::join!(gateway.deliver(&space, &long), read);
        sent.expect("sent");
        assert_eq!(count, 12);
    })
    .await;
}

#[tokio::test]
async fn a_channel_that_was_never_heard_of_is_told_what_is_kept_and_how_to_be_forgotten() {
    let (listener, gateway) = listen().await;
    let inbox = RefusingInbox::default();
    inbox
        .is_new
        .store(true, std::sync::atomic::Ordering::Relaxed);
    beside(&gateway, &inbox, async {
        let mut server = Server::admitted(&listener).await;
        let mut said = String::new();
        while !said.contains("what else I understand") {
            said += &server.expect("PRIVMSG #help :").await;
        }
        assert!(said.contains("forget me"), "{said}");
        // The same operators again are nothing new.
        server.say(&[":s MODE #help +o lore"]).await;
        server.say(&["PING :again"]).await;
        server.expect("PONG").await;
    })
    .await;
}
