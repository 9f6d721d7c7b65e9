//! The main job from end to end, and how a process stops.

use super::support::{Place, demo, messages};

const CHANNEL: &str = "irc:#ubuntu";

#[test]
fn a_whole_day_of_chat() {
    let place = Place::new();
    let log = demo().join("2008-03-01.txt");
    let expected = messages(&std::fs::read(&log).expect("the log")).len() as u64;
    let log = log.to_str().expect("UTF-8");
    let import = ["import", log, "--channel", CHANNEL, "--space", "one"];

    let taken = place.json(&import);
    assert_eq!(taken["messages"], expected);
    let first = place.verified();
    let (count, cases) = (first.table("messages").0, first.table("cases").0);
    println!("{count} messages, {cases} cases");
    assert_eq!(count, expected);
    assert!(cases > 0, "cases come out");

    let again = place.json(&import);
    assert_eq!(
        (&again["messages"], &again["earlier"]),
        (&0.into(), &again["lines"])
    );
    let repeated = place.json(&[&import[..], &["--again"]].concat());
    assert_eq!(repeated["messages"], expected);
    assert_eq!(repeated["new_messages"], 0, "{repeated}");
    let after = place.verified();
    for table in ["messages", "cases", "case_evidence"] {
        assert_eq!(
            after.table(table),
            first.table(table),
            "{table}: repeats are dropped"
        );
    }

    asking(&place);
    replay_and_back(&place);
    other_space(&place, log, expected, cases);
}

/// Every answer cites cases with evidence; silence gives a reason. Asked in the
/// words of its own solved cases, it does answer.
fn asking(place: &Place) {
    let titles = place.with_database(|sql| {
        sql(
            "SELECT regexp_replace(title, E'[\\n\\r]', ' ', 'g') FROM lore.cases \
             WHERE solved_at IS NOT NULL ORDER BY case_id LIMIT 8",
        )
    });
    let mut answered = 0;
    for question in titles.lines().chain(["what is an unladen swallow?"]) {
        let told = place.json(&["ask", question, "--space", "one"]);
        let citations = told["citations"].as_array().expect("a list");
        println!(
            "{question}: {} with {} citations",
            told["outcome"],
            citations.len()
        );
        assert!(
            !told["answer"].as_str().expect("a text").is_empty(),
            "{told}"
        );
        match told["outcome"].as_str() {
            Some("silent") => assert!(citations.is_empty(), "{told}"),
            Some("answered" | "tracked") => {
                answered += 1;
                assert!(!citations.is_empty(), "{told}");
                for cited in citations {
                    let evidence = cited["evidence"].as_array().expect("a list");
                    assert!(
                        evidence.iter().all(|line| line["text"].is_string()),
                        "{told}"
                    );
                    assert!(!evidence.is_empty(), "{told}");
                }
            }
            _ => panic!("{told}"),
        }
    }
    assert!(answered > 0, "silent on all of its own cases");
}

fn replay_and_back(place: &Place) {
    let live = |place: &Place| {
        let listed = place.run(&["replay", "list"]);
        assert_eq!(listed.code, Some(0), "{}", listed.err);
        let line = listed
            .out
            .lines()
            .find(|l| l.starts_with("cases") && l.ends_with("live"));
        line.expect("one build is live").to_owned()
    };
    let before = live(place);
    let told = place.json(&["replay", "--projection", "cases"]);
    assert_eq!(told["projections"][0]["equal"], true, "{told}");
    assert_ne!(live(place), before, "the new build is live");
    let back = place.run(&["replay", "rollback", "--projection", "cases"]);
    assert_eq!(back.code, Some(0), "{}", back.err);
    assert_eq!(live(place), before, "the old build is live again");
    let further = place.run(&["replay", "rollback", "--projection", "cases"]);
    assert_eq!(further.code, Some(3), "{}", further.err);
    assert!(further.err.contains("oldest build"), "{}", further.err);
}

/// The same log in another space: as many rows again, no id in common, and
/// nothing of the first space shows.
fn other_space(place: &Place, log: &str, expected: u64, cases: u64) {
    place.json(&["import", log, "--channel", CHANNEL, "--space", "two"]);
    let both = place.verified();
    assert_eq!(both.table("messages").0, 2 * expected);
    assert!(
        both.table("cases").0 > cases,
        "the second space has cases of its own"
    );
    place.with_database(|sql| {
        for (table, id) in [("messages", "message"), ("cases", "case_id")] {
            let shared = sql(&format!(
                "SELECT count(*) FROM (SELECT {id} FROM lore.{table} \
                 GROUP BY {id} HAVING count(DISTINCT space) > 1) x"
            ));
            assert_eq!(shared, "0", "{table}: an id of both spaces");
        }
        let seen = sql("SET lore.space = 'two'; SET ROLE lore_reader; \
             SELECT count(*), count(DISTINCT space) FROM lore.messages");
        assert_eq!(
            seen,
            format!("{expected}|1"),
            "a reader sees its space only"
        );
    });
    for args in [
        &["ask", "how do I mount a cdrom?", "--space", "empty"][..],
        &["channel", "show", "--space", "empty"],
    ] {
        let ran = place.run(args);
        assert_eq!(ran.code, Some(3), "{ran:?}");
        assert!(
            ran.err.contains("the space empty has no message"),
            "{ran:?}"
        );
    }
}

#[test]
fn signals_stop_cleanly() {
    let place = Place::new();
    for signal in ["TERM", "INT"] {
        let mut standalone = place.start(&mut place.command(&["standalone"]));
        assert!(
            standalone.wait_for("running every role"),
            "{}",
            standalone.said()
        );
        standalone.signal(signal);
        let ended = standalone.end();
        assert_eq!(ended.code, Some(0), "{}", ended.err);
        assert!(ended.err.ends_with("stopped"), "{}", ended.err);
        assert!(!ended.err.contains("WARN"), "{}", ended.err);
    }
    let log = demo();
    let args = ["import", log.to_str().expect("UTF-8"), "--channel", CHANNEL];
    let mut import = place.start(&mut place.command(&args));
    assert!(import.wait_for("importing:"), "{}", import.said());
    import.signal("INT");
    let ended = import.end();
    assert_eq!(ended.code, Some(130), "{}", ended.err);
    assert!(
        ended.err.contains("threadlore: interrupted"),
        "{}",
        ended.err
    );
    let rest = place.run(&args);
    assert_eq!(rest.code, Some(0), "{}", rest.err);
}
