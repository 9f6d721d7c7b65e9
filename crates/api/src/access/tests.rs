use super::*;

const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_000);
const HOUR: Duration = Duration::from_secs(3600);

fn terms() -> Terms {
    Terms {
        session_lasts: HOUR,
        requests_per_minute: 3,
    }
}

#[test]
fn a_token_makes_so_many_requests_and_no_other_token_fewer() {
    let access = access();
    let counted = |token| access.count(token).ok();
    assert_eq!(
        [counted("a"), counted("a"), counted("a")],
        [2, 1, 0].map(Some)
    );
    let wait = access.count("a").expect_err("too many");
    assert!(
        wait > Duration::ZERO && wait <= Duration::from_secs(20),
        "{wait:?}"
    );
    assert_eq!(counted("b"), Some(2));
}

fn is_session(access: &Access, session: &str, now: Timestamp) -> bool {
    access.valid_until(Purpose::Session, session, now).is_some()
}

fn access() -> Access {
    Access::new([7; 32], terms())
}

fn session(access: &Access) -> String {
    let link = access.link(NOW).expect("a link");
    let followed = access.follow(&link, NOW).expect("random bytes");
    followed.expect("a session")
}

#[test]
fn a_link_begins_one_session_and_no_second_one() {
    let access = access();
    let link = access.link(NOW).expect("a link");
    let first = access.follow(&link, NOW).expect("random bytes");
    assert!(is_session(&access, &first.expect("a session"), NOW));
    assert_eq!(access.follow(&link, NOW).expect("random bytes"), None);
    let other = access.link(NOW).expect("a link");
    assert!(access.follow(&other, NOW).expect("random bytes").is_some());
}

#[test]
fn a_session_of_a_person_is_nothing_else_and_ends() {
    let access = access();
    let until = NOW.plus(HOUR);
    let signed = |purpose| {
        access
            .said_of(purpose, ("anna", "m".to_owned()), until)
            .expect("signed")
    };
    let session = signed(Purpose::Person);
    let is_claimed = |signed: &str, now| {
        let claims = access.person_claims(Purpose::Person, signed, now);
        claims.is_some()
    };
    assert!(is_claimed(&session, NOW));
    assert!(!is_claimed(&session, until), "too old");
    // It is no link, no token and no session of the operator, and they are no session.
    assert_eq!(access.follow(&session, NOW).expect("random bytes"), None);
    assert!(access.bearer(&format!("tl_{session}"), NOW).is_none());
    assert!(!is_session(&access, &session, NOW));
    let invitation = signed(Purpose::Invitation);
    assert!(!is_claimed(&invitation, NOW));
    let claims = access.person_claims(Purpose::Invitation, &session, NOW);
    assert!(claims.is_none());
    let (said, signature) = session.split_once('.').expect("a dot");
    for changed in [
        format!("{said}A.{signature}"),
        format!("{said}."),
        said.to_owned(),
    ] {
        assert!(!is_claimed(&changed, NOW), "{changed}");
    }
    let other = Access::new([8; 32], terms());
    let claims = other.person_claims(Purpose::Person, &session, NOW);
    assert!(claims.is_none(), "another key");
}

#[test]
fn whoever_guesses_is_stopped_and_other_names_are_not() {
    let access = access();
    let tries: Vec<NotLetIn> = (0..15)
        .filter_map(|_| access.one_more_try_of("anna").err())
        .collect();
    assert_eq!(tries.len(), 5, "{tries:?}");
    let waits = |one: &NotLetIn| matches!(one, NotLetIn::TooOften(1..=60));
    assert!(tries.iter().all(waits), "{tries:?}");
    assert_eq!(access.one_more_try_of("bob"), Ok(()));
    // All names together are stopped, too.
    let names: Vec<String> = (0..60).map(|n| format!("n{n}")).collect();
    let stopped = names
        .iter()
        .find_map(|name| access.one_more_try_of(name).err());
    assert!(stopped.as_ref().is_some_and(waits), "{stopped:?}");
}

#[test]
fn links_and_sessions_run_out() {
    let access = access();
    let link = access.link(NOW).expect("a link");
    let late = NOW.plus(LINK_LASTS);
    assert_eq!(access.follow(&link, late).expect("random bytes"), None);
    let session = session(&access);
    assert!(is_session(
        &access,
        &session,
        NOW.plus(HOUR).minus(Duration::from_millis(1))
    ));
    assert!(!is_session(&access, &session, NOW.plus(HOUR)));
}

#[test]
fn a_session_outlives_the_process_and_no_other_key_makes_one() {
    let session = session(&access());
    assert!(is_session(&access(), &session, NOW));
    assert!(!is_session(&Access::new([8; 32], terms()), &session, NOW));
}

#[test]
fn what_is_changed_or_meant_for_something_else_is_refused() {
    let access = access();
    let link = access.link(NOW).expect("a link");
    let session = session(&access);
    assert!(!is_session(&access, &link, NOW), "a link is no session");
    assert_eq!(access.follow(&session, NOW).expect("random bytes"), None);
    let (until, rest) = session.split_once('.').expect("a dot");
    let later = until.parse::<i64>().expect("a number") + 1;
    let (said, signature) = session.rsplit_once('.').expect("a dot");
    for changed in [
        format!("{later}.{rest}"),
        format!("{said}."),
        said.to_owned(),
        format!("{said}.{}", &signature[2..]),
        format!("{said}.{signature}0"),
        format!("{said}.zz{}", &signature[2..]),
        format!("{said}.é"),
        format!("{session}{}", "0".repeat(LONGEST)),
        String::new(),
        "..".to_owned(),
    ] {
        assert!(!is_session(&access, &changed, NOW), "{changed:?}");
    }
}

fn grant() -> Grant {
    Grant {
        name: "grafana".to_owned(),
        space: SpaceId::parse("acme").expect("valid"),
        may: vec![Right::Read, Right::Ask],
        until: NOW.plus(HOUR),
    }
}

#[test]
fn a_token_may_what_it_was_made_for_and_nothing_else() {
    let access = access();
    let made = access.token(&grant()).expect("a token");
    let bearer = access.bearer(&made.token, NOW).expect("it counts");
    assert_eq!((bearer.id, bearer.name.as_str()), (made.id, "grafana"));
    let may = |space: &str, right| {
        let space = SpaceId::parse(space).expect("valid");
        bearer.authority.authorise(&space, right).is_ok()
    };
    assert!(may("acme", Right::Read) && may("acme", Right::Ask));
    assert!(!may("acme", Right::Admin) && !may("acme", Right::Ingest));
    assert!(!may("other", Right::Read));
}

#[test]
fn a_token_that_ran_out_or_was_changed_is_none() {
    let ours = access();
    let made = ours.token(&grant()).expect("a token");
    assert!(
        ours.bearer(&made.token, NOW.plus(HOUR)).is_none(),
        "too old"
    );
    assert!(
        Access::new([8; 32], terms())
            .bearer(&made.token, NOW)
            .is_none()
    );
    let (said, signature) = made.token.split_once('.').expect("a dot");
    let more = Grant {
        may: vec![Right::Admin],
        ..grant()
    };
    let more = tokens::Claims::of(made.id.clone(), &more);
    let more = URL_SAFE_NO_PAD.encode(serde_json::to_vec(&more).expect("JSON"));
    for changed in [
        format!("tl_{more}.{signature}"),
        said.to_owned(),
        format!("{said}."),
        format!("{said}.{signature}0"),
        made.token.replacen("tl_", "", 1),
        format!("{}{}", made.token, "0".repeat(LONGEST_TOKEN)),
        session(&ours),
        String::new(),
    ] {
        assert!(ours.bearer(&changed, NOW).is_none(), "{changed:?}");
    }
    assert!(
        !is_session(&ours, &made.token, NOW),
        "a token is no session"
    );
}
