//! The access rules that `threadlore topics render acls` prints, on a node of Kafka that denies
//! what nobody allowed: each role may do what it needs, and nothing else.

use std::time::{Duration, Instant};

use rdkafka::admin::{
    AdminClient, AdminOptions, AlterConfig, NewTopic, ResourceSpecifier, TopicReplication,
};
use rdkafka::client::DefaultClientContext;
use rdkafka::consumer::{BaseConsumer, Consumer as _};
use rdkafka::error::{KafkaError, RDKafkaErrorCode as Code};
use rdkafka::producer::{FutureProducer, FutureRecord};
use rdkafka::{ClientConfig, Offset as At, TopicPartitionList};
use threadlore_log_kafka::{KafkaLog, KafkaOptions, Plan, Planned};
use threadlore_model::{Role, Topic};
use threadlore_ports::Class;
use threadlore_schema::Topics;
use threadlore_schema::render::{READERS, Resource, acls, grants, user_of};
use threadlore_testkit::SecureKafka;

use crate::support::Wall;

/// A wrong answer fails, a slow machine does not.
const PATIENCE: Duration = Duration::from_secs(60);

fn options(secure: &SecureKafka, properties: &str) -> KafkaOptions {
    KafkaOptions {
        bootstrap: secure.kafka.bootstrap(),
        client: KafkaOptions::properties(properties).expect("properties"),
        ..KafkaOptions::default()
    }
}

/// A client of a user that is none of ours.
fn client(secure: &SecureKafka, properties: &str) -> ClientConfig {
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", secure.kafka.bootstrap());
    for (name, value) in options(secure, properties).client {
        config.set(name, value);
    }
    config
}

/// Whether the cluster allowed what ended so; anything but that and a denial fails the test.
fn allowed<T>(ended: Result<T, Code>, what: &str) -> bool {
    match ended {
        Ok(_) => true,
        Err(Code::TopicAuthorizationFailed | Code::GroupAuthorizationFailed) => false,
        Err(code) => panic!("{what}: {code}"),
    }
}

#[expect(clippy::disallowed_methods, reason = "the test's own wall time")]
fn now() -> Instant {
    Instant::now()
}

/// Whether partition 0 can be read, of each topic.
fn reads(consumer: &BaseConsumer, topic: Topic) -> bool {
    let mut list = TopicPartitionList::new();
    list.add_partition_offset(topic.name(), 0, At::Beginning)
        .expect("added");
    consumer.assign(&list).expect("assigned");
    let began = now();
    while began.elapsed() < PATIENCE {
        match consumer.poll(Duration::from_secs(1)) {
            Some(Ok(_)) | Some(Err(KafkaError::PartitionEOF(_))) => return true,
            Some(Err(error)) => match error.rdkafka_error_code() {
                Some(Code::TopicAuthorizationFailed) => return false,
                // Of the group that it names, which it need not have to read.
                Some(Code::GroupAuthorizationFailed) => {}
                _ => panic!("{topic}: {error}"),
            },
            None => {}
        }
    }
    panic!("{topic}: neither a record nor a denial");
}

/// Whether a group can be joined.
fn joins(config: &ClientConfig, group: &str, topic: Topic) -> bool {
    let mut config = config.clone();
    config
        .set("group.id", group)
        .set("enable.auto.commit", "false");
    let member = config.create();
    let member: BaseConsumer = member.expect("a client");
    member.subscribe(&[topic.name()]).expect("subscribed");
    let began = now();
    while began.elapsed() < PATIENCE {
        match member.poll(Duration::from_millis(200)) {
            Some(Err(error)) => match error.rdkafka_error_code() {
                Some(Code::GroupAuthorizationFailed) => return false,
                // It joined, and may not read.
                Some(Code::TopicAuthorizationFailed) => return true,
                _ => panic!("{group}: {error}"),
            },
            _ if member.assignment().expect("told").count() > 0 => return true,
            _ => {}
        }
    }
    panic!("{group}: neither partitions nor a denial");
}

async fn writes(producer: &FutureProducer, topic: Topic) -> bool {
    let record = FutureRecord::<[u8], [u8]>::to(topic.name())
        .partition(0)
        .payload(b"x");
    let sent = producer.send(record, PATIENCE).await;
    let sent = sent.map_err(|(error, _)| error.rdkafka_error_code().expect("a code"));
    allowed(sent, topic.name())
}

/// Makes the topics, the users of all roles, and their rules as they are printed.
async fn prepared(secure: &mut SecureKafka) {
    let admin = options(secure, &secure.admin());
    let plan = Plan::look(&admin, Topics::embedded()).await.expect("looks");
    plan.create_missing(&admin, 1).await.expect("made");
    for user in secure.run_acls(&acls(Topics::embedded())) {
        secure.add_user(&user);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_printed_rules_allow_what_a_role_needs_and_nothing_else() {
    let dir = tempfile::tempdir().expect("a directory");
    let Some(mut secure) = SecureKafka::start(dir.path()) else {
        return;
    };
    prepared(&mut secure).await;
    let topics = Topics::embedded();
    let with_rights = Role::ALL
        .into_iter()
        .filter(|role| !grants(topics, *role).is_empty());
    let roles: Vec<Role> = with_rights.collect();
    for (number, &role) in roles.iter().enumerate() {
        let grants = grants(topics, role);
        let may = |topic, operation| {
            let on = |on| on == Resource::Topic(topic);
            let mut of = grants.iter().filter(|grant| on(grant.on));
            of.any(|grant| grant.operations.contains(&operation))
        };
        let properties = secure.properties(&user_of(role));
        let config = client(&secure, &properties);
        // What it may do to each topic.
        let mut reader = config.clone();
        reader
            .set("group.id", READERS)
            .set("enable.auto.commit", "false")
            .set("enable.partition.eof", "true");
        let reader: BaseConsumer = reader.create().expect("a client");
        let producer: FutureProducer = config.create().expect("a client");
        let admin: AdminClient<DefaultClientContext> = config.create().expect("a client");
        for topic in Topic::ALL {
            assert_eq!(
                reads(&reader, topic),
                may(topic, "Read"),
                "{role} reads {topic}"
            );
            let wrote = writes(&producer, topic).await;
            assert_eq!(wrote, may(topic, "Write"), "{role} writes {topic}");
        }
        // Its own groups, and no other's.
        let topic = Topic::KnowledgeCases;
        let groups = grants
            .iter()
            .any(|grant| grant.on == Resource::Groups(role));
        let own = format!("{role}.g1");
        assert_eq!(joins(&config, &own, topic), groups, "{role} joins {own}");
        let other = roles[(number + 1) % roles.len()];
        assert!(!joins(&config, other.name(), topic), "{role} joins {other}");
        // Nothing that changes topics.
        let options = AdminOptions::new();
        // The client does not tell which of these are refused: what they changed is looked at below.
        let alter = ResourceSpecifier::Topic(topic.name());
        let alter = AlterConfig::new(alter).set("retention.ms", "1000");
        admin.alter_configs(&[alter], &options).await.expect("told");
        let new = NewTopic::new("new", 1, TopicReplication::Fixed(1));
        let made = admin.create_topics(&[new], &options).await.expect("told");
        let made = made.into_iter().next().expect("an answer");
        assert!(
            !allowed(made.map_err(|(_, code)| code), "making"),
            "{role} makes a topic"
        );
        let deleted = admin.delete_topics(&[topic.name()], &options).await;
        let deleted = deleted
            .expect("told")
            .into_iter()
            .next()
            .expect("an answer");
        let deleted = deleted.map_err(|(_, code)| code);
        assert!(!allowed(deleted, "deleting"), "{role} deletes {topic}");
    }
    let admin = options(&secure, &secure.admin());
    let plan = Plan::look(&admin, topics).await.expect("looks");
    for (topic, planned) in &plan.topics {
        assert_eq!(*planned, Planned::Nothing, "{topic}");
    }
    // Named, so that nobody has to believe the loop above.
    let may = |role, topic, operation| {
        let on = |grant: &threadlore_schema::render::Grant| grant.on == Resource::Topic(topic);
        let grants = grants(topics, role);
        let mut of = grants.iter().filter(|grant| on(grant));
        of.any(|grant| grant.operations.contains(&operation))
    };
    assert!(!may(Role::Extractor, Topic::ChatEvents, "Write"));
    assert!(may(Role::Extractor, Topic::KnowledgeCases, "Write"));
    assert!(!may(Role::Gateway, Topic::ChatInbox, "Read"));
}

/// Refused logins and topics that may not be described or made are told at the start.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_cluster_refuses_at_the_start_is_told() {
    let dir = tempfile::tempdir().expect("a directory");
    let Some(mut secure) = SecureKafka::start(dir.path()) else {
        return;
    };
    prepared(&mut secure).await;
    let user = user_of(Role::Buffer);
    let good = secure.properties(&user);
    let topics = Topics::embedded().clone();
    let refused = async |properties: &str| {
        let options = options(&secure, properties);
        let clock = std::sync::Arc::new(Wall);
        let refused = KafkaLog::connect(options, topics.clone(), None, clock).await;
        let refused = refused.err().expect("refused");
        assert_eq!(refused.class(), Class::Fatal, "{refused:?}");
        let said = refused.to_string();
        println!("{said}");
        assert!(!said.contains("the-secret-of"), "{said}");
        said
    };
    let other = good.replace("the-secret-of", "another-secret-of");
    let said = refused(&other).await;
    assert!(
        said.contains("refuses the login of user threadlore-buffer: look at sasl.username"),
        "{said}"
    );
    let nobody = secure.properties("nobody");
    let said = refused(&nobody).await;
    assert!(said.contains("refuses the login of user nobody"), "{said}");
    let mechanism = good.replace("SCRAM-SHA-512", "SCRAM-SHA-256");
    let said = refused(&mechanism).await;
    assert!(
        said.contains("sasl.mechanism in the file that kafka.properties_file names"),
        "{said}"
    );
    // A user without any rule.
    let (stranger, all) = ("stranger", Topics::embedded().iter().count());
    secure.add_user(stranger);
    let stranger = secure.properties(stranger);
    let clock = std::sync::Arc::new(Wall);
    let log = KafkaLog::connect(options(&secure, &stranger), topics.clone(), None, clock).await;
    let said = log.err().expect("refused").to_string();
    println!("{said}");
    assert!(
        said.contains("denies user stranger Describe on topics chat.inbox, "),
        "{said}"
    );
    assert_eq!(said.matches("--topic ").count(), all, "{said}");

    // A user who may look, and not make.
    let deleted: AdminClient<DefaultClientContext> =
        client(&secure, &secure.admin()).create().expect("a client");
    let name = Topic::Vectors.name();
    let deleted = deleted.delete_topics(&[name], &AdminOptions::new()).await;
    deleted.expect("told")[0].as_ref().expect("deleted");
    let plain = options(&secure, &good);
    let made = async {
        loop {
            let plan = Plan::look(&plain, Topics::embedded()).await.expect("looks");
            let created = plan.create_missing(&plain, 1).await;
            // Until all of the cluster knows that it is gone.
            if !matches!(&created, Ok(made) if made.is_empty()) {
                break created;
            }
        }
    };
    let refused = made.await.expect_err("may not");
    let said = refused.to_string();
    println!("{said}");
    assert!(
        said.contains("denies user threadlore-buffer Create on topic vectors: grant"),
        "{said}"
    );
}
