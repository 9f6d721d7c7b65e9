//! The bot in a channel of a real IRC server (ngircd): it hears, learns, answers, and comes back.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use threadlore_testkit::not_run;

use super::cluster::{Cluster, ROLES};
use super::support::{PATIENCE, Place, Running, look};

/// Where Debian has it.
const SERVER: &str = "/usr/sbin/ngircd";

/// A server of its own.
struct Server {
    child: Child,
    port: u16,
}

impl Server {
    fn start(place: &Place) -> Self {
        Self::with(place, "")
    }

    /// With further lines of its configuration.
    fn with(place: &Place, more: &str) -> Self {
        let port = free_port();
        let config = format!(
            "[Global]\nName = irc.test\nInfo = test\nListen = 127.0.0.1\nPorts = {port}\n\
             MotdPhrase = hello\n[Limits]\nMaxConnectionsIP = 50\n[Options]\nDNS = no\nIdent = no\n\
             PAM = no\n{more}"
        );
        place.file("ngircd.conf", config);
        let mut server = Self {
            child: Self::run(&place.path().join("ngircd.conf")),
            port,
        };
        server.wait();
        server
    }

    fn run(config: &Path) -> Child {
        let mut command = Command::new(SERVER);
        command
            .args(["-n", "-f"])
            .arg(config)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.spawn().expect("ngircd starts")
    }

    fn wait(&mut self) {
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            let ended = self.child.try_wait().expect("it can be asked");
            assert!(ended.is_none(), "ngircd ended: {ended:?}");
            look();
        }
    }

    /// Ends it, and starts it again on the same port.
    fn restart(&mut self, place: &Place) {
        self.child.kill().expect("killed");
        self.child.wait().expect("ended");
        self.child = Self::run(&place.path().join("ngircd.conf"));
        self.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// A port that nothing uses.
fn free_port() -> u16 {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    taken.local_addr().expect("an address").port()
}

/// A person in `#help`.
struct Person {
    nick: &'static str,
    stream: TcpStream,
    lines: BufReader<TcpStream>,
}

impl Person {
    fn join(server: &Server, nick: &'static str) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", server.port)).expect("connects");
        stream.set_read_timeout(Some(PATIENCE)).expect("set");
        let lines = BufReader::new(stream.try_clone().expect("cloned"));
        let mut person = Self {
            nick,
            stream,
            lines,
        };
        person.send(&format!("NICK {nick}\r\nUSER {nick} 0 * :{nick}"));
        person.until(" 001 ");
        person.send("JOIN #help");
        person.until(" 366 ");
        person
    }

    fn send(&mut self, line: &str) {
        self.stream
            .write_all(format!("{line}\r\n").as_bytes())
            .expect("sent");
    }

    fn say(&mut self, text: &str) {
        self.send(&format!("PRIVMSG #help :{text}"));
    }

    /// The next line that has this.
    fn until(&mut self, part: &str) -> String {
        let mut pings = 0;
        loop {
            let mut line = String::new();
            let read = self.lines.read_line(&mut line);
            let read = read.unwrap_or_else(|e| panic!("{} waits for {part:?}: {e}", self.nick));
            assert_ne!(read, 0, "{} was put out before {part:?}", self.nick);
            if let Some(ping) = line.strip_prefix("PING") {
                // The server asks every two minutes.
                pings += 1;
                assert!(pings < 3, "{} waits in vain for {part:?}", self.nick);
                self.send(&format!("PONG{}", ping.trim_end()));
            }
            if line.contains(part) {
                return line.trim_end().to_owned();
            }
        }
    }
}

/// Waits until a statement gives this: a minute, with a look at a time.
fn until(place: &Place, statement: &str, wanted: &str) {
    let mut found = None;
    for _ in 0..300 {
        found = place.sql(statement);
        if found.as_deref().map(str::trim) == Some(wanted) {
            return;
        }
        look();
    }
    panic!("{statement} gives {found:?}, not {wanted}");
}

fn serving(place: &Place, server: &Server) -> Running {
    let mut command = place.command(&["standalone"]);
    command
        .env(
            "THREADLORE__IRC__SERVER",
            format!("127.0.0.1:{}", server.port),
        )
        .env("THREADLORE__IRC__TLS", "false")
        .env("THREADLORE__IRC__CHANNELS", "#help");
    let mut owner = place.start(&mut command);
    assert!(owner.wait_for("in a channel of IRC"), "{}", owner.said());
    owner
}

#[test]
fn a_channel_that_was_just_helped_is_answered_also_after_the_server_was_away() {
    if !Path::new(SERVER).exists() {
        return not_run("ngircd is not installed: apt-get install ngircd");
    }
    let place = Place::new();
    let mut server = Server::start(&place);
    // The first in a channel is its operator, and so the bot's admin.
    let mut anna = Person::join(&server, "anna");
    let owner = serving(&place, &server);
    let mut ben = Person::join(&server, "ben");
    anna.say("my laptop wont suspend when i close the lid");
    ben.until("wont suspend");
    ben.say("anna: set HandleLidSwitch=suspend in /etc/systemd/logind.conf and restart logind");
    anna.until("HandleLidSwitch");
    anna.say("thanks ben, that works!");
    let solved = "SELECT count(*) FROM lore.cases WHERE status = 'solved'";
    until(&place, solved, "1");
    let mut dora = Person::join(&server, "dora");
    dora.say("how do I make suspend on lid close work?");
    let answer = dora.until(" PRIVMSG #help :");
    assert!(
        answer.starts_with(":lore!") && answer.contains(":dora: set HandleLidSwitch=suspend"),
        "{answer}"
    );
    dora.until("From: threadlore:case/");
    // Who may join and look on is everybody.
    until(&place, "SELECT audience FROM lore.channels", "public");
    // A mention of something else gets something, too.
    dora.say("lore: and how do I bake bread?");
    let reply = dora.until(":lore!");
    assert!(reply.contains("dora: I know"), "{reply}");

    // The server goes away and comes back: so does the bot, by itself.
    server.restart(&place);
    let mut anna = Person::join(&server, "anna");
    loop {
        anna.send("NAMES #help");
        if anna.until(" 353 ").contains("lore") {
            break;
        }
        look();
    }
    let mut carl = Person::join(&server, "carl");
    carl.say("lore: my laptop does not suspend when I close the lid, what can I do?");
    let again = carl.until(":lore!");
    assert!(
        again.contains(":carl: set HandleLidSwitch=suspend"),
        "{again}"
    );
    let delivered = "SELECT count(*) FROM lore.deliveries WHERE result = 'delivered'";
    until(&place, delivered, "3");
    owner.stop();
    place.verified();
}

/// Each round asks something by name, and kills the bot at another moment. IRC knows nothing twice: what
/// was being sent may be sent again, and what was not handed to the log yet is not heard.
#[test]
#[ignore = "long form: ./dev soak irc_kills"]
fn soak_irc_kills() {
    const ROUNDS: usize = 100;
    if !Path::new(SERVER).exists() {
        return not_run("ngircd is not installed: apt-get install ngircd");
    }
    let place = Place::new();
    place.file(
        "threadlore.toml",
        "[responder]\nanswers_per_minute = 1000\nanswers_per_day = 1000000\n",
    );
    let server = Server::start(&place);
    let mut anna = Person::join(&server, "anna");
    let mut bot = serving(&place, &server);
    let mut ben = Person::join(&server, "ben");
    anna.say("my laptop wont suspend when i close the lid");
    ben.until("wont suspend");
    ben.say("anna: set HandleLidSwitch=suspend in /etc/systemd/logind.conf and restart logind");
    anna.until("HandleLidSwitch");
    anna.say("thanks ben, that works!");
    let solved = "SELECT count(*) FROM lore.cases WHERE status = 'solved'";
    until(&place, solved, "1");
    // What the bot said to the channel until now.
    let mut said = 0;
    let hear = |anna: &mut Person, said: &mut usize| {
        anna.send("PRIVMSG anna :that is all");
        loop {
            let line = anna.until(" PRIVMSG ");
            if line.ends_with(":that is all") {
                return;
            }
            let answers = line.starts_with(":lore!") && line.contains("set HandleLidSwitch");
            *said += usize::from(answers);
        }
    };
    for round in 0..ROUNDS {
        let mut dora = Person::join(&server, "dora");
        dora.say("lore: how do I make suspend on lid close work?");
        for _ in 0..(round * 7) % 21 {
            look();
        }
        dora.send("QUIT");
        bot.kill();
        bot = serving(&place, &server);
        hear(&mut anna, &mut said);
    }
    let pending = "SELECT count(*) FROM lore.turns t WHERE outcome = 'answered' AND NOT EXISTS \
                   (SELECT FROM lore.deliveries d WHERE d.answer = t.answer AND d.result = 'delivered')";
    until(&place, pending, "0");
    let count = |statement: &str| -> usize {
        let found = place.sql(statement).expect("a count");
        found.trim().parse().expect("a number")
    };
    let heard = count("SELECT count(*) FROM lore.messages WHERE name = 'dora'");
    let answered = count("SELECT count(*) FROM lore.turns WHERE outcome = 'answered'");
    hear(&mut anna, &mut said);
    println!(
        "{ROUNDS} kills: {heard} questions heard, {answered} turns answered, said {said} times"
    );
    assert!(said >= answered, "an answer was not sent");
    assert!(said <= answered + ROUNDS, "more than one more for a kill");
    bot.stop();
    place.verified();
}

/// Two processes have the same settings on a cluster. One is in the channel, under its own nick; when
/// it is killed, the other joins, and answers.
#[test]
fn another_process_joins_the_channel_when_one_is_killed() {
    if !Path::new(SERVER).exists() {
        return not_run("ngircd is not installed: apt-get install ngircd");
    }
    let place = Place::new();
    let server = Server::start(&place);
    let mut anna = Person::join(&server, "anna");
    let more = format!(
        "[irc]\nserver = \"127.0.0.1:{}\"\ntls = false\nchannels = \"#help\"\n",
        server.port
    );
    let Some(cluster) = Cluster::start(Place::new(), &more) else {
        return;
    };
    let rest = cluster.run(&[&ROLES[..], &["responder"]].concat());
    let mut one = cluster.run(&["gateway-irc"]);
    assert!(one.wait_for("in a channel of IRC"), "{}", one.said());
    let mut two = cluster.run(&["gateway-irc"]);
    assert!(
        two.wait_for("another process is connected"),
        "{}",
        two.said()
    );
    let mut ben = Person::join(&server, "ben");
    anna.say("my laptop wont suspend when i close the lid");
    ben.until("wont suspend");
    ben.say("anna: set HandleLidSwitch=suspend in /etc/systemd/logind.conf");
    anna.until("HandleLidSwitch");
    anna.say("thanks ben, that works!");
    let solved = || cluster.sql("SELECT count(*) FROM lore.cases WHERE status = 'solved'");
    while solved().as_deref().map(str::trim) != Some("1") {
        look();
    }
    let mut dora = Person::join(&server, "dora");
    dora.say("lore: how do I make suspend on lid close work?");
    dora.until(":dora: set HandleLidSwitch=suspend");
    one.kill();
    assert!(two.wait_for("in a channel of IRC"), "{}", two.said());
    let mut carl = Person::join(&server, "carl");
    carl.say("lore: how do I make suspend on lid close work?");
    let answer = carl.until(":carl: set HandleLidSwitch=suspend");
    assert!(answer.starts_with(":lore!"), "{answer}");
    // What was said was heard once.
    let messages = "SELECT count(*) FROM lore.messages WHERE text LIKE 'lore: how do I%'";
    assert_eq!(cluster.sql(messages).as_deref().map(str::trim), Some("2"));
    two.stop();
    rest.stop();
}

/// Runs `openssl` in a directory; `None` where there is none.
fn openssl(dir: &Path, arguments: &str) -> Option<()> {
    let mut command = Command::new("openssl");
    command.args(arguments.split(' ')).current_dir(dir);
    let output = command.output().ok()?;
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Some(())
}

/// An authority (`ca.pem`), and what it gave the server (`irc.pem`).
fn certificates(place: &Place) -> Option<()> {
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes";
    let dir = place.path();
    place.file(
        "ext",
        "subjectAltName=IP:127.0.0.1\nbasicConstraints=CA:FALSE\n",
    );
    openssl(
        dir,
        &format!("req -x509 {key} -days 2 -subj /CN=ca -keyout ca.key -out ca.pem"),
    )?;
    openssl(
        dir,
        &format!("req -new {key} -subj /CN=irc -keyout irc.key -out irc.csr"),
    )?;
    openssl(
        dir,
        "x509 -req -in irc.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile ext \
         -out irc.pem",
    )
}

#[test]
fn an_encrypted_connection_trusts_the_authority_that_is_named_and_no_stranger() {
    let place = Place::new();
    if !Path::new(SERVER).exists() || certificates(&place).is_none() {
        return not_run("ngircd or openssl is not installed: apt-get install ngircd openssl");
    }
    let dir = place.path().display();
    let tls = free_port();
    let more = format!("[SSL]\nCertFile = {dir}/irc.pem\nKeyFile = {dir}/irc.key\nPorts = {tls}\n");
    let _server = Server::with(&place, &more);
    let mut command = place.command(&["standalone"]);
    command
        .env("THREADLORE__IRC__SERVER", format!("127.0.0.1:{tls}"))
        .env("THREADLORE__IRC__CHANNELS", "#help");
    let mut stranger = place.start(&mut command);
    assert!(stranger.wait_for("`irc.ca_file`"), "{}", stranger.said());
    stranger.stop();
    let mut trusting = place.start(command.env("THREADLORE__IRC__CA_FILE", "ca.pem"));
    assert!(
        trusting.wait_for("in a channel of IRC"),
        "{}",
        trusting.said()
    );
    trusting.stop();
}

#[test]
fn settings_of_irc_that_cannot_be_used_are_named() {
    let place = Place::new();
    for (settings, words) in [
        (
            "server = \"irc.test\"\nchannels = \"#a\"",
            "`irc.server` is not a server",
        ),
        ("server = \"irc.test:6697\"", "`irc.channels` is empty"),
        (
            "server = \"irc.test:6697\"\nchannels = \"help\"",
            "no channel",
        ),
        (
            "server = \"irc.test:6697\"\nchannels = \"#a\"\nnick = \"7 up\"",
            "`irc.nick`",
        ),
        (
            "server = \"irc.test:6697\"\nchannels = \"#a\"\nsasl_user = \"lore\"",
            "go together",
        ),
        (
            "server = \"irc.test:6697\"\nchannels = \"#a\"\nca_file = \"none.pem\"",
            "`irc.ca_file`",
        ),
    ] {
        place.file("threadlore.toml", format!("[irc]\n{settings}\n"));
        let ran = place.run(&["standalone"]);
        assert_eq!(ran.code, Some(3), "{settings}: {}", ran.err);
        assert!(ran.err.contains(words), "{settings}: {}", ran.err);
    }
}
