//! Exports to a store of objects, and back, against a server that speaks the S3 protocol.

use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use threadlore_testkit::not_run;

use super::cluster::{Cluster, ROLES};
use super::desk::desk;
use super::restore::grow;
use super::support::{Place, Running, free_address, look_until};

/// A server of S3 (versitygw) with a bucket `backups`, a directory of the place.
struct Server {
    process: Child,
    at: SocketAddr,
}

impl Server {
    /// `None` where `./dev` has not built it: the test is reported as not run.
    fn start(place: &Place) -> Option<Self> {
        #[expect(clippy::disallowed_methods, reason = "as ./dev sets it")]
        let program = std::env::var_os("THREADLORE_S3");
        let Some(program) = program else {
            not_run("no server of S3 was built (THREADLORE_S3 is not set)");
            return None;
        };
        let root = place.path().join("objects");
        std::fs::create_dir_all(root.join("backups")).expect("a bucket");
        let at = free_address();
        let mut command = Command::new(program);
        command
            .env("ROOT_ACCESS_KEY_ID", "lore")
            .env("ROOT_SECRET_ACCESS_KEY", "a-secret-of-the-test")
            .args(["--quiet", "--port", &at.to_string(), "posix", "--nometa"])
            .arg(root)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let process = command.spawn().expect("the server starts");
        look_until(|| TcpStream::connect(at).is_ok());
        Some(Self { process, at })
    }

    /// A place whose settings name it.
    fn settings(&self, place: &Place, secret: &str) {
        let settings = self.section(place, secret);
        place.file("threadlore.toml", settings);
    }

    /// The part of a place's settings that names it.
    fn section(&self, place: &Place, secret: &str) -> String {
        place.file("secret.key", secret);
        format!(
            "[s3]\nendpoint = \"http://{}\"\naccess_key_id = \"lore\"\n\
             secret_access_key_file = \"secret.key\"\ntimeout_seconds = 5\n",
            self.at
        )
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

#[test]
fn a_space_goes_to_a_bucket_and_comes_back() {
    let from = desk();
    let Some(server) = Server::start(&from) else {
        return;
    };
    server.settings(&from, "a-secret-of-the-test");
    let bucket = from.path().join("objects/backups");
    let told = from.json(&["export", "s3://backups/nightly/{time}"]);
    let to = told["to"].as_str().expect("an address").to_owned();
    assert!(to.starts_with("s3://backups/nightly/2"), "{told}");
    let there = bucket.join(to.trim_start_matches("s3://backups/"));
    let names = || {
        let all = std::fs::read_dir(&there).expect("written");
        let all = all.map(|entry| entry.expect("a file").file_name());
        let mut all: Vec<_> = all.map(|name| name.into_string().expect("UTF-8")).collect();
        all.sort();
        all
    };
    assert_eq!(names(), ["keys.jsonl", "manifest.json", "records.avro"]);

    let back = Place::beside(&from);
    server.settings(&back, "a-secret-of-the-test");
    let planned = back.json(&["restore", "--dry-run", &to]);
    assert_eq!(planned["records"], told["records"]);
    // The newest, by the address of the exports.
    std::fs::create_dir_all(bucket.join("nightly/20260101T000000Z")).expect("an older one");
    std::fs::write(bucket.join("nightly/20260101T000000Z/manifest.json"), "{}").expect("written");
    let newest = back.json(&["restore", "s3://backups/nightly/{time}"]);
    assert_eq!(newest["exported_at"], planned["exported_at"]);
    assert_eq!(newest["records"], told["records"]);
    from.verified().is_same_as(&back.verified());

    let tables = from.json(&["export", "--tables", "s3://backups/tables"]);
    assert_eq!(tables["to"], "s3://backups/tables");
    assert!(bucket.join("tables/cases.parquet").exists());

    let refused = |place: &Place, args: &[&str], code: i32, reason: &str| {
        let ran = place.run(args);
        assert_eq!(ran.code, Some(code), "{}", ran.err);
        assert!(ran.err.contains(reason), "{}", ran.err);
    };
    refused(&from, &["export", &to], 3, "is not empty");
    refused(&from, &["export", "s3://backups"], 3, "names no place");
    refused(
        &back,
        &["restore", "s3://backups/none"],
        3,
        "nothing is at s3://backups/none",
    );
    refused(
        &back,
        &["restore", "s3://backups/none/{time}"],
        3,
        "no export is at s3://backups/none/{time}",
    );
    refused(&from, &["export", "s3://nowhere/x"], 1, "s3://nowhere/x");
    let stranger = Place::beside(&from);
    server.settings(&stranger, "another-secret");
    refused(&stranger, &["restore", &to], 1, &to);
    drop(server);
    refused(
        &from,
        &["export", "s3://backups/late"],
        1,
        "s3://backups/late",
    );
    std::fs::remove_file(from.path().join("threadlore.toml")).expect("settings");
    refused(
        &from,
        &["export", "s3://backups/late"],
        3,
        "s3.access_key_id",
    );
}

/// The log, the tables, the keys and the index are gone, and all that is left is the bucket and the key for people:
/// docs/lost.md, as it is written there.
#[test]
fn a_destroyed_installation_comes_back_from_its_bucket() {
    // given
    let bucket = Place::new();
    let Some(server) = Server::start(&bucket) else {
        return;
    };
    let installation = || {
        let place = Place::new();
        let section = server.section(&place, "a-secret-of-the-test");
        Cluster::start(place, &section)
    };
    let Some(cluster) = installation() else {
        return;
    };
    let running = |cluster: &Cluster| {
        let mut processes = [cluster.run(&ROLES), cluster.run(&ROLES)];
        for process in &mut processes {
            assert!(process.wait_for("running "), "{}", process.said());
        }
        processes
    };
    let spaces = ["one", "two"];
    let before = {
        let processes = running(&cluster);
        for space in spaces {
            grow(&cluster.place, space);
            let to = format!("s3://backups/{space}/{{time}}");
            cluster.place.json(&["export", "--space", space, &to]);
        }
        let before = cluster.place.verified();
        for process in processes {
            process.kill();
        }
        before
    };
    let people = std::fs::read(cluster.place.path().join("people.key")).expect("the key");
    drop(cluster);
    // when
    #[expect(clippy::disallowed_methods, reason = "the test's own wall time")]
    let begun = Instant::now();
    let Some(cluster) = installation() else {
        return;
    };
    let path = cluster.place.path();
    std::fs::write(path.join("people.key"), people).expect("brought");
    std::fs::write(path.join("master.key"), "a1b2".repeat(16)).expect("another one");
    let processes = running(&cluster);
    let ready = begun.elapsed();
    let mut records = 0;
    for space in spaces {
        let from = format!("s3://backups/{space}/{{time}}");
        let told = cluster.place.json(&["restore", &from]);
        records += told["appended"].as_u64().expect("a number");
    }
    let restored = begun.elapsed();
    // then
    let after = cluster.place.verified();
    before.is_same_as(&after);
    println!(
        "an empty installation after {:.1} s, {records} records of {} spaces back after {:.1} s",
        ready.as_secs_f64(),
        spaces.len(),
        restored.as_secs_f64()
    );
    processes.into_iter().for_each(Running::stop);
}
