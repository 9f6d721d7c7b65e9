//! The private PostgreSQL is killed, as when memory runs out, while `standalone` works.

use std::path::Path;

use super::support::{Place, Running, binaries, demo, look, messages, signal};

/// Process id of the private server.
fn postmaster(place: &Place) -> Option<u32> {
    let home = format!("pg{}", binaries().major());
    let file = place.data().join("postgres").join(home);
    let text = std::fs::read_to_string(file.join("data/postmaster.pid")).ok()?;
    text.lines().next()?.trim().parse().ok()
}

fn is_alive(pid: u32) -> bool {
    // A zombie has no program any more.
    std::fs::read_link(Path::new("/proc").join(pid.to_string()).join("exe")).is_ok()
}

/// Kills the server, and waits until another one is ready.
fn kill_server(place: &Place, owner: &mut Running) {
    let killed = postmaster(place).expect("the server's process");
    signal(killed, "KILL");
    assert!(
        owner.wait_for("the private PostgreSQL runs again"),
        "{}",
        owner.said()
    );
    assert!(!is_alive(killed), "the dead server is reaped");
}

#[test]
fn a_database_that_is_killed_during_an_import_is_started_again_and_nothing_is_lost() {
    let place = Place::new();
    let mut owner = place.standalone();
    let log = demo().join("2008-03-01.txt");
    let text = std::fs::read(&log).expect("a log");
    let log = log.to_str().expect("UTF-8");
    let args = ["import", log, "--channel", "irc:#u"];
    let count = "SELECT count(*) FROM lore.messages";
    for round in 0..2 {
        let running = place.start(&mut place.command(&args));
        // The tables have some of it, not all.
        while round == 0 && place.sql(count).is_none_or(|rows| rows.trim() == "0") {
            look();
        }
        kill_server(&place, &mut owner);
        // The import waited, or says that it could not: then it goes on when it is run again.
        let ended = running.end();
        assert!(
            matches!(ended.code, Some(0 | 1 | 6)),
            "{:?}: {}",
            ended.code,
            ended.err
        );
    }
    let again = place.run(&args);
    assert_eq!(again.code, Some(0), "{}", again.err);
    let rows = place.sql(count).expect("the database answers");
    assert_eq!(rows.trim(), messages(&text).len().to_string());
    // Each outage begins once and ends once at most.
    let begun = owner.times_said("work stops until PostgreSQL is available again");
    let over = owner.times_said("PostgreSQL is available again, and work goes on");
    assert!(
        begun <= 2 && over <= begun,
        "{begun}, {over}: {}",
        owner.said()
    );
    owner.stop();
    place.verified();
}
