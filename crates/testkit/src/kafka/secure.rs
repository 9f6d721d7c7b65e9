//! A node of Kafka as a careful operator has it: TLS, users by SCRAM-SHA-512, and access rules
//! that deny what no rule allows.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::commands::Commands;
use super::{Kafka, KafkaSetup, script};
use crate::not_run::not_run;

const ADMIN: &str = "admin";

/// The node, and the tools to manage it; they end with this, and with this process.
pub struct SecureKafka {
    dir: PathBuf,
    /// The cluster.
    pub kafka: Kafka,
    commands: Commands,
}

impl SecureKafka {
    /// Starts one without users but `admin`, who may do everything. Where none can run here,
    /// the test is reported as not run, and there is none.
    ///
    /// # Panics
    /// When it does not start, with the last lines of its log.
    #[must_use]
    pub fn start(dir: &Path) -> Option<Self> {
        std::fs::create_dir_all(dir).expect("a directory");
        if let Err(reason) = certificates(dir) {
            not_run(&reason);
            return None;
        }
        let at = |name: &str| dir.join(name).display().to_string();
        let authorizer = "org.apache.kafka.metadata.authorizer.StandardAuthorizer";
        let kafka = KafkaSetup::default()
            .clients_by("SASL_SSL")
            .property("authorizer.class.name", authorizer)
            .property("allow.everyone.if.no.acl.found", "false")
            // The nodes among themselves, and Kafka::plain.
            .property("super.users", &format!("User:{ADMIN};User:ANONYMOUS"))
            .property("sasl.enabled.mechanisms", "SCRAM-SHA-512")
            .property(
                "listener.name.clients.scram-sha-512.sasl.jaas.config",
                "org.apache.kafka.common.security.scram.ScramLoginModule required;",
            )
            .property("ssl.keystore.type", "PEM")
            .property("ssl.keystore.location", &at("broker.pem"))
            .property("ssl.truststore.type", "PEM")
            .property("ssl.truststore.location", &at("ca.pem"))
            .format("--add-scram")
            .format(&format!(
                "SCRAM-SHA-512=[name={ADMIN},password={}]",
                password(ADMIN)
            ))
            .start(&dir.join("nodes"))?;
        let login = format!(
            "security.protocol=SASL_SSL\n\
             sasl.mechanism=SCRAM-SHA-512\n\
             sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required \
             username=\"{ADMIN}\" password=\"{}\";\n\
             ssl.truststore.type=PEM\n\
             ssl.truststore.location={}\n",
            password(ADMIN),
            at("ca.pem")
        );
        std::fs::write(dir.join("admin.properties"), login).expect("written");
        Some(Self {
            dir: dir.to_owned(),
            kafka,
            commands: Commands::start(script(&["commands"])),
        })
    }

    /// Properties of librdkafka with which a client is this user.
    #[must_use]
    pub fn properties(&self, user: &str) -> String {
        format!(
            "security.protocol=SASL_SSL\n\
             ssl.ca.location={}\n\
             sasl.mechanism=SCRAM-SHA-512\n\
             sasl.username={user}\n\
             sasl.password={}\n",
            self.dir.join("ca.pem").display(),
            password(user)
        )
    }

    /// The same of the user who may do everything.
    #[must_use]
    pub fn admin(&self) -> String {
        self.properties(ADMIN)
    }

    /// Makes a user, who may do nothing.
    pub fn add_user(&mut self, user: &str) {
        let credentials = format!(
            "SCRAM-SHA-512=[iterations=4096,password={}]",
            password(user)
        );
        let words = [
            "--alter",
            "--add-config",
            &credentials,
            "--entity-type",
            "users",
        ];
        let words = [&words[..], &["--entity-name", user]].concat();
        self.tool("kafka-configs.sh", &words);
    }

    /// Runs a shell script that calls `kafka-acls.sh` with the words that
    /// `threadlore topics render acls` prints; returns the users it names.
    ///
    /// # Panics
    /// When the script, or a call in it, fails.
    pub fn run_acls(&mut self, text: &str) -> Vec<String> {
        let (bin, calls) = (self.dir.join("bin"), self.dir.join("calls"));
        std::fs::create_dir_all(&bin).expect("a directory");
        // Writes down its words; they are run by the machine that is there already.
        let tool = bin.join("kafka-acls.sh");
        let writes = "#!/bin/sh\nprintf '%s\\037' \"$@\" >>\"$CALLS\"\necho >>\"$CALLS\"\n";
        std::fs::write(&tool, writes).expect("written");
        let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&tool, executable).expect("set");
        std::fs::write(&calls, "").expect("written");
        let file = self.dir.join("acls.sh");
        std::fs::write(&file, text).expect("written");
        let ran = Command::new("sh")
            .arg("-c")
            .arg("PATH=\"$0:$PATH\" exec sh \"$1\"")
            .args([&bin, &file])
            .env("CALLS", &calls)
            .env("KAFKA_BOOTSTRAP", self.kafka.bootstrap())
            .env("KAFKA_CLIENT_CONFIG", self.dir.join("admin.properties"))
            .status();
        assert!(
            ran.expect("sh starts").success(),
            "the script failed: {text}"
        );
        let calls = std::fs::read_to_string(&calls).expect("written");
        let mut users = Vec::new();
        for call in calls.lines() {
            let words: Vec<String> = call.split_terminator('\u{1f}').map(str::to_owned).collect();
            let named = words.iter().filter_map(|word| word.strip_prefix("User:"));
            users.extend(named.map(str::to_owned));
            let words = [&["kafka-acls.sh".to_owned()], &words[..]].concat();
            self.commands.run(&words);
        }
        users.sort();
        users.dedup();
        users
    }

    /// Allows a user an operation on a resource, in the words of `kafka-acls.sh`, such as
    /// `Read` and `--topic`, `chat.events`; or takes that right away.
    pub fn set_right(&mut self, allow: bool, user: &str, operation: &str, on: &[&str]) {
        let principal = format!("User:{user}");
        let how: &[&str] = if allow {
            &["--add"]
        } else {
            &["--remove", "--force"]
        };
        let what = ["--allow-principal", &principal, "--operation", operation];
        self.tool("kafka-acls.sh", &[how, &what, on].concat());
    }

    fn tool(&mut self, name: &str, words: &[&str]) -> String {
        let (bootstrap, config) = (self.kafka.bootstrap(), self.dir.join("admin.properties"));
        let mut all = vec![name.to_owned(), "--bootstrap-server".to_owned(), bootstrap];
        all.push("--command-config".to_owned());
        all.push(config.display().to_string());
        all.extend(words.iter().map(|word| (*word).to_owned()));
        self.commands.run(&all)
    }
}

fn password(user: &str) -> String {
    format!("the-secret-of-{user}")
}

/// Makes an authority and, signed by it, the certificate of a broker on the loopback interface,
/// all as PEM; or says why it cannot.
fn certificates(dir: &Path) -> Result<(), String> {
    let openssl = |words: &str| {
        let mut command = Command::new("openssl");
        let ran = command.args(words.split(' ')).current_dir(dir).output();
        let ran = ran.map_err(|e| format!("openssl cannot be started ({e}): install it"))?;
        match ran.status.success() {
            true => Ok(()),
            false => Err(format!(
                "openssl {words}: {}",
                String::from_utf8_lossy(&ran.stderr)
            )),
        }
    };
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    openssl(&format!(
        "req -x509 {key} -days 2 -subj /CN=authority -keyout ca.key -out ca.pem"
    ))?;
    // Signed nothing here.
    openssl(&format!(
        "req -x509 {key} -days 2 -subj /CN=other -keyout other.key -out other.pem"
    ))?;
    openssl(&format!(
        "req {key} -subj /CN=broker -keyout broker.key -out broker.csr"
    ))?;
    std::fs::write(dir.join("names"), "subjectAltName=IP:127.0.0.1\n").expect("written");
    openssl(
        "x509 -req -in broker.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names \
         -out broker.crt",
    )?;
    let parts = ["broker.key", "broker.crt"].map(|name| {
        let text = std::fs::read_to_string(dir.join(name));
        text.expect("openssl wrote it")
    });
    std::fs::write(dir.join("broker.pem"), parts.concat()).expect("written");
    Ok(())
}
