use super::*;

#[test]
fn spaces_and_channels_are_refused_by_pattern() {
    assert!(SpaceId::parse("acme-1").is_ok());
    for bad in ["", "Acme", "a/b", "-a", "a b", &"a".repeat(64)] {
        assert!(SpaceId::parse(bad).is_err(), "{bad}");
    }
    assert!(ChannelId::parse("irc:#ubuntu").is_ok());
    for bad in [
        "irc",
        "irc:",
        ":x",
        "IRC:x",
        "irc:a b",
        "irc:a\u{0}b",
        "irc:a/b",
    ] {
        assert!(ChannelId::parse(bad).is_err(), "{bad}");
    }
    assert_eq!(
        ChannelId::new("gitter", "docker/docker")
            .expect("valid")
            .native(),
        "docker%2Fdocker"
    );
}

#[test]
fn ids_tell_parts_apart() {
    let space = SpaceId::parse("s").expect("valid");
    let channel = ChannelId::parse("irc:c").expect("valid");
    let id = |e: PlatformEvent<'_>| e.id(&space, &channel);
    assert_ne!(
        id(PlatformEvent::Edit("1", 12)),
        id(PlatformEvent::Edit("11", 2))
    );
    assert_ne!(
        id(PlatformEvent::Message("1")),
        id(PlatformEvent::Redaction("1"))
    );
    assert_eq!(
        id(PlatformEvent::Message("1")),
        id(PlatformEvent::Message("1"))
    );
}

#[test]
fn people_differ_by_space_and_key() {
    let (a, b) = (
        SpaceId::parse("a").expect("valid"),
        SpaceId::parse("b").expect("valid"),
    );
    let hasher = PersonHasher::new(&[7; 32]);
    assert_ne!(
        hasher.person(&a, "irc", "ann"),
        hasher.person(&b, "irc", "ann")
    );
    let other = PersonHasher::new(&[8; 32]);
    assert_ne!(
        hasher.person(&a, "irc", "ann"),
        other.person(&a, "irc", "ann")
    );
}
