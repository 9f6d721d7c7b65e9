//! What was read of the tables a moment ago, made ready to be compared with the next question.
//!
//! A question is compared with a thousand earlier ones and a thousand facts. To read these, and to take
//! their texts apart, takes several times as long as the rest of a search.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use threadlore_model::{ChannelId, PersonId, SpaceId, Timestamp};
use threadlore_ports::{PortError, Readable, Scope};

use crate::facts::Note;
use crate::precedents::{PRECEDENTS, Precedents};
use crate::search::{Retrieval, TABLES};

/// How old it may be, though nothing says that it changed: an earlier question that was deleted is not
/// compared any longer. Chosen.
const FRESH: Duration = Duration::from_secs(10);
/// Kept at most: a space has one for each set of channels that somewhere may be read. Chosen.
const KEPT: usize = 32;

/// A space, and the channels that may be read; `None` for all of it.
pub(crate) type Place = (SpaceId, Option<BTreeSet<ChannelId>>);

/// What was read last, of each place.
#[derive(Debug)]
pub(crate) struct Recent<T>(Mutex<BTreeMap<Place, Entry<T>>>);

#[derive(Debug)]
struct Entry<T> {
    at: Timestamp,
    /// How far the tables had read the log.
    read_to: String,
    what: Arc<T>,
}

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Recent<T> {
    /// What was read of a place, unless the tables have read on since or it is too old. What is too old
    /// of any place is let go.
    pub(crate) fn get(&self, place: &Place, read_to: &str, now: Timestamp) -> Option<Arc<T>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, one| one.at <= now && now < one.at.plus(FRESH));
        let one = all.get(place).filter(|one| one.read_to == read_to)?;
        Some(Arc::clone(&one.what))
    }

    /// Keeps what was read of a place, with how far the tables had read the log before. Of too many the
    /// oldest is let go.
    pub(crate) fn put(&self, place: Place, (read_to, at): (String, Timestamp), what: T) -> Arc<T> {
        let what = Arc::new(what);
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= KEPT {
            let oldest = all.iter().min_by_key(|(_, one)| one.at);
            let oldest = oldest.map(|(place, _)| place.clone());
            oldest.map(|place| all.remove(&place));
        }
        let entry = Entry {
            at,
            read_to,
            what: Arc::clone(&what),
        };
        all.insert(place, entry);
        what
    }
}

impl Retrieval {
    /// Earlier questions of the channels that may be read; none where the tables do not answer.
    pub(crate) async fn precedents(&self, scope: &Scope, readable: &Readable) -> Arc<Precedents> {
        let read = async {
            let precedents = self.ports.cases.precedents(scope, readable, PRECEDENTS);
            Ok(Precedents::new(precedents.await?))
        };
        let read = self.recently(&self.precedents, (scope, readable), read);
        self.stage(&self.tables, TABLES, read)
            .await
            .unwrap_or_default()
    }

    /// Facts about the space and about who asks, the newest first; none where the tables do not answer.
    pub(crate) async fn notes(
        &self,
        scope: &Scope,
        readable: &Readable,
        person: Option<PersonId>,
    ) -> Vec<Arc<Note>> {
        let facts = |of| self.ports.cases.facts(scope, readable, of);
        let read = async {
            let bank = async { Ok(Note::all(facts(None).await?)) };
            let bank = self.recently(&self.bank, (scope, readable), bank).await?;
            let mut notes = bank.as_ref().clone();
            if person.is_some() {
                notes.extend(Note::all(facts(person).await?));
                notes.sort_by_key(|note| (Reverse(note.fact.said_at), note.fact.memory));
            }
            Ok(notes)
        };
        self.stage(&self.tables, TABLES, read)
            .await
            .unwrap_or_default()
    }

    /// What was read a moment ago, or what is read now.
    async fn recently<T>(
        &self,
        recent: &Recent<T>,
        (scope, readable): (&Scope, &Readable),
        read: impl Future<Output = Result<T, PortError>>,
    ) -> Result<Arc<T>, PortError> {
        let place = (scope.space().clone(), readable.channels().cloned());
        let now = self.ports.clock.now();
        let read_to = self.ports.cases.read_to().await?;
        match recent.get(&place, &read_to, now) {
            Some(what) => Ok(what),
            None => Ok(recent.put(place, (read_to, now), read.await?)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(space: &str) -> Place {
        (SpaceId::parse(space).expect("a space"), None)
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(1_700_000_000_000 + 1000 * seconds)
    }

    #[test]
    fn it_is_used_until_the_tables_read_on_or_it_is_old() {
        let recent = Recent::default();
        recent.put(place("a"), ("1".to_owned(), at(0)), "read");
        let told = |space, read_to, seconds| recent.get(&place(space), read_to, at(seconds));
        assert_eq!(told("a", "1", 9).as_deref(), Some(&"read"));
        assert_eq!(told("b", "1", 9), None);
        assert_eq!(told("a", "2", 9), None);
        assert_eq!(told("a", "1", 10), None);
        assert_eq!(told("a", "1", 9), None, "it was let go");
    }

    #[test]
    fn a_clock_that_goes_back_makes_nothing_fresh() {
        let recent = Recent::default();
        recent.put(place("a"), ("1".to_owned(), at(5)), "read");
        assert_eq!(recent.get(&place("a"), "1", at(4)), None);
    }

    #[test]
    fn there_are_not_many() {
        let recent = Recent::default();
        for n in 0..=KEPT {
            recent.put(
                place(&format!("a{n}")),
                (String::new(), at(n as i64 / 8)),
                n,
            );
        }
        assert_eq!(recent.get(&place("a0"), "", at(4)), None);
        assert_eq!(recent.get(&place("a1"), "", at(4)).as_deref(), Some(&1));
    }
}
