//! The launcher against the PostgreSQL of this machine.

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use support::{Served, binaries, serve_example, sql, until};
use threadlore_pg_local::{Error, Mode, Server};

fn start(dir: &Path) -> Server {
    Server::start(&binaries(), dir, Mode::Test).expect("server starts")
}

fn home(dir: &Path) -> PathBuf {
    dir.join(format!("pg{}", binaries().major()))
}

#[test]
fn a_restart_keeps_the_data() {
    let tmp = tempfile::tempdir().expect("temp dir");
    let dir = tmp.path().join("not yet there");
    let server = Server::start(&binaries(), &dir, Mode::Durable).expect("first start");
    let url = server.url("postgres");
    assert_eq!(sql(&url, "show fsync"), "on");
    assert_eq!(sql(&url, "show listen_addresses"), "");
    assert_eq!(sql(&url, "show recovery_init_sync_method"), "syncfs");
    sql(&url, "create table t as select 'kept' as word");
    server.stop().expect("clean stop");

    let server = start(&dir);
    let url = server.url("postgres");
    assert_eq!(sql(&url, "show fsync"), "off");
    assert_eq!(sql(&url, "show synchronous_commit"), "on");
    assert_eq!(sql(&url, "show full_page_writes"), "off");
    assert_eq!(sql(&url, "select word from t"), "kept");
    let encoding = "select pg_encoding_to_char(encoding) || ' ' || datcollate from pg_database \
                    where datname = current_database()";
    assert_eq!(sql(&url, encoding), "UTF8 C.UTF-8");
    server.stop().expect("clean stop");

    let mode = fs::metadata(home(&dir)).expect("home").permissions().mode();
    assert_eq!(mode & 0o777, 0o700, "only the owner may reach the socket");
}

#[test]
fn dropping_the_handle_stops_the_server() {
    let tmp = tempfile::tempdir().expect("temp dir");
    let server = start(tmp.path());
    let pid = server.pid().expect("it runs");
    drop(server);
    assert!(!support::runs(pid), "dropped but pid {pid} lives");
    let data = home(tmp.path()).join("data");
    assert!(!data.join("postmaster.pid").exists(), "no clean shutdown");
}

#[test]
fn the_server_outlives_the_thread_that_started_it() {
    let tmp = tempfile::tempdir().expect("temp dir");
    let dir = tmp.path().to_owned();
    let server = std::thread::spawn(move || start(&dir))
        .join()
        .expect("starter thread ends");
    assert_eq!(sql(&server.url("postgres"), "select 1"), "1");
    server.stop().expect("clean stop");
}

#[test]
fn a_second_start_is_refused_with_the_owners_pid() {
    let tmp = tempfile::tempdir().expect("temp dir");
    let served = Served::start(tmp.path());
    let error = Server::start(&binaries(), tmp.path(), Mode::Test).expect_err("directory in use");
    let text = error.to_string();
    let part = format!("is in use by pid {}", served.process());
    assert!(matches!(error, Error::InUse { .. }), "{text}");
    assert!(text.contains(&part), "{part} missing in: {text}");
    assert_eq!(
        sql(&served.url, "select 1"),
        "1",
        "the owner is undisturbed"
    );
}

#[test]
fn a_server_that_is_killed_is_started_again_with_its_data() {
    let tmp = tempfile::tempdir().expect("temp dir");
    let server = start(tmp.path());
    let url = server.url("postgres");
    sql(&url, "create table t as select 'kept' as word");
    for _ in 0..2 {
        let killed = server.pid().expect("it runs");
        support::send_signal("KILL", killed);
        until("the server to run again", || {
            server.pid().is_some_and(|pid| pid != killed)
        });
        assert_eq!(sql(&url, "select word from t"), "kept");
        assert!(!support::runs(killed), "the dead server is reaped");
    }
    server.stop().expect("clean stop");
}

#[test]
fn a_server_that_cannot_start_again_can_be_stopped() {
    let tmp = tempfile::tempdir().expect("temp dir");
    let server = start(tmp.path());
    let killed = server.pid().expect("it runs");
    fs::remove_file(home(tmp.path()).join("data/PG_VERSION")).expect("removed");
    support::send_signal("KILL", killed);
    until("the death to be seen", || server.pid().is_none());
    server.stop().expect("nothing is left to stop");
}

#[test]
fn a_path_with_blanks_and_signs_works() {
    let tmp = tempfile::tempdir().expect("temp dir");
    let dir = tmp.path().join("a b'c + d%41 é");
    let server = start(&dir);
    assert!(server.socket_dir().starts_with(&dir));
    assert_eq!(sql(&server.url("postgres"), "select 1"), "1");
    server.stop().expect("clean stop");
}

#[test]
fn a_path_no_socket_can_have_gets_a_private_one_in_tmp() {
    let tmp = tempfile::tempdir().expect("temp dir");
    let long = tmp.path().join("x".repeat(60)).join("y".repeat(60));
    for dir in [long, tmp.path().join("with, \"separators\"")] {
        let server = start(&dir);
        let sockets = server.socket_dir().to_owned();
        assert!(sockets.starts_with("/tmp"), "{}", sockets.display());
        assert!(!sockets.starts_with(tmp.path()), "{}", sockets.display());
        let mode = fs::metadata(&sockets)
            .expect("sockets")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o700);
        assert_eq!(sql(&server.url("postgres"), "select 1"), "1");
        server.stop().expect("clean stop");
        assert!(!sockets.exists(), "the directory in /tmp was left behind");
    }
}

#[test]
fn a_killed_parent_takes_the_server_along_and_the_next_start_recovers() {
    let tmp = tempfile::tempdir().expect("temp dir");
    let mut served = Served::start(tmp.path());
    sql(&served.url, "create table t (n int)");
    for round in 1..=3 {
        sql(&served.url, &format!("insert into t values ({round})"));
        let busy = support::busy_session(&served.url);
        let server = served.server;
        served.kill();
        if round == 1 {
            until("the server to be gone", || !support::runs(server));
        }
        // Later rounds start at once, while the backends still stop.
        served = Served::start(tmp.path());
        assert!(!support::runs(server), "two servers on one directory");
        let count = sql(&served.url, "select count(*) from t");
        assert_eq!(count, round.to_string());
        busy.end();
    }
}

#[test]
fn a_stale_pid_file_that_names_a_live_stranger_is_no_obstacle() {
    let tmp = tempfile::tempdir().expect("temp dir");
    start(tmp.path()).stop().expect("clean stop");
    let data = home(tmp.path()).join("data");
    // As if the old server's id had been given out again.
    let mut stranger = Command::new("cat")
        .stdin(Stdio::piped())
        .spawn()
        .expect("cat runs");
    let stale = format!(
        "{}\n{}\n1\n5432\n\n\n\nready\n",
        stranger.id(),
        data.display()
    );
    fs::write(data.join("postmaster.pid"), &stale).expect("stale pid file");
    let lock = home(tmp.path()).join("sock/.s.PGSQL.5432.lock");
    fs::write(lock, stale).expect("stale socket lock");
    let server = start(tmp.path());
    assert_eq!(sql(&server.url("postgres"), "select 1"), "1");
    drop(stranger.stdin.take());
    stranger.wait().expect("the stranger was not harmed");
}

#[test]
fn a_start_waits_for_a_backend_that_outlives_its_killed_server() {
    let tmp = tempfile::tempdir().expect("temp dir");
    let served = Served::start(tmp.path());
    let busy = support::busy_session(&served.url);
    support::send_signal("STOP", busy.backend);
    served.kill();

    let dir = tmp.path().to_owned();
    let (done, started) = mpsc::channel();
    let starter = std::thread::spawn(move || done.send(start(&dir)));
    let early = started.recv_timeout(Duration::from_secs(2));
    let backend = busy.backend;
    support::send_signal("CONT", backend);
    assert!(early.is_err(), "started beside a live backend");
    let server = started.recv().expect("it starts when the backend is gone");
    assert!(!support::runs(backend));
    assert_eq!(sql(&server.url("postgres"), "select 1"), "1");
    busy.end();
    starter.join().expect("starter ends").expect("it was heard");
}

#[test]
fn an_unfinished_initdb_is_done_again() {
    let tmp = tempfile::tempdir().expect("temp dir");
    let unfinished = home(tmp.path()).join("data.new/base");
    fs::create_dir_all(&unfinished).expect("remains of a killed initdb");
    let server = start(tmp.path());
    assert_eq!(sql(&server.url("postgres"), "select 1"), "1");
    assert!(!home(tmp.path()).join("data.new").exists());
}

#[test]
fn data_of_another_version_is_refused_and_left_alone() {
    let tmp = tempfile::tempdir().expect("temp dir");
    for (name, found) in [("pg9", "9"), (&*format!("pg{}", binaries().major()), "9.6")] {
        let dir = tmp.path().join(found);
        let data = dir.join(name).join("data");
        fs::create_dir_all(&data).expect("other data");
        fs::write(data.join("PG_VERSION"), format!("{found}\n")).expect("version file");
        let error = Server::start(&binaries(), &dir, Mode::Test).expect_err("other version");
        let text = error.to_string();
        assert!(matches!(error, Error::WrongVersion { .. }), "{text}");
        assert!(text.contains(&format!("PostgreSQL {found}")), "{text}");
        assert!(text.contains("set PG_BIN"), "{text}");
        assert!(data.join("PG_VERSION").exists());
    }
}

#[test]
fn a_server_that_cannot_start_shows_the_end_of_its_log() {
    let tmp = tempfile::tempdir().expect("temp dir");
    start(tmp.path()).stop().expect("clean stop");
    let conf = home(tmp.path()).join("data/postgresql.conf");
    fs::write(&conf, "nonsense = 1\n").expect("broken configuration");
    let error = Server::start(&binaries(), tmp.path(), Mode::Test).expect_err("broken");
    let text = error.to_string();
    assert!(matches!(error, Error::NotReady { .. }), "{text}");
    assert!(
        text.contains("unrecognized configuration parameter"),
        "{text}"
    );
    assert!(text.contains("postgres.log"), "{text}");
}

/// Runs `script` with `$1` the directory and `$2` the example in namespaces of
/// its own, without root's rights; gives the error text.
fn refused(namespaces: &[&str], script: &str, dir: &Path) -> String {
    let output = Command::new("unshare")
        .args(namespaces)
        .args(["--", "sh", "-c", script, "sh"])
        .args([dir, &serve_example()])
        .stdin(Stdio::null())
        .output()
        .expect("unshare of util-linux runs");
    assert_eq!(output.status.code(), Some(1), "not refused: {output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_directory_without_permission_is_named() {
    let tmp = tempfile::tempdir().expect("temp dir");
    let dir = tmp.path().join("closed");
    fs::create_dir(&dir).expect("directory");
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o500)).expect("close it");
    let user = ["--user", "--map-user=1000", "--map-group=1000"];
    let text = refused(&user, r#"exec "$2" "$1""#, &dir);
    assert!(text.contains("no permission to use"), "{text}");
    assert!(text.contains("closed"), "{text}");
    assert!(text.contains("uid 1000"), "{text}");
}

#[test]
fn a_full_disk_is_named_and_nothing_half_made_is_left() {
    let tmp = tempfile::tempdir().expect("temp dir");
    let root = ["--user", "--map-root-user", "--mount"];
    // The mount ends with the script, so the script lists what is left.
    let script = r#"mount -t tmpfs -o size=8m none "$1" || exit 9
        "$2" "$1"; code=$?; ls "$1"/pg* >&2; exit $code"#;
    let text = refused(&root, script, tmp.path());
    assert!(text.contains("no space left on the device of"), "{text}");
    assert!(text.contains("\nsock\n"), "not listed: {text}");
    assert!(!text.contains("data"), "left behind: {text}");
}
