//! What a developer meets who has no Java, an old one, or a node that does not start.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;

use super::*;

/// A directory with a `java` that prints this on `java -version`.
fn java(says: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    let program = dir.path().join("bin/java");
    fs::create_dir_all(program.parent().expect("bin")).expect("made");
    fs::write(&program, format!("#!/bin/sh\necho '{says}' >&2\n")).expect("written");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("set");
    dir
}

fn told(java_home: &Path, jars: &Path) -> Option<String> {
    let mut check = script(&["check"]);
    check.env("JAVA_HOME", java_home);
    check.env("THREADLORE_KAFKA", jars);
    missing(&mut check)
}

#[test]
fn what_a_node_lacks_is_told() {
    let empty = tempfile::tempdir().expect("a directory");
    let none = told(empty.path(), empty.path()).expect("a reason");
    assert!(none.starts_with("no Java ("), "{none}");
    assert!(
        none.ends_with("install Java 17 or newer (Debian: default-jre-headless)"),
        "{none}"
    );
    for (says, number) in [
        (r#"openjdk version "11.0.2" 2019-01-15"#, "11"),
        (r#"java version "1.8.0_292""#, "8"),
    ] {
        let old = told(java(says).path(), empty.path()).expect("a reason");
        assert!(
            old.contains(&format!("is Java {number}, and Kafka needs 17 or newer")),
            "{old}"
        );
    }
    let new = java(r#"openjdk version "21" 2023-09-19"#);
    let bare = told(new.path(), empty.path()).expect("a reason");
    assert!(bare.starts_with("the jars of Kafka are not in "), "{bare}");
    fs::create_dir(empty.path().join("jars")).expect("made");
    fs::write(empty.path().join("jars/kafka_2.13-4.3.1.jar"), "").expect("written");
    assert_eq!(told(new.path(), empty.path()), None);
}

#[test]
fn a_port_in_use_is_told_with_the_last_lines_of_the_log() {
    if let Some(reason) = missing(&mut script(&["check"])) {
        return not_run(&reason);
    }
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("bound").port();
    let dir = tempfile::tempdir().expect("a directory");
    let controller = Port::hold().expect("a port");
    let free = format!("127.0.0.1:{}", controller.number());
    let setup = KafkaSetup::default()
        .property(
            "listeners",
            &format!("PLAIN://127.0.0.1:{port},CONTROLLER://{free}"),
        )
        .property("controller.quorum.voters", &format!("1@{free}"));
    let told = setup.try_start(dir.path()).err().expect("it cannot start");
    assert!(
        told.starts_with("node 1 of Apache Kafka ended before it served"),
        "{told}"
    );
    assert!(told.contains("Address already in use"), "{told}");
}

#[test]
fn properties_that_are_refused_are_told() {
    if let Some(reason) = missing(&mut script(&["check"])) {
        return not_run(&reason);
    }
    let dir = tempfile::tempdir().expect("a directory");
    let setup = KafkaSetup::default().property("log.retention.ms", "soon");
    let told = setup.try_start(dir.path()).err().expect("it cannot start");
    assert!(
        told.contains("Invalid value soon for configuration log.retention.ms"),
        "{told}"
    );
}
