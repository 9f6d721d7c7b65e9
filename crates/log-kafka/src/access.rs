//! Rights on a cluster with access rules. A missing right becomes one sentence with the user, the
//! right, the resource and the command that grants it.

use std::fmt;

use threadlore_model::{Group, Role, Topic};
use threadlore_schema::Topics;
use threadlore_schema::render::{Resource, grants, user_of};

/// The user that a client logs in as.
#[derive(Debug, Clone, Default)]
pub(crate) struct User {
    /// `sasl.username`; `None` if a certificate names the user.
    pub(crate) name: Option<String>,
}

/// An operation of Kafka's access rules on a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Right {
    operation: &'static str,
    on: On,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum On {
    Topics(Vec<Topic>),
    Group(String),
}

impl Right {
    pub(crate) fn read(topic: Topic) -> Self {
        Self::topics("Read", vec![topic])
    }

    /// It implies the right to write idempotently.
    pub(crate) fn write(topic: Topic) -> Self {
        Self::topics("Write", vec![topic])
    }

    pub(crate) fn describe(topics: Vec<Topic>) -> Self {
        Self::topics("Describe", topics)
    }

    pub(crate) fn describe_configs(topics: Vec<Topic>) -> Self {
        Self::topics("DescribeConfigs", topics)
    }

    pub(crate) fn create(topics: Vec<Topic>) -> Self {
        Self::topics("Create", topics)
    }

    pub(crate) fn delete(topic: Topic) -> Self {
        Self::topics("Delete", vec![topic])
    }

    /// The right to be a member of a group, and to commit offsets in it.
    pub(crate) fn join(group: &Group) -> Self {
        let (operation, on) = ("Read", On::Group(group.as_str().to_owned()));
        Self { operation, on }
    }

    pub(crate) fn describe_group(group: &str) -> Self {
        let (operation, on) = ("Describe", On::Group(group.to_owned()));
        Self { operation, on }
    }

    fn topics(operation: &'static str, topics: Vec<Topic>) -> Self {
        let on = On::Topics(topics);
        Self { operation, on }
    }

    /// Whether a role has this right by `topics.yaml`.
    fn is_of(&self, role: Role) -> bool {
        grants(Topics::embedded(), role).iter().any(|grant| {
            let covers = match (&self.on, grant.on) {
                (On::Topics(topics), Resource::Topic(topic)) => topics.contains(&topic),
                (On::Group(group), Resource::Groups(role)) => group.starts_with(role.name()),
                (On::Group(group), Resource::Group(name)) => group == name,
                _ => false,
            };
            covers && grant.operations.contains(&self.operation)
        })
    }

    /// The resource, such as `topic chat.events`.
    pub(crate) fn resource(&self) -> String {
        match &self.on {
            On::Group(group) => format!("group {group}"),
            On::Topics(topics) => {
                let names: Vec<&str> = topics.iter().map(|topic| topic.name()).collect();
                let plural = if names.len() == 1 { "" } else { "s" };
                format!("topic{plural} {}", names.join(", "))
            }
        }
    }

    /// As arguments of `kafka-acls.sh`.
    fn arguments(&self) -> String {
        let on = match &self.on {
            On::Topics(topics) => {
                let topics = topics.iter().map(|topic| format!("--topic {topic}"));
                topics.collect::<Vec<_>>().join(" ")
            }
            // A role's groups begin with its name.
            On::Group(group) => {
                match Role::ALL.iter().find(|role| group.starts_with(role.name())) {
                    Some(role) => format!("--group {role} --resource-pattern-type prefixed"),
                    None => format!("--group {group}"),
                }
            }
        };
        format!("--operation {} {on}", self.operation)
    }
}

impl fmt::Display for Right {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {}", self.operation, self.resource())
    }
}

impl User {
    /// The sentence about a right that the cluster denies.
    pub(crate) fn lacks(&self, right: &Right) -> String {
        let user = match &self.name {
            Some(name) => format!("user {name}"),
            None => "this user".to_owned(),
        };
        let roles = match self.roles(right)[..] {
            [] => String::new(),
            [role] => format!(", which the role {role} needs"),
            ref roles => {
                let names: Vec<&str> = roles.iter().map(|role| role.name()).collect();
                format!(", which the roles {} need", names.join(", "))
            }
        };
        let principal = self.name.as_deref().unwrap_or("NAME");
        format!(
            "Kafka denies {user} {right}{roles}: grant it with `kafka-acls.sh --add \
             --allow-principal User:{principal} {}`; `threadlore topics render acls` prints \
             every right of every role",
            right.arguments()
        )
    }

    /// The roles that need a right. If the user's name contains a role, only that one.
    fn roles(&self, right: &Right) -> Vec<Role> {
        let need = Role::ALL.into_iter().filter(|role| right.is_of(*role));
        let need: Vec<Role> = need.collect();
        let own = |role: &&Role| self.name.as_deref() == Some(user_of(**role).as_str());
        match need.iter().find(own) {
            Some(role) => vec![*role],
            None => need,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(name: &str) -> User {
        User {
            name: Some(name.to_owned()),
        }
    }

    #[test]
    fn a_denied_right_names_operation_resource_user_role_and_command() {
        let said = user("ann").lacks(&Right::write(Topic::KnowledgeCases));
        assert!(
            said.starts_with(
                "Kafka denies user ann Write on topic knowledge.cases, which the role"
            ),
            "{said}"
        );
        assert!(
            said.ends_with(
                ": grant it with `kafka-acls.sh --add --allow-principal User:ann --operation Write \
                 --topic knowledge.cases`; `threadlore topics render acls` prints every right of \
                 every role"
            ),
            "{said}"
        );
    }

    #[test]
    fn the_role_is_that_of_the_user_or_all_that_need_the_right() {
        let right = Right::read(Topic::ChatEvents);
        let said = user("threadlore-buffer").lacks(&right);
        assert!(
            said.contains("chat.events, which the role buffer needs: "),
            "{said}"
        );
        let said = user("ann").lacks(&right);
        assert!(
            said.contains(
                "which the roles intake, buffer, extractor, responder, projector, api need"
            ),
            "{said}"
        );
        let group = Group::from_name("projector.cases.g1");
        let said = User::default().lacks(&Right::join(&group));
        let begins =
            "Kafka denies this user Read on group projector.cases.g1, which the role projector";
        assert!(said.starts_with(begins), "{said}");
        assert!(
            said.contains("--operation Read --group projector --resource-pattern-type prefixed`"),
            "{said}"
        );
        let right = Right::create(vec![Topic::Vectors, Topic::Settings]);
        let said = user("threadlore-intake").lacks(&right);
        let begins =
            "Kafka denies user threadlore-intake Create on topics vectors, settings: grant";
        assert!(said.starts_with(begins), "{said}");
        assert!(
            said.contains("--operation Create --topic vectors --topic settings`"),
            "{said}"
        );
    }
}
