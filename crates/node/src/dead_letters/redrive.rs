//! Another try for dead letters.

use threadlore_model::{Event, SpaceId, Topic};
use threadlore_ports::{EventLog, NewRecord, PortError, all_partitions};
use threadlore_roles::redrive::redrive;
use threadlore_schema::{Codec, Topics};

use super::{DeadLetterPlace, Letter, dead_letters_from, one, record, redriven};
use crate::node::Node;

/// How many refusals are named; the others are counted.
const NAMED: usize = 20;

/// Which dead letters are tried again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WhichDeadLetters {
    /// The ones at these addresses.
    These(Vec<DeadLetterPlace>),
    /// All of a topic that there are when it begins.
    Of {
        /// The topic of dead letters.
        topic: Topic,
        /// Those of this space; of all if `None`.
        space: Option<SpaceId>,
        /// Those whose reason contains these words; all if it is empty.
        reason: String,
    },
}

/// What became of dead letters that were tried again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Redrive {
    /// An event was added for so many.
    pub redriven: u64,
    /// So many were redriven before; nothing was added.
    pub already: u64,
    /// So many cannot be redriven.
    pub refused: u64,
    /// The first of those.
    pub first_refused: Vec<RedriveRefusal>,
}

/// Why a dead letter cannot be redriven.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedriveRefusal {
    /// The dead letter.
    pub letter: DeadLetterPlace,
    /// Why, and what to do instead.
    pub reason: String,
}

impl Node {
    /// Tries dead letters again, each at most once; `dry_run` says what would be done.
    ///
    /// # Errors
    /// `BadInput` where one that is named is not there; `Unavailable` while a space is restored; what the log says.
    pub async fn redrive(
        &self,
        which: &WhichDeadLetters,
        dry_run: bool,
    ) -> anyhow::Result<Redrive> {
        let _inbox = self.store.hold_inbox().await?;
        let log = self.log.as_ref();
        self.check_not_restoring().await?;
        let mut done = Redrive::default();
        match which {
            WhichDeadLetters::These(places) => {
                let mut named = Vec::new();
                for place in places {
                    named.push(one(log, *place).await?);
                }
                done.take(log, named, dry_run).await?;
            }
            WhichDeadLetters::Of {
                topic,
                space,
                reason,
            } => {
                let is_meant = |letter: &Letter| {
                    let space = space.as_ref();
                    space.is_none_or(|space| letter.envelope.space == *space)
                        && letter.dead.reason.contains(reason)
                };
                for at in all_partitions(log, *topic) {
                    let range = log.range(at).await?;
                    let mut from = range.start;
                    // Later dead letters are not redriven by this one.
                    while from < range.end
                        && let Some((mut letters, next)) = dead_letters_from(log, at, from).await?
                    {
                        from = next;
                        letters.retain(|l| l.place.offset < range.end && is_meant(l));
                        done.take(log, letters, dry_run).await?;
                    }
                }
            }
        }
        Ok(done)
    }
}

/// The source record, rebuilt from the dead letter because it is gone from its topic. It has no
/// headers; a platform event needs none.
fn of_letter(log: &dyn EventLog, letter: &Letter) -> Result<Box<Event>, String> {
    const GONE: &str = "its record is not in the log any more";
    let (key, value) = (&letter.envelope.key, &letter.dead.value);
    if value.is_empty() {
        return Err(format!("{GONE}: send or import it again"));
    }
    let at = letter.source().at;
    let topics = Topics::embedded().with_partitions(log.partitions(at.topic));
    let event = Codec::new().decode_at(&topics, at, &[], key.as_str().as_bytes(), value);
    event.map_err(|why| format!("{GONE}, and the dead letter's copy cannot be used: {why}"))
}

impl Redrive {
    /// Redrives a page of dead letters, each at most once.
    async fn take(
        &mut self,
        log: &dyn EventLog,
        letters: Vec<Letter>,
        dry_run: bool,
    ) -> Result<(), PortError> {
        let mut before = redriven(log, &letters).await?;
        for letter in letters {
            if before.contains_key(&letter.envelope.id) {
                self.already += 1;
                continue;
            }
            let body = match record(log, letter.source()).await? {
                Some(record) => record.body.map_err(|bad| bad.reason),
                None => of_letter(log, &letter),
            };
            let body = body.as_deref().map_err(String::as_str);
            match redrive(&letter.cause(), &letter.dead, body) {
                Ok(event) => {
                    if let Some(topic) = event.body.topic().filter(|_| !dry_run) {
                        log.publish(vec![NewRecord { topic, event }]).await?;
                    }
                    before.insert(letter.envelope.id, letter.place);
                    self.redriven += 1;
                }
                Err(why) => self.refuse(letter.place, why.0),
            }
        }
        Ok(())
    }

    fn refuse(&mut self, letter: DeadLetterPlace, reason: String) {
        self.refused += 1;
        if self.first_refused.len() < NAMED {
            self.first_refused.push(RedriveRefusal { letter, reason });
        }
    }
}
