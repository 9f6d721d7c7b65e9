use super::*;

/// The secret, headers and signature of an example in the specification of Standard Webhooks.
const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const BODY: &[u8] = br#"{"test": 2432232314}"#;
const CALL: Signed<'static> = Signed {
    id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    timestamp: "1614265330",
    signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
};

fn secret() -> Secret {
    Secret::parse(SECRET).expect("a secret")
}

/// The moment of the call, so many seconds later.
fn later(seconds: i64) -> Timestamp {
    Timestamp::from_millis((1_614_265_330 + seconds) * 1000)
}

fn verify(call: Signed<'_>) -> Result<(), Unsigned> {
    secret().verify(call, BODY, later(0))
}

#[test]
fn given_a_right_signature_when_it_is_verified_then_the_call_is_believed() {
    assert_eq!(verify(CALL), Ok(()));
}

#[test]
fn given_a_call_when_it_is_signed_then_the_signature_is_that_of_the_specification() {
    let (timestamp, signature) = secret().sign(CALL.id, later(0), BODY);
    assert_eq!(timestamp, CALL.timestamp);
    assert_eq!(signature, CALL.signature);
}

#[test]
fn given_several_signatures_when_one_matches_then_the_call_is_believed() {
    let wrong = "v1,Y2FuIG5vdCBiZSByaWdodA==";
    for (signature, expect) in [
        (format!("{wrong} {}", CALL.signature), Ok(())),
        (format!("{} v1a,abc", CALL.signature), Ok(())),
        (format!("v1,%% {}", CALL.signature), Ok(())),
        (format!("{wrong} {wrong}"), Err(Unsigned::Wrong)),
    ] {
        let signature = &signature;
        assert_eq!(verify(Signed { signature, ..CALL }), expect, "{signature}");
    }
}

#[test]
fn given_a_tampered_call_when_it_is_verified_then_it_is_refused() {
    let now = later(0);
    let tampered = secret().verify(CALL, br#"{"test": 2432232315}"#, now);
    assert_eq!(tampered, Err(Unsigned::Wrong));
    let id = "msg_other";
    assert_eq!(verify(Signed { id, ..CALL }), Err(Unsigned::Wrong));
    let timestamp = "1614265331";
    assert_eq!(verify(Signed { timestamp, ..CALL }), Err(Unsigned::Wrong));
    let other = Secret::parse("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA").expect("a secret");
    assert_eq!(other.verify(CALL, BODY, now), Err(Unsigned::Wrong));
    // Half of the right signature is not the right one.
    let half = format!(
        "v1,{}",
        STANDARD.encode(&STANDARD.decode(&CALL.signature[3..]).expect("base64")[..16])
    );
    let signature = &half;
    assert_eq!(verify(Signed { signature, ..CALL }), Err(Unsigned::Wrong));
}

#[test]
fn given_a_replay_when_it_is_within_five_minutes_then_it_is_believed_and_else_refused() {
    for (seconds, expect) in [
        (0, Ok(())),
        (300, Ok(())),
        (301, Err(Unsigned::Old(301))),
        (86_400, Err(Unsigned::Old(86_400))),
        (-300, Ok(())),
        (-301, Err(Unsigned::Future(301))),
    ] {
        let verified = secret().verify(CALL, BODY, later(seconds));
        assert_eq!(verified, expect, "{seconds}");
    }
}

#[test]
fn given_headers_that_are_none_when_they_are_verified_then_the_error_says_which() {
    let long = "x".repeat(257);
    for id in ["", "a b", "a.b", "é", "a\n", long.as_str()] {
        assert_eq!(verify(Signed { id, ..CALL }), Err(Unsigned::Id), "{id:?}");
    }
    for timestamp in ["", "-1", "+1614265330", "1.5", "now", "9999999999999999999"] {
        let verified = verify(Signed { timestamp, ..CALL });
        assert_eq!(verified, Err(Unsigned::Time), "{timestamp}");
    }
    for signature in ["", "v1", "v2,abc", "g0hM9SsE"] {
        let verified = verify(Signed { signature, ..CALL });
        assert_eq!(verified, Err(Unsigned::Version), "{signature}");
    }
    for signature in ["v1,", "v1,%", "v1,v1,"] {
        let verified = verify(Signed { signature, ..CALL });
        assert_eq!(verified, Err(Unsigned::Wrong), "{signature}");
    }
}

#[test]
fn given_a_text_that_is_no_secret_when_it_is_parsed_then_the_reason_does_not_repeat_it() {
    for (text, expect) in [
        ("", BadSecret::Prefix),
        ("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", BadSecret::Prefix),
        ("whsec_", BadSecret::Short),
        ("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS", BadSecret::Base64),
        ("whsec_not base64", BadSecret::Base64),
        ("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaQ=", BadSecret::Short),
    ] {
        let error = Secret::parse(text).expect_err("no secret");
        assert_eq!(error, expect, "{text}");
        assert!(!error.reason().contains("MfKQ"));
    }
}

#[test]
fn given_a_secret_when_it_is_shown_then_it_is_masked() {
    assert_eq!(format!("{:?}", secret()), "Secret(***)");
}
