//! The bot in rooms of a real homeserver (Synapse): it joins, learns, answers, takes back, and comes
//! back.

use serde_json::{Value, json};

use super::cluster::{Cluster, ROLES};
use super::homeserver::{LOOKS, Person, Server};
use super::support::{Place, Running, look};

/// A problem is stated, and solved.
fn solve(room: &str, asker: &Person<'_>, helper: &Person<'_>) {
    asker.say(room, "my laptop wont suspend when i close the lid");
    let solution = "set HandleLidSwitch=suspend in /etc/systemd/logind.conf and restart logind";
    helper.say(room, &format!("anna: {solution}"));
    asker.say(room, "thanks ben, that works!");
}

/// The bot, which is invited by anna.
fn serving(place: &Place, server: &Server, bot: &Person<'_>) -> Running {
    let mut command = place.command(&["standalone"]);
    command
        .env("THREADLORE__MATRIX__HOMESERVER", &server.url)
        .env("THREADLORE__MATRIX__ACCESS_TOKEN", &bot.token)
        .env("THREADLORE__MATRIX__ROOMS", "#help:lore.test")
        .env("THREADLORE__MATRIX__INVITED_BY", "@anna:lore.test");
    let mut owner = place.start(&mut command);
    assert!(owner.wait_for("in rooms of Matrix"), "{}", owner.said());
    owner
}

/// Waits until a statement gives this.
fn until(place: &Place, statement: &str, wanted: &str) {
    let mut found = None;
    for _ in 0..LOOKS {
        found = place.sql(statement);
        if found.as_deref().map(str::trim) == Some(wanted) {
            return;
        }
        look();
    }
    panic!("{statement} gives {found:?}, not {wanted}");
}

const SOLVED: &str = "SELECT count(*) FROM lore.cases WHERE status = 'solved'";

#[test]
fn a_room_that_was_just_helped_is_answered_also_over_a_kill() {
    let place = Place::new();
    let Some(server) = Server::start(&place) else {
        return;
    };
    let [anna, ben, dora, lore] = ["anna", "ben", "dora", "lore"].map(|name| server.person(name));
    let room = anna.room("help");
    ben.join(&room);
    dora.join(&room);
    // What is said before the bot joins is history: it learns from it.
    anna.say(
        &room,
        "my printer prints only blank pages since yesterday, what can I do?",
    );
    ben.say(&room, "anna: take the tape off the new cartridge");
    anna.say(&room, "thanks ben, that was it, it prints again");
    let mut bot = serving(&place, &server, &lore);
    assert!(bot.wait_for("in a room of Matrix"), "{}", bot.said());
    until(&place, SOLVED, "1");

    solve(&room, &anna, &ben);
    until(&place, SOLVED, "2");
    let question = dora.say(&room, "how do I make suspend on lid close work?");
    let said = dora.until_said(&room, &lore, 1);
    let answer = &said[0]["content"];
    let body = answer["body"].as_str().expect("a text");
    assert!(body.contains("set HandleLidSwitch=suspend"), "{body}");
    assert!(body.contains("From: threadlore:case/"), "{body}");
    assert_eq!(answer["msgtype"], "m.notice");
    assert_eq!(
        answer["m.relates_to"]["m.in_reply_to"]["event_id"],
        *question
    );
    assert_eq!(answer["m.mentions"]["user_ids"], json!([dora.id]));

    // A mention by the platform's own means always gets something.
    dora.send(
        &room,
        "m.room.message",
        json!({
            "msgtype": "m.text", "body": "and how do I bake bread?",
            "m.mentions": {"user_ids": [lore.id]},
        }),
    );
    let said = dora.until_said(&room, &lore, 2);
    let body = said[1]["content"]["body"].as_str().expect("a text");
    assert!(body.contains("I know"), "{body}");

    // What is said while the bot is away is heard when it is back; nothing is sent twice.
    bot.kill();
    dora.say(
        &room,
        "does anybody know why the printer gives me blank pages?",
    );
    let bot = serving(&place, &server, &lore);
    let said = dora.until_said(&room, &lore, 3);
    let body = said[2]["content"]["body"].as_str().expect("a text");
    assert!(
        body.contains("take the tape off the new cartridge"),
        "{body}"
    );

    // Whose question is taken back, its answer is taken back too.
    dora.redact(&room, &question);
    dora.until("the answer is taken back", || {
        let first = dora.said_by(&room, &lore).into_iter().next()?;
        first["content"].as_object()?.is_empty().then_some(())
    });
    assert_eq!(dora.said_by(&room, &lore).len(), 3);
    let posted =
        "SELECT count(*) FROM lore.deliveries WHERE action = 'post' AND result = 'delivered'";
    until(&place, posted, "3");
    bot.stop();
    place.verified();
}

/// A line that replies to a message.
fn replies(person: &Person<'_>, room: &str, to: &str, text: &str) -> String {
    let reply = json!({"m.in_reply_to": {"event_id": to}});
    person.send(
        room,
        "m.room.message",
        json!({"msgtype": "m.text", "body": text, "m.relates_to": reply}),
    )
}

#[test]
fn people_rate_answers_admins_correct_them_and_who_wants_to_is_forgotten() {
    let place = Place::new();
    let Some(server) = Server::start(&place) else {
        return;
    };
    let [anna, ben, dora, lore] = ["anna", "ben", "dora", "lore"].map(|name| server.person(name));
    let room = anna.room("help");
    ben.join(&room);
    dora.join(&room);
    let mut bot = serving(&place, &server, &lore);
    assert!(bot.wait_for("in a room of Matrix"), "{}", bot.said());
    let greeted = dora.until("the greeting", || {
        let said = dora.all_said_by(&room, &lore).into_iter().next()?;
        said["content"]["body"].as_str().map(str::to_owned)
    });
    assert!(greeted.contains("forget me"), "{greeted}");
    solve(&room, &anna, &ben);
    until(&place, SOLVED, "1");
    dora.say(&room, "how do I make suspend on lid close work?");
    let said = dora.until_said(&room, &lore, 1);
    let answer = said[0]["event_id"].as_str().expect("an id").to_owned();

    let liked = json!({"rel_type": "m.annotation", "event_id": answer, "key": "👍"});
    dora.send(&room, "m.reaction", json!({"m.relates_to": liked}));
    replies(&ben, &room, &answer, "that is wrong");
    let rated = "SELECT string_agg(rating, ' ' ORDER BY rating) FROM lore.turn_ratings";
    until(&place, rated, "failed helped");

    // Only an admin corrects; what was said is taken back.
    replies(&dora, &room, &answer, "correct: buy another one");
    let said = dora.until_said(&room, &lore, 2);
    let body = said[1]["content"]["body"].as_str().expect("a text");
    assert!(body.contains("Only an admin"), "{body}");
    let fixed = "set HandleLidSwitchDocked=suspend too";
    replies(&anna, &room, &answer, &format!("correct: {fixed}"));
    let said = dora.until_said(&room, &lore, 3);
    let body = said[2]["content"]["body"].as_str().expect("a text");
    assert!(body.contains("Corrected"), "{body}");
    dora.until("the answer is taken back", || {
        let first = dora.said_by(&room, &lore).into_iter().next()?;
        first["content"].as_object()?.is_empty().then_some(())
    });
    dora.say(&room, "@lore how do I make suspend on lid close work?");
    let said = dora.until_said(&room, &lore, 4);
    let body = said[3]["content"]["body"].as_str().expect("a text");
    assert!(body.contains(fixed), "{body}");

    // Who solved it wants to be forgotten: after the last words nothing of them is left.
    ben.say(&room, "@lore forget me");
    let said = dora.until_said(&room, &lore, 5);
    let body = said[4]["content"]["body"].as_str().expect("a text");
    assert!(body.contains("I erase everything that you wrote"), "{body}");
    let texts = "SELECT count(*) FROM lore.messages WHERE name = 'ben' OR text LIKE '%logind%'";
    until(&place, texts, "0");
    bot.stop();
    place.verified();
}

/// Two processes are in the same rooms with the same account, on a cluster. What both hear is one,
/// and one of them answers; when that is killed, the other does.
#[test]
fn another_process_goes_on_in_the_room_when_one_is_killed() {
    let place = Place::new();
    let Some(server) = Server::start(&place) else {
        return;
    };
    let [anna, ben, dora, lore] = ["anna", "ben", "dora", "lore"].map(|name| server.person(name));
    let room = anna.room("help");
    ben.join(&room);
    dora.join(&room);
    let more = format!(
        "[matrix]\nhomeserver = \"{}\"\naccess_token = \"{}\"\nrooms = \"#help:lore.test\"\n",
        server.url, lore.token
    );
    let Some(cluster) = Cluster::start(Place::new(), &more) else {
        return;
    };
    let gateway = || {
        let mut gateway = cluster.run(&["gateway-matrix"]);
        assert!(gateway.wait_for("in rooms of Matrix"), "{}", gateway.said());
        gateway
    };
    let roles = [&ROLES[..], &["responder"]].concat();
    let rest = cluster.run(&roles);
    let (mut one, two) = (gateway(), gateway());
    assert!(one.wait_for("in a room of Matrix"), "{}", one.said());
    solve(&room, &anna, &ben);
    anna.until("a solved case", || {
        cluster.sql(SOLVED).filter(|count| count.trim() == "1")
    });
    let mut answers = 0;
    let mut is_answered = |what: &str| {
        dora.say(&room, "lore: how do I make suspend on lid close work?");
        answers += 1;
        let said = dora.until_said(&room, &lore, answers);
        assert_eq!(said.len(), answers, "{what}: once");
        let asked = dora.said_by(&room, &dora);
        let at = |event: Option<&Value>| event.expect("said")["origin_server_ts"].as_i64();
        let took = at(said.last()).expect("a time") - at(asked.last()).expect("a time");
        println!("{what}: answered after {took} ms");
        // Fifteen seconds, and the two after which a turn has ended.
        assert!(took <= 17_000, "{what}: {took} ms");
    };
    is_answered("with two");
    one.kill();
    is_answered("the first is killed");
    let three = gateway();
    two.kill();
    is_answered("the second is killed");
    assert_eq!(
        cluster
            .sql("SELECT count(*) = count(DISTINCT native_id) FROM lore.messages")
            .as_deref(),
        Some("t")
    );
    three.stop();
    rest.stop();
}

/// Each round asks something by name, and kills the bot at another moment: before it decides, while
/// it sends, or after.
#[test]
#[ignore = "long form: ./dev soak matrix_kills"]
fn soak_matrix_kills() {
    const ROUNDS: usize = 100;
    let place = Place::new();
    place.file(
        "threadlore.toml",
        "[responder]\nanswers_per_minute = 1000\nanswers_per_day = 1000000\n",
    );
    let Some(server) = Server::start(&place) else {
        return;
    };
    let [anna, ben, dora, lore] = ["anna", "ben", "dora", "lore"].map(|name| server.person(name));
    let room = anna.room("help");
    ben.join(&room);
    dora.join(&room);
    let bot = serving(&place, &server, &lore);
    solve(&room, &anna, &ben);
    until(&place, SOLVED, "1");
    let mut bot = Some(bot);
    let mut asked = Vec::new();
    for round in 0..ROUNDS {
        asked.push(dora.say(&room, "lore: how do I make suspend on lid close work?"));
        // From nothing to four seconds: a turn ends after two.
        for _ in 0..(round * 7) % 21 {
            look();
        }
        if let Some(bot) = bot.take() {
            bot.kill();
        }
        bot = Some(serving(&place, &server, &lore));
    }
    // Every line has had its turn, and every answer was sent.
    let lines = "SELECT sum(cardinality(messages)) FROM lore.turns";
    until(&place, lines, &(ROUNDS + 3).to_string());
    // Questions that came within two seconds of each other are one turn, with one answer.
    let turns = "SELECT count(*) FROM lore.deliveries WHERE action = 'post' AND result IS NULL";
    until(&place, turns, "0");
    let wanted = "SELECT count(*) FROM lore.turns WHERE outcome = 'answered'";
    let wanted: usize = place
        .sql(wanted)
        .expect("a count")
        .trim()
        .parse()
        .expect("a number");
    let said = dora.until_said(&room, &lore, wanted);
    let mut replied: Vec<String> = said
        .iter()
        .map(|event| {
            let reply = &event["content"]["m.relates_to"]["m.in_reply_to"]["event_id"];
            reply.as_str().expect("a reply").to_owned()
        })
        .collect();
    println!(
        "{ROUNDS} kills: {} questions, {wanted} turns, {} answers",
        asked.len(),
        said.len()
    );
    assert!(replied.iter().all(|id| asked.contains(id)), "{replied:?}");
    replied.sort();
    replied.dedup();
    assert_eq!(replied.len(), said.len(), "one answer was sent twice");
    assert_eq!(said.len(), wanted);
    if let Some(bot) = bot {
        bot.stop();
    }
    place.verified();
}

#[test]
fn invitations_threads_edits_and_encryption_are_as_the_page_says() {
    let place = Place::new();
    let Some(server) = Server::start(&place) else {
        return;
    };
    let [anna, ben, eve, lore] = ["anna", "ben", "eve", "lore"].map(|name| server.person(name));
    anna.room("help");
    let mut bot = serving(&place, &server, &lore);

    // Of whom it may be invited, it follows the invitation.
    let friends = anna.room("friends");
    anna.invite(&friends, &lore);
    let strangers = eve.room("strangers");
    eve.invite(&strangers, &lore);
    assert!(bot.wait_for("an invitation is accepted"), "{}", bot.said());
    assert!(
        bot.wait_for("an invitation is not accepted"),
        "{}",
        bot.said()
    );
    ben.join(&friends);
    eve.join(&friends);

    // An edit changes what is known, and a thread is answered in the thread.
    let wrong = ben.say(&friends, "anna: run `systemctl restart cupss`");
    anna.say(
        &friends,
        "the print queue is stuck and nothing comes out of the printer",
    );
    let helped = ben.say(&friends, "anna: run `systemctl restart cupss`");
    ben.send(
        &friends,
        "m.room.message",
        json!({
            "msgtype": "m.text", "body": "* anna: run `systemctl restart cups`",
            "m.new_content": {"msgtype": "m.text", "body": "anna: run `systemctl restart cups`"},
            "m.relates_to": {"rel_type": "m.replace", "event_id": helped},
        }),
    );
    ben.redact(&friends, &wrong);
    anna.say(&friends, "thanks ben, that works!");
    until(&place, SOLVED, "1");
    let root = anna.say(&friends, "what a day");
    let asked = eve.send(
        &friends,
        "m.room.message",
        json!({
            "msgtype": "m.text", "body": "my print queue is stuck, nothing comes out of the printer?",
            "m.relates_to": {
                "rel_type": "m.thread", "event_id": root,
                "m.in_reply_to": {"event_id": root}, "is_falling_back": true,
            },
        }),
    );
    let said = anna.until_said(&friends, &lore, 1);
    let answer = &said[0]["content"];
    let body = answer["body"].as_str().expect("a text");
    assert!(
        body.contains("systemctl restart cups`") || body.contains("systemctl restart cups\n"),
        "{body}"
    );
    assert!(!body.contains("cupss"), "{body}");
    assert_eq!(answer["m.relates_to"]["event_id"], *root);
    assert_eq!(answer["m.relates_to"]["m.in_reply_to"]["event_id"], *asked);

    // What everybody can read may be said among a few, too.
    let few = anna.call("POST", "createRoom", json!({"preset": "private_chat"}));
    let few = few["room_id"].as_str().expect("an id");
    anna.invite(few, &lore);
    let audiences = "SELECT string_agg(audience, ' ' ORDER BY audience) FROM lore.channels";
    until(&place, audiences, "members public public");
    anna.say(
        few,
        "my print queue is stuck, nothing comes out of the printer?",
    );
    let said = anna.until_said(few, &lore, 1);
    let body = said[0]["content"]["body"].as_str().expect("a text");
    assert!(body.contains("systemctl restart cups"), "{body}");

    // In a direct conversation everything is said to the bot, also after a restart.
    let direct = json!({"preset": "trusted_private_chat", "is_direct": true, "invite": [lore.id]});
    let direct = anna.call("POST", "createRoom", direct);
    let direct = direct["room_id"].as_str().expect("an id");
    anna.until("the bot is in the conversation", || {
        let members = anna.call("GET", &format!("rooms/{direct}/joined_members"), json!({}));
        members["joined"].get(&lore.id).map(|_| ())
    });
    anna.say(direct, "zebras have stripes");
    anna.until_said(direct, &lore, 1);
    bot.stop();
    let bot = serving(&place, &server, &lore);
    anna.say(direct, "giraffes have long necks");
    anna.until_said(direct, &lore, 2);

    // A notice is a bot's: nobody answers it.
    let notice = json!({"msgtype": "m.notice", "body": "lore: my print queue is stuck, nothing comes out of the printer?"});
    ben.send(&friends, "m.room.message", notice);
    // A room that becomes encrypted is told once.
    anna.call(
        "PUT",
        &format!("rooms/{friends}/state/m.room.encryption/"),
        json!({"algorithm": "m.megolm.v1.aes-sha2"}),
    );
    let said = anna.until_said(&friends, &lore, 2);
    let body = said[1]["content"]["body"].as_str().expect("a text");
    assert!(body.contains("encrypted"), "{body}");
    assert_eq!(said.len(), 2);
    bot.stop();
    place.verified();
}

#[test]
fn a_token_that_the_homeserver_does_not_know_is_said_and_the_rest_works() {
    let place = Place::new();
    let Some(server) = Server::start(&place) else {
        return;
    };
    let mut command = place.command(&["standalone"]);
    command
        .env("THREADLORE__MATRIX__HOMESERVER", &server.url)
        .env("THREADLORE__MATRIX__ACCESS_TOKEN", "syt_of_nobody");
    let mut owner = place.start(&mut command);
    assert!(
        owner.wait_for("does not know the access token"),
        "{}",
        owner.said()
    );
    assert!(!owner.said().contains("syt_of_nobody"), "{}", owner.said());
    owner.stop();
}

#[test]
fn settings_of_matrix_that_cannot_be_used_are_named() {
    let place = Place::new();
    for (settings, words) in [
        (
            "homeserver = \"example.org\"",
            "`matrix.homeserver` is not the address",
        ),
        (
            "homeserver = \"https://example.org\"",
            "`matrix.access_token`",
        ),
        (
            "homeserver = \"https://example.org\"\naccess_token = \"t\"\nrooms = \"help\"",
            "#help:example.org",
        ),
        (
            "homeserver = \"https://example.org\"\naccess_token = \"t\"\ninvited_by = \"@anna\"",
            "`matrix.invited_by`",
        ),
    ] {
        place.file("threadlore.toml", format!("[matrix]\n{settings}\n"));
        let ran = place.run(&["standalone"]);
        assert_eq!(ran.code, Some(3), "{settings}: {}", ran.err);
        assert!(ran.err.contains(words), "{settings}: {}", ran.err);
    }
}
