//! Suite `year`: does it get better with use? The questions of BANKING77, of which two ask the same
//! where they have one intent, are asked over a year, in an order drawn once; one case is known of each
//! intent. What is answered is rated three times of ten, by an oracle that knows the intent. Each tenth of
//! the year is told with what was learned and without. Then as many are asked within a month, a few of them
//! often and most seldom, and in the middle of it the case of every fifth intent ceases to be right; then
//! nobody asks for another month, and what becomes of the exchanges is told by the
//! events of `promoter` alone.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use threadlore_language::retrieve::{Synonyms, expanded};
use threadlore_model::{
    AnswerId, AnswerOutcome, Body, CaseId, Cause, ChannelId, Envelope, Event, EventId, Group, Key,
    MemoryArchiveReason, MemoryId, MemoryTier, Offset, OutcomeRecorded, OutcomeSource, Partition,
    Role, SpaceId, Timestamp, Topic, TopicPartition,
};
use threadlore_ports::{CaseScore, EmbedEngine as _, Precedent};
use threadlore_retrieval::ask::Question;
use threadlore_retrieval::closeness::{WRONG_AT_MOST, least_chance};
use threadlore_retrieval::precedents::{PRECEDENTS, Precedents, repeated};
use threadlore_roles::{Facts, Input, Processor as _, Promoter, PromoterState};

use crate::dedup::csv;
use crate::embedded::Model;
use crate::silence::{Match, Memory, Utterance, case_of, texts};
use crate::vectors::Vectors;
use crate::{Args, Row};

const YEAR: i64 = 365;
const MONTH: i64 = 30;
/// Answers of a hundred that somebody says something of.
const RATED: u64 = 30;
/// The case of every so manieth intent is wrong from the middle of the month on.
const CHANGES: usize = 5;
/// Examples of each thing that happens to an exchange.
const EXAMPLES: usize = 5;
const DAY: i64 = 24 * 60 * 60 * 1000;

/// A row for each tenth of the year, and one for the month.
///
/// # Errors
/// When the data or the model cannot be read.
pub(crate) fn run(args: &Args) -> anyhow::Result<Vec<Row>> {
    let model = args.embedder.as_deref().map(Model::open).transpose()?;
    let play = Play::read(&args.data, model.as_ref())?;
    let each: Vec<&Utterance> = play.asked.iter().collect();
    let of = |learned| anyhow::Ok(play.ask(&each, YEAR, learned, None)?.0);
    let (none, scores) = (of(Signals::Nothing)?, of(Signals::Scores)?);
    let (earlier, all) = (of(Signals::Earlier)?, of(Signals::All)?);
    let tenth = |n: i64| {
        let of = |all: &[Turn], worth| {
            let in_tenth = |one: &&Turn| one.day * 10 / YEAR == n;
            let asked = all.iter().filter(in_tenth).count().max(1) as f64;
            let such = all.iter().filter(in_tenth).filter(|one| one.worth == worth);
            100.0 * such.count() as f64 / asked
        };
        let (worked, failed) = (AnswerOutcome::Worked, AnswerOutcome::Failed);
        Row {
            name: format!("tenth {}", n + 1),
            metrics: vec![
                ("right_off", of(&none, worked)),
                ("wrong_off", of(&none, failed)),
                ("right_scores", of(&scores, worked)),
                ("wrong_scores", of(&scores, failed)),
                ("right_earlier", of(&earlier, worked)),
                ("wrong_earlier", of(&earlier, failed)),
                ("right_on", of(&all, worked)),
                ("wrong_on", of(&all, failed)),
            ],
        }
    };
    let mut rows: Vec<Row> = (0..10).map(tenth).collect();
    let (_, month) = play.ask(&play.often(), MONTH, Signals::All, Some(MONTH / 2))?;
    rows.push(of_month(&month));
    Ok(rows)
}

/// What is learned from.
#[derive(Clone, Copy)]
enum Signals {
    Nothing,
    /// How many answers from a case worked, whatever was asked.
    Scores,
    /// For which questions they worked.
    Earlier,
    All,
}

/// A question that was asked.
struct Turn {
    day: i64,
    /// What the answer is worth; `Unknown` where there is none.
    worth: AnswerOutcome,
}

/// What is known and what is asked, all of it in one channel.
struct Play<'a> {
    known: Vec<Utterance>,
    asked: Vec<Utterance>,
    vectors: Option<Vectors>,
    model: Option<&'a Model>,
    channel: ChannelId,
}

impl<'a> Play<'a> {
    fn read(data: &Path, model: Option<&'a Model>) -> anyhow::Result<Self> {
        let folder = data.join("intents");
        let of = |file: &str| -> anyhow::Result<Vec<Utterance>> {
            let read = csv::read(&folder.join(file))?.into_iter();
            let read = read.map(|one| Utterance {
                text: expanded(&one.text, &[]),
                intent: one.intent,
            });
            Ok(read.collect())
        };
        let mut seen = BTreeSet::new();
        let mut known = of("train.csv")?;
        known.retain(|one| seen.insert(one.intent.clone()));
        let mut asked: Vec<(u64, Utterance)> = of("test.csv")?
            .into_iter()
            .zip(0..)
            .map(|(one, n)| (draw("order", n), one))
            .collect();
        asked.sort_by_key(|(order, _)| *order);
        let asked: Vec<Utterance> = asked.into_iter().map(|(_, one)| one).collect();
        let vectors = model.map(|model| model.vectors(&texts(&known), &texts(&asked)));
        Ok(Self {
            known,
            asked,
            vectors: vectors.transpose()?,
            model,
            channel: ChannelId::parse("irc:#bank")?,
        })
    }

    /// As many questions as there are, the n-th drawn an n-th as often as the first.
    fn often(&self) -> Vec<&Utterance> {
        let weights = (1..=self.asked.len()).map(|place| 1.0 / place as f64);
        let mut sum = 0.0;
        let sums: Vec<f64> = weights
            .map(|weight| {
                sum += weight;
                sum
            })
            .collect();
        let drawn = (0..self.asked.len() as i64).map(|n| {
            let at = sum * (draw("often", n) % 1_000_000) as f64 / 1_000_000.0;
            let place = sums.partition_point(|sum| *sum <= at);
            &self.asked[place.min(self.asked.len() - 1)]
        });
        drawn.collect()
    }

    /// Asks these in so many days. Where there is a day of change, the case of every fifth intent is wrong
    /// from then on.
    fn ask(
        &self,
        questions: &[&Utterance],
        days: i64,
        learned: Signals,
        change: Option<i64>,
    ) -> anyhow::Result<(Vec<Turn>, Vec<Event>)> {
        let synonyms = Synonyms::builtin();
        let vectors = self.vectors.as_ref();
        let mut memory = Memory::of(&self.known, (vectors, self.model), &synonyms)?;
        let model = self.model.map(|model| model.embedder.model());
        let least = least_chance(WRONG_AT_MOST, model);
        let mut room = Room::new(&self.channel)?;
        let (mut all, mut rated) = (Vec::new(), Vec::new());
        let count = questions.len() as i64;
        for (asked, n) in questions.iter().zip(0..) {
            let now = Timestamp::from_millis(n * days * DAY / count);
            let day = n * days / count;
            room.passes(now);
            memory.scores = vec![CaseScore::default(); self.known.len()];
            memory.precedents.clear();
            room.known(&rated, learned, &mut memory);
            let found = memory.compared(asked)?;
            let best = found.iter().rev();
            let best = best.max_by(|a: &&Match, b: &&Match| a.chance.total_cmp(&b.chance));
            let Some(given) = best.filter(|best| best.chance >= least) else {
                let worth = AnswerOutcome::Unknown;
                all.push(Turn { day, worth });
                continue;
            };
            let is_over = given.known.is_multiple_of(CHANGES) && change.is_some_and(|at| day >= at);
            let worth = match given.right && !is_over {
                true => AnswerOutcome::Worked,
                false => AnswerOutcome::Failed,
            };
            all.push(Turn { day, worth });
            if draw("rated", n) % 100 >= RATED {
                continue;
            }
            let others = synonyms.others(&asked.text);
            let precedents = Precedents::new(memory.precedents.clone());
            let like = precedents.alike(&Question::new(&asked.text, &others));
            let answer = AnswerId::carried_by(EventId::of_content("year", &[&n.to_string()]));
            let case = case_of(given.known);
            let repeats = repeated(&like, (case, 0), &self.channel);
            let exchange = repeats.unwrap_or_else(|| MemoryId::of_exchange(answer));
            rated.push(Feedback {
                known: given.known,
                precedent: Precedent {
                    case,
                    version: 1,
                    channel: self.channel.clone(),
                    memory: exchange,
                    text: asked.text.clone(),
                    worked: worth == AnswerOutcome::Worked,
                },
            });
            room.hears((answer, exchange, case), worth, now);
        }
        if change.is_some() {
            room.passes(Timestamp::from_millis(2 * days * DAY));
        }
        Ok((all, room.published))
    }
}

/// An answer that somebody said something of.
struct Feedback {
    known: usize,
    precedent: Precedent,
}

/// A number that follows from what it is for.
fn draw(what: &str, n: i64) -> u64 {
    let id = EventId::of_content("year", &[what, &n.to_string()]);
    id.as_uuid().as_u128() as u64
}

/// The exchanges of a channel, as `promoter` keeps them.
struct Room {
    space: SpaceId,
    channel: ChannelId,
    state: PromoterState,
    published: Vec<Event>,
    read: i64,
}

impl Room {
    fn new(channel: &ChannelId) -> anyhow::Result<Self> {
        Ok(Self {
            space: SpaceId::parse("year")?,
            channel: channel.clone(),
            state: PromoterState::default(),
            published: Vec::new(),
            read: 0,
        })
    }

    /// Time passes: what is due is decided when it is.
    fn passes(&mut self, now: Timestamp) {
        while let Some(at) = Promoter.wake(&self.state).channel.filter(|at| *at <= now) {
            self.decides(&Input::Wake { idle: false }, at);
        }
    }

    /// An answer of an exchange turned out to be worth something.
    fn hears(
        &mut self,
        (answer, memory, case): (AnswerId, MemoryId, CaseId),
        outcome: AnswerOutcome,
        now: Timestamp,
    ) {
        let worked = outcome == AnswerOutcome::Worked;
        let recorded = OutcomeRecorded {
            answer,
            channel: self.channel.clone(),
            turn: EventId::of_content("turn", &[&answer.to_string()]),
            case,
            version: 1,
            memory,
            outcome,
            source: OutcomeSource::Asker,
            helped: u32::from(worked),
            failed: u32::from(!worked),
            evidence: Vec::new(),
            given_at: now,
            now,
        };
        let event = self.event(recorded.into(), now);
        let input = Input::Record {
            at: place(),
            offset: Offset(self.read),
            arrived: now,
            event: &event,
        };
        self.read += 1;
        Promoter.fold(&mut self.state, &input);
        self.decides(&input, now);
    }

    fn decides(&mut self, input: &Input<'_>, now: Timestamp) {
        let facts = Facts {
            now,
            group: Group::of_role(Role::Promoter),
            space: None,
            channel: Some(self.channel.clone()),
            cause: Cause {
                event: EventId::of_content("cause", &[&self.read.to_string()]),
                at: place(),
                offset: Offset(self.read),
            },
            repeated: false,
            pending_calls: 0,
        };
        let Ok(decision) = Promoter.decide(&self.state, input, &facts) else {
            return;
        };
        for decided in decision.events {
            let event = self.event(decided.body, now);
            Promoter.fold_decided(&mut self.state, &event);
            self.published.push(event);
        }
    }

    fn event(&self, body: Body, time: Timestamp) -> Event {
        Event {
            envelope: Envelope {
                id: EventId::of_content("event", &[&self.published.len().to_string()]),
                space: self.space.clone(),
                key: Key::of_channel(&self.space, &self.channel),
                time,
                producer: None,
                cause: None,
                actor: None,
                traceparent: None,
            },
            body,
        }
    }

    /// What is known of earlier answers: how many from each case worked, and for which questions, as
    /// far as their exchanges are kept.
    fn known(&self, rated: &[Feedback], learned: Signals, memory: &mut Memory<'_>) {
        let (scores, earlier) = match learned {
            Signals::Nothing => (false, false),
            Signals::Scores => (true, false),
            Signals::Earlier => (false, true),
            Signals::All => (true, true),
        };
        for one in rated.iter().filter(|_| scores) {
            let score = &mut memory.scores[one.known];
            match one.precedent.worked {
                true => score.worked += 1,
                false => score.failed += 1,
            }
        }
        let is_kept = |one: &&Feedback| {
            let known = self.state.exchanges.get(&one.precedent.memory);
            let said = known.and_then(|known| known.said);
            let gone = said.map(|said| said.place.gone);
            gone.is_some_and(|gone| gone.is_none_or(|why| why == MemoryArchiveReason::Failed))
        };
        let kept = rated.iter().rev().filter(|_| earlier).filter(is_kept);
        let kept = kept.take(PRECEDENTS as usize);
        memory
            .precedents
            .extend(kept.map(|one| one.precedent.clone()));
    }
}

fn place() -> TopicPartition {
    TopicPartition {
        topic: Topic::Outcomes,
        partition: Partition(0),
    }
}

/// What became of exchanges, by the events alone, with examples.
fn of_month(published: &[Event]) -> Row {
    let mut counts = BTreeMap::<&'static str, (usize, Vec<String>)>::new();
    let mut tiers = BTreeMap::<MemoryId, (MemoryTier, bool)>::new();
    for (n, event) in published.iter().enumerate() {
        let (memory, what, more) = match &event.body {
            Body::MemoryScored(scored) => {
                let before = tiers.insert(scored.memory, (scored.tier, true));
                let what = match before {
                    None => "stored",
                    // What failed fails once more.
                    Some((_, false)) if is_archived(published.get(n + 1), scored.memory) => {
                        tiers.insert(scored.memory, (scored.tier, false));
                        continue;
                    }
                    Some((_, false)) => "back",
                    Some((tier, _)) if tier < scored.tier => scored.tier.name(),
                    Some((tier, _)) if tier > scored.tier => "demoted",
                    Some(_) => continue,
                };
                let uses = scored.worked + scored.failed + scored.partial;
                let more = format!(
                    "{} after {} of {uses}, score {}",
                    scored.tier.name(),
                    scored.worked,
                    scored.score
                );
                (scored.memory, what, more)
            }
            Body::MemoryArchived(archived) => {
                let before = tiers.get_mut(&archived.memory);
                let Some((_, is_kept)) = before.filter(|(_, is_kept)| *is_kept) else {
                    continue;
                };
                *is_kept = false;
                (archived.memory, archived.reason.name(), String::new())
            }
            _ => continue,
        };
        let (count, examples) = counts.entry(what).or_default();
        *count += 1;
        if examples.len() < EXAMPLES {
            let at = event.envelope.time;
            examples.push(format!("{at} {memory} {more}"));
        }
    }
    let mut metrics = Vec::new();
    for (what, (count, examples)) in counts {
        metrics.push((what, count as f64));
        for example in examples {
            eprintln!("{what}: {example}");
        }
    }
    Row {
        name: "month".to_owned(),
        metrics,
    }
}

fn is_archived(event: Option<&Event>, memory: MemoryId) -> bool {
    event.is_some_and(|event| match &event.body {
        Body::MemoryArchived(archived) => archived.memory == memory,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exchange_is_told_by_what_was_published() {
        let mut room =
            Room::new(&ChannelId::parse("irc:#bank").expect("a channel")).expect("a room");
        let answer = |n: u8| AnswerId::carried_by(EventId::of_content("test", &[&n.to_string()]));
        let exchange = MemoryId::of_exchange(answer(0));
        for n in 0..3 {
            let now = Timestamp::from_millis(i64::from(n) * DAY);
            let of = (answer(n), exchange, case_of(0));
            room.passes(now);
            room.hears(of, AnswerOutcome::Worked, now);
        }
        let row = of_month(&room.published);
        assert_eq!(
            row.metrics,
            [("history", 1.0), ("patterns", 1.0), ("stored", 1.0)]
        );
    }
}
