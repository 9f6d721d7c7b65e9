//! Exports to a store of objects, and back, against a server that speaks the S3 protocol.

use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};

use threadlore_testkit::not_run;

use super::desk::desk;
use super::support::{Place, free_address, look_until};

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
        place.file("secret.key", secret);
        let settings = format!(
            "[s3]\nendpoint = \"http://{}\"\naccess_key_id = \"lore\"\n\
             secret_access_key_file = \"secret.key\"\ntimeout_seconds = 5\n",
            self.at
        );
        place.file("threadlore.toml", settings);
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
    back.json(&["restore", &to]);
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
