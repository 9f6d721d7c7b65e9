use proptest::prelude::*;

use super::super::config::tests::settings;
use super::*;

fn config() -> IrcConfig {
    IrcConfig::new(settings()).expect("it can be used")
}

fn with_login() -> IrcConfig {
    let mut settings = settings();
    settings.login = Some(("lore".to_owned(), "s3cret".to_owned()));
    IrcConfig::new(settings).expect("it can be used")
}

fn line(text: &str) -> Line {
    Line::parse(text).expect("a line")
}

/// What all lines lead to.
fn taken(session: &mut Session<'_>, lines: &[&str]) -> Vec<Act> {
    lines
        .iter()
        .flat_map(|text| session.take(&line(text)))
        .collect()
}

fn sent(acts: &[Act]) -> Vec<&str> {
    let sent = acts.iter().filter_map(|act| match act {
        Act::Send(command) => Some(command.text()),
        _ => None,
    });
    sent.collect()
}

fn heard(acts: Vec<Act>) -> Vec<Heard> {
    let heard = acts.into_iter().filter_map(|act| match act {
        Act::Posted(heard) => Some(heard),
        _ => None,
    });
    heard.collect()
}

/// A session that is in `#help`, with Ann as its operator.
fn in_channel(config: &IrcConfig) -> Session<'_> {
    let (mut session, _) = Session::begin(config);
    let acts = taken(
        &mut session,
        &[
            ":irc.test CAP * LS :multi-prefix",
            ":irc.test 001 lore :Welcome",
            ":lore!l@host JOIN #help",
            ":irc.test 353 lore = #help :lore @Ann +bob",
            ":irc.test 366 lore #help :End",
        ],
    );
    let people = vec!["ann".to_owned()];
    let channel = "#help".to_owned();
    let audience = Audience::Public;
    assert_eq!(
        acts.last(),
        Some(&Act::Operators {
            channel,
            people,
            audience
        })
    );
    session
}

#[test]
fn a_connection_begins_with_its_name_and_joins_once_it_is_welcome() {
    let config = config();
    let (mut session, first) = Session::begin(&config);
    let first: Vec<&str> = first.iter().map(Command::text).collect();
    assert_eq!(first[..2], ["CAP LS 302", "NICK lore"]);
    let acts = taken(
        &mut session,
        &[
            ":s CAP * LS * :server-time",
            ":s CAP * LS :account-tag sasl=PLAIN",
        ],
    );
    assert_eq!(sent(&acts), ["CAP REQ :account-tag server-time"]);
    assert_eq!(
        sent(&taken(
            &mut session,
            &[":s CAP * ACK :account-tag server-time"]
        )),
        ["CAP END"]
    );
    assert_eq!(
        sent(&taken(&mut session, &[":s 001 lore :Welcome"])),
        ["JOIN #help"]
    );
    assert_eq!(sent(&taken(&mut session, &["PING :abc"])), ["PONG :abc"]);
}

#[test]
fn a_login_is_sent_and_a_server_without_one_is_refused() {
    let config = with_login();
    let (mut session, _) = Session::begin(&config);
    let acts = taken(
        &mut session,
        &[
            ":s CAP * LS :sasl",
            ":s CAP * ACK :sasl",
            "AUTHENTICATE +",
            ":s 903 lore :ok",
        ],
    );
    let expected = [
        "CAP REQ :sasl",
        "AUTHENTICATE PLAIN",
        "AUTHENTICATE AGxvcmUAczNjcmV0",
        "CAP END",
    ];
    assert_eq!(sent(&acts), expected);
    let refused = |lines: &[&str]| {
        let (mut session, _) = Session::begin(&config);
        let acts = taken(&mut session, lines);
        assert!(matches!(acts.last(), Some(Act::Refused(_))), "{acts:?}");
    };
    refused(&[":s CAP * LS :server-time"]);
    refused(&[":s CAP * LS :sasl", ":s 904 lore :wrong password"]);
}

#[test]
fn another_nick_is_tried_where_one_is_taken_but_not_for_ever() {
    let config = config();
    let (mut session, _) = Session::begin(&config);
    let taken_nick = ":s 433 * lore :in use";
    assert_eq!(
        sent(&taken(&mut session, &[taken_nick; 3])),
        ["NICK lore_", "NICK lore__", "NICK lore___"]
    );
    assert!(matches!(
        taken(&mut session, &[taken_nick])[..],
        [Act::Refused(_)]
    ));
    for refused in [":s 432 * lore :bad", ":s 464 * :no", ":s 465 * :banned"] {
        let (mut session, _) = Session::begin(&config);
        assert!(
            matches!(taken(&mut session, &[refused])[..], [Act::Refused(_)]),
            "{refused}"
        );
    }
}

#[test]
fn what_people_say_is_heard_with_who_they_are() {
    let config = config();
    let mut session = in_channel(&config);
    let acts = taken(
        &mut session,
        &[
            ":Ann!a@h PRIVMSG #Help :how do I \u{3}04,01mount\u{f} it?",
            ":bob!b@h PRIVMSG #help :\u{1}ACTION shrugs\u{1}",
            ":bob!b@h PRIVMSG #help :\u{1}VERSION\u{1}",
            ":ubottu!u@h PRIVMSG #help :help is in /topic",
            ":ann!a@h PRIVMSG #other :elsewhere",
            ":ann!a@h PRIVMSG lore :to the bot alone",
            ":lore!l@h PRIVMSG #help :its own words",
            ":ann!a@h NOTICE #help :of a service",
            ":ann!a@h PRIVMSG #help :   ",
        ],
    );
    let heard = heard(acts);
    let said: Vec<_> = heard
        .iter()
        .map(|h| (h.author.as_str(), h.text.as_str(), h.bot))
        .collect();
    let expected = [
        ("ann", "how do I mount it?", false),
        ("bob", "shrugs", false),
        ("ubottu", "help is in /topic", true),
    ];
    assert_eq!(said, expected);
    assert_eq!(heard[0].nick, "Ann");
}

#[test]
fn the_bot_knows_when_it_is_asked_also_under_another_nick() {
    let config = config();
    let mut session = in_channel(&config);
    let mut asked = |text: &str| {
        let acts = session.take(&line(&format!(":ann!a@h PRIVMSG #help :{text}")));
        heard(acts)[0].to_bot
    };
    for to_it in ["lore: why?", "Lore, why?", "what do you say, @lore?"] {
        assert!(asked(to_it), "{to_it}");
    }
    for not in ["lore is folklore", "explore: why?", "@lorem why?"] {
        assert!(!asked(not), "{not}");
    }
    let renamed = ":lore!l@h NICK lore_";
    assert_eq!(taken(&mut session, &[renamed]), []);
    let acts = session.take(&line(":ann!a@h PRIVMSG #help :lore_: why?"));
    assert!(heard(acts)[0].to_bot);
}

#[test]
fn an_account_is_one_person_whatever_the_nick() {
    let config = config();
    let mut session = in_channel(&config);
    let acts = taken(
        &mut session,
        &[
            "@account=annabel;msgid=m1;time=2024-05-01T12:00:00.000Z;+draft/reply=m0 :Ann!a@h PRIVMSG #help :one",
            ":Ann!a@h NICK ann|away",
            ":ann|away!a@h PRIVMSG #help :two",
            ":ann|away!a@h ACCOUNT *",
            ":ann|away!a@h PRIVMSG #help :three",
            ":carl!c@h JOIN #help carlson :Carl",
            ":carl!c@h PRIVMSG #help :four",
        ],
    );
    let heard = heard(acts);
    let authors: Vec<&str> = heard.iter().map(|h| h.author.as_str()).collect();
    assert_eq!(authors, ["annabel", "annabel", "ann|away", "carlson"]);
    let first = &heard[0];
    assert_eq!(
        (first.id.as_deref(), first.reply_to.as_deref()),
        (Some("m1"), Some("m0"))
    );
    assert_eq!(first.at.as_deref(), Some("2024-05-01T12:00:00.000Z"));
}

#[test]
fn a_channel_with_a_key_by_invitation_or_hidden_is_not_for_everybody() {
    let config = config();
    let mut session = in_channel(&config);
    let audience = |acts: &[Act]| match acts.last() {
        Some(Act::Operators { audience, .. }) => Some(*audience),
        _ => None,
    };
    assert_eq!(
        sent(&taken(&mut session, &[":ann!a@h MODE #help +k secret"])),
        ["MODE #help"]
    );
    let closed = taken(&mut session, &[":irc.test 324 lore #help +knt secret"]);
    assert_eq!(audience(&closed), Some(Audience::Members));
    let same = taken(&mut session, &[":irc.test 324 lore #help +kt secret"]);
    assert_eq!(audience(&same), None);
    let open = taken(&mut session, &[":irc.test 324 lore #help +nt"]);
    assert_eq!(audience(&open), Some(Audience::Public));
    let elsewhere = taken(&mut session, &[":irc.test 324 lore #other +i"]);
    assert_eq!(audience(&elsewhere), None);
    let hidden = [
        ":irc.test 353 lore @ #help :lore @Ann",
        ":irc.test 366 lore #help :End",
    ];
    assert_eq!(
        audience(&taken(&mut session, &hidden)),
        Some(Audience::Members)
    );
}

#[test]
fn operators_are_known_as_they_change() {
    let config = config();
    let mut session = in_channel(&config);
    let operators = |acts: &[Act]| match acts.last() {
        Some(Act::Operators { people, .. }) => people.clone(),
        other => panic!("no operators: {other:?}"),
    };
    assert_eq!(
        sent(&taken(&mut session, &[":ann!a@h MODE #help +o bob"])),
        ["NAMES #help"]
    );
    let names = [
        ":s 353 lore = #help :@lore @Ann @bob",
        ":s 366 lore #help :End",
    ];
    assert_eq!(
        operators(&taken(&mut session, &names)),
        ["ann", "bob"],
        "but not the bot"
    );
    assert_eq!(
        operators(&taken(&mut session, &[":bob!b@h NICK rob"])),
        ["ann", "rob"]
    );
    assert_eq!(
        operators(&taken(&mut session, &[":Ann!a@h PART #help :bye"])),
        ["rob"]
    );
    assert_eq!(
        operators(&taken(&mut session, &[":rob!b@h QUIT :bye"])),
        [] as [&str; 0]
    );
    assert_eq!(
        taken(&mut session, &[":ann!a@h MODE #help +b *!*@spam"]),
        []
    );
}

#[test]
fn a_bot_that_is_put_out_hears_no_more_and_says_so() {
    let config = config();
    let mut session = in_channel(&config);
    let acts = taken(&mut session, &[":ann!a@h KICK #help lore :enough"]);
    assert!(
        matches!(&acts[..], [Act::Warn(why), Act::Left(_)] if why.contains("enough")),
        "{acts:?}"
    );
    assert!(
        heard(taken(
            &mut session,
            &[":ann!a@h PRIVMSG #help :still there?"]
        ))
        .is_empty()
    );
    let acts = taken(
        &mut session,
        &[":s 474 lore #help :Cannot join channel (+b)"],
    );
    assert!(
        matches!(&acts[..], [Act::Warn(why)] if why.contains("+b")),
        "{acts:?}"
    );
    let acts = taken(&mut session, &["ERROR :Closing Link"]);
    assert_eq!(acts, [Act::Ended("Closing Link".to_owned())]);
}

proptest! {
    #[test]
    fn a_hostile_server_never_panics_and_makes_no_second_line(
        lines in proptest::collection::vec(
            "(@[a-z=;+/]{0,9} )?(:[a-z!@]{0,9} )?(CAP|001|353|366|JOIN|PART|KICK|NICK|MODE|PRIVMSG|433|AUTHENTICATE|PING)( (lore|#help|[^ \r\n]{0,9})){0,4}( :\\PC{0,30})?",
            0..20,
        ),
    ) {
        let config = with_login();
        let (mut session, _) = Session::begin(&config);
        for text in &lines {
            let Some(line) = Line::parse(text) else { continue };
            for act in session.take(&line) {
                if let Act::Send(command) = act {
                    let bytes = command.bytes();
                    let ends = bytes.iter().filter(|byte| **byte == b'\n').count();
                    prop_assert_eq!(ends, 1);
                }
            }
        }
    }
}
