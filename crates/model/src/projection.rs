//! The table of tables: every projection with its name, its topic and the rows that it holds.

use std::fmt;
use std::str::FromStr;

use crate::Topic;

/// Passes the table of tables to a macro: a projection is an entry here, and no other list names
/// them all.
///
/// An entry is `Variant "name" from Topic { Kind(RowType: ChildType, …), … }`. `threadlore-fold`
/// has the row types: each is one table, and each of its children is a table more, whose rows
/// are folded, written and deleted with the row that they belong to. `threadlore-store-postgres`
/// has the tables in `sql/<name>.sql`.
#[macro_export]
macro_rules! projections {
    ($then:ident) => {
        $then! {
            /// Messages and reactions, from `chat.events`.
            Messages "messages" from ChatEvents { Message(MessageRow), Reaction(ReactionRow) }
            /// Cases, their evidence and confirmations, from `knowledge.cases`.
            Cases "cases" from KnowledgeCases { Case(Box<Case>: EvidenceRow, ConfirmationRow) }
            /// What the system was told to remember, from `knowledge.memories`.
            Memories "memories" from KnowledgeMemories { Memory(MemoryRow) }
            /// What became of turns, and answers to them, from `answers`.
            Turns "turns" from Answers { Turn(Box<TurnRow>: CitationRow, RatingRow) }
            /// What gateways sent, from `deliveries`.
            Deliveries "deliveries" from Deliveries { Delivery(DeliveryRow) }
            /// What answers were worth, from `outcomes`.
            Outcomes "outcomes" from Outcomes { Outcome(OutcomeRow) }
            /// Channels and their admins, from `settings`.
            Channels "channels" from Settings { Channel(ChannelRow) }
            /// Vectors that models made of cases, from `vectors`.
            Vectors "vectors" from Vectors { Vector(VectorRow) }
        }
    };
}

macro_rules! define {
    ($($(#[$doc:meta])* $projection:ident $name:literal from $topic:ident $rows:tt)+) => {
        /// Tables for readers, folded from one topic.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Projection { $($(#[$doc])* $projection),+ }

        impl Projection {
            /// Every projection.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$projection),+];

            /// Its name in commands, schemas and groups: `a-z` only.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$projection => $name),+ }
            }

            /// The one topic it is folded from.
            #[must_use]
            pub const fn topic(self) -> Topic {
                match self { $(Self::$projection => Topic::$topic),+ }
            }

            /// The same topic as a list, as roles name their inputs.
            #[must_use]
            pub const fn inputs(self) -> &'static [Topic] {
                match self { $(Self::$projection => &[Topic::$topic]),+ }
            }
        }
    };
}
projections!(define);

impl fmt::Display for Projection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Projection {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        let mut all = Self::ALL.into_iter();
        all.find(|p| p.name() == name).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|p| p.name()).collect();
            let names = names.join(", ");
            format!("no projection is named {name:?}; the projections are {names}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Projection;

    #[test]
    fn a_projection_is_found_by_its_name_and_an_unknown_name_is_answered_with_all() {
        for projection in Projection::ALL {
            assert_eq!(projection.name().parse(), Ok(projection));
            // The name is part of SQL statements.
            assert!(projection.name().bytes().all(|c| c.is_ascii_lowercase()));
        }
        let unknown = "case".parse::<Projection>();
        let said = "no projection is named \"case\"; the projections are messages, cases, ";
        assert!(unknown.is_err_and(|e| e.starts_with(said)));
    }
}
