//! What people ask about: the words of their questions, who answered these and how well, and which words
//! belong together. It is counted from the questions as they are kept now, so nothing of what was erased is
//! left in it, and asks no model.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use threadlore_language::retrieve::telling_words;
use threadlore_model::{AnswerOutcome, CaseId, SpaceId, Timestamp, TurnOutcome};
use threadlore_node::Node;
use threadlore_ports::Scope;
use threadlore_store_postgres::AskedTurn;

pub use shapes::{Act, AnsweredBy, Graph, Step, Subject, Tally, Waiting, Word};

mod shapes;

/// Days, unless it is said.
pub const DAYS: u32 = 30;
/// The most days.
pub const MOST_DAYS: u32 = 3660;
/// Questions that are read, the latest.
const READ: u32 = 20_000;
/// From this many questions on they are kept with their words for a moment; fewer are read in no time.
const MANY: usize = 1_000;
/// How long they are kept. Chosen.
const KEPT_FOR: Duration = Duration::from_secs(60);
/// Of how many spaces and stretches of time. Chosen.
const KEPT: usize = 8;
/// Words that are listed.
const WORDS: usize = 20;
/// Words, cases and questions that are listed of a subject.
const NAMED: usize = 10;
/// Letters of a word that count: the rest is most often its ending.
const BEGINNING: usize = 5;
/// The longest question of which words are taken, in words: what is longer is a log.
const LONGEST: usize = 60;

/// What is asked of it.
#[derive(Debug, Clone, Copy)]
pub struct Which<'a> {
    /// How many days.
    pub days: u32,
    /// When they end.
    pub until: Timestamp,
    /// Words of a subject, or a whole question.
    pub about: Option<&'a str>,
    /// The word to which a path leads from the first of the subject.
    pub to: Option<&'a str>,
}

/// Questions of a space, and of how many days that end now.
type Stretch = (SpaceId, u32);

/// What people ask about in each space. Who looks from one subject to the next does not wait for
/// thousands of questions each time.
#[derive(Debug, Default)]
pub struct Graphs(Mutex<BTreeMap<Stretch, Arc<Questions>>>);

impl Graphs {
    /// What people ask about in a space. Where there are a thousand questions or more, they may have been
    /// read up to a minute ago: [`Graph::until`] says when.
    ///
    /// # Errors
    /// What the tables say.
    pub async fn graph(
        &self,
        node: &Node,
        scope: &Scope,
        which: Which<'_>,
    ) -> anyhow::Result<Graph> {
        let stretch = (scope.space().clone(), which.days);
        let questions = match self.kept(&stretch, which.until) {
            Some(questions) => questions,
            None => {
                let lasts = Duration::from_secs(u64::from(which.days) * 24 * 60 * 60);
                let during = which.until.minus(lasts)..which.until;
                let (turns, asked) = node.store.asked(scope, during.clone(), READ).await?;
                let questions = Arc::new(Questions::of(turns, during, asked));
                self.keep(stretch, &questions, node.clock.now());
                questions
            }
        };
        Ok(questions.graph(scope.space(), which, |case| node.link(case)))
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<Stretch, Arc<Questions>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kept(&self, stretch: &Stretch, until: Timestamp) -> Option<Arc<Questions>> {
        let all = self.all();
        let kept = all.get(stretch).map(|kept| (kept, kept.during.end));
        let kept = kept.filter(|(_, end)| *end <= until && until < end.plus(KEPT_FOR));
        kept.map(|(kept, _)| Arc::clone(kept))
    }

    /// Keeps many questions that end now, and lets go what is old; of too many the oldest.
    fn keep(&self, stretch: Stretch, questions: &Arc<Questions>, now: Timestamp) {
        let mut all = self.all();
        all.retain(|_, one| now < one.during.end.plus(KEPT_FOR));
        if questions.turns.len() < MANY || questions.during.end.plus(KEPT_FOR) <= now {
            return;
        }
        if all.len() >= KEPT {
            let oldest = all.iter().min_by_key(|(_, one)| one.during.end);
            let oldest = oldest.map(|(stretch, _)| stretch.clone());
            oldest.map(|stretch| all.remove(&stretch));
        }
        all.insert(stretch, Arc::clone(questions));
    }
}

/// Questions of a stretch of time with their words.
#[derive(Debug)]
struct Questions {
    during: Range<Timestamp>,
    /// How many were asked; the latest of them are read.
    asked: u64,
    /// Each with the beginnings of its words.
    turns: Vec<(AskedTurn, BTreeSet<String>)>,
    /// The most frequent form of each beginning; one of no word has none.
    forms: HashMap<String, String>,
    /// The questions of each beginning.
    having: HashMap<String, Vec<usize>>,
}

fn beginning(word: &str) -> String {
    word.chars().take(BEGINNING).collect()
}

/// A word of a question; numbers, addresses and whom it is said to are none.
fn is_word(word: &str) -> bool {
    word.chars().all(|c| c.is_alphanumeric() || c == '-') && word.chars().any(char::is_alphabetic)
}

/// A text without whom it is said to.
fn said(text: &str) -> String {
    let words = text
        .split_whitespace()
        .filter(|word| !word.starts_with('@'));
    words.take(LONGEST).collect::<Vec<_>>().join(" ")
}

impl Questions {
    fn of(turns: Vec<AskedTurn>, during: Range<Timestamp>, asked: u64) -> Self {
        let mut forms: HashMap<String, BTreeMap<String, u64>> = HashMap::new();
        let mut having: HashMap<String, Vec<usize>> = HashMap::new();
        let mut all = Vec::new();
        for (at, turn) in turns.into_iter().enumerate() {
            let text = said(turn.text.as_deref().unwrap_or_default());
            let mut own = BTreeSet::new();
            for word in telling_words(&text) {
                let begins = beginning(&word);
                if is_word(&word) {
                    let forms = forms.entry(begins.clone()).or_default();
                    *forms.entry(word).or_default() += 1;
                }
                own.insert(begins);
            }
            for begins in &own {
                having.entry(begins.clone()).or_default().push(at);
            }
            all.push((turn, own));
        }
        let most = |forms: BTreeMap<String, u64>| {
            let best = forms
                .into_iter()
                .max_by_key(|(form, times)| (*times, std::cmp::Reverse(form.clone())));
            best.map(|(form, _)| form).unwrap_or_default()
        };
        Self {
            during,
            asked,
            turns: all,
            forms: forms
                .into_iter()
                .map(|(begins, forms)| (begins, most(forms)))
                .collect(),
            having,
        }
    }

    /// What is asked of them, with the links of cases.
    fn graph(&self, space: &SpaceId, which: Which<'_>, link: impl Fn(CaseId) -> String) -> Graph {
        let subject = which.about.map(|about| self.subject(about, link));
        let named = subject
            .as_ref()
            .map(|(subject, turns)| (subject, turns.as_slice()));
        Graph {
            space: space.to_string(),
            from: self.during.start.to_string(),
            until: self.during.end.to_string(),
            asked: self.asked,
            read: self.turns.len() as u64,
            words: self.words(named),
            path: which.to.map(|to| {
                let from = named.and_then(|(subject, _)| subject.words.first());
                from.map_or_else(Vec::new, |from| self.path(from, to))
            }),
            acts: self.acts(named.map(|(_, turns)| turns)),
            subject: subject.map(|(subject, _)| subject),
        }
    }

    fn form(&self, begins: &str) -> String {
        let form = self.forms.get(begins).cloned();
        form.unwrap_or_else(|| begins.to_owned())
    }

    /// What is known of a subject, and its questions.
    fn subject(&self, about: &str, link: impl Fn(CaseId) -> String) -> (Subject, Vec<usize>) {
        let words: Vec<String> = telling_words(about).collect();
        let own: BTreeSet<String> = words.iter().map(|word| beginning(word)).collect();
        let mut met: BTreeMap<usize, usize> = BTreeMap::new();
        for at in own
            .iter()
            .filter_map(|begins| self.having.get(begins))
            .flatten()
        {
            *met.entry(*at).or_default() += 1;
        }
        // Of two words both, of three two: more than half.
        let found = met.into_iter().filter(|(_, met)| 2 * met > own.len());
        let found: Vec<usize> = found.map(|(at, _)| at).collect();
        let turns = || found.iter().map(|at| &self.turns[*at].0);
        let mut cases: BTreeMap<CaseId, AnsweredBy> = BTreeMap::new();
        for turn in turns() {
            let is_answer = matches!(turn.outcome, TurnOutcome::Answered | TurnOutcome::Suggested);
            let Some((case, title)) = turn.case.as_ref().filter(|_| is_answer) else {
                continue;
            };
            let one = cases.entry(*case).or_insert_with(|| AnsweredBy {
                case: case.to_string(),
                link: link(*case),
                title: title.clone(),
                answers: 0,
                worked: 0,
                failed: 0,
            });
            one.answers += 1;
            one.worked += u64::from(turn.worth == Some(AnswerOutcome::Worked));
            one.failed += u64::from(turn.worth == Some(AnswerOutcome::Failed));
        }
        let mut answered_by: Vec<AnsweredBy> = cases.into_values().collect();
        answered_by.sort_by_key(|one| std::cmp::Reverse(one.answers));
        answered_by.truncate(NAMED);
        let waiting = turns().filter(|turn| TurnOutcome::UNANSWERED.contains(&turn.outcome));
        let waiting = waiting.filter_map(|turn| {
            Some(Waiting {
                turn: turn.turn.to_string(),
                question: turn.text.clone()?,
                at: turn.at.to_string(),
            })
        });
        let subject = Subject {
            about: about.to_owned(),
            words,
            tally: Tally::of(turns()),
            last: turns().next().map(|turn| turn.at.to_string()),
            answered_by,
            waiting: waiting.take(NAMED).collect(),
        };
        (subject, found)
    }

    /// The words that most questions have, or most of those on a subject have beside it.
    fn words(&self, subject: Option<(&Subject, &[usize])>) -> Vec<Word> {
        let own: BTreeSet<String> = subject
            .iter()
            .flat_map(|(subject, _)| subject.words.iter().map(|word| beginning(word)))
            .collect();
        let mut counted: Vec<(&String, Cow<'_, [usize]>)> = match subject {
            None => {
                let all = self.having.iter();
                all.map(|(begins, at)| (begins, at.into())).collect()
            }
            Some((_, turns)) => {
                let mut counted: BTreeMap<&String, Vec<usize>> = BTreeMap::new();
                for at in turns {
                    let others = self.turns[*at]
                        .1
                        .iter()
                        .filter(|begins| !own.contains(*begins));
                    for begins in others {
                        counted.entry(begins).or_default().push(*at);
                    }
                }
                let counted = counted.into_iter();
                counted.map(|(begins, at)| (begins, at.into())).collect()
            }
        };
        counted.retain(|(begins, _)| self.forms.contains_key(*begins));
        counted.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then(a.0.cmp(b.0)));
        counted.truncate(WORDS);
        let word = |(begins, at): (&String, Cow<'_, [usize]>)| {
            let together = at.len() as u64;
            let strength = subject.map_or(1000, |(_, turns)| {
                let having = self.having.get(begins).map_or(0, Vec::len) as u64;
                1000 * together / (having + turns.len() as u64 - together).max(1)
            });
            Word {
                word: self.form(begins),
                tally: Tally::of(at.iter().map(|at| &self.turns[*at].0)),
                strength,
            }
        };
        counted.into_iter().map(word).collect()
    }

    /// The shortest way from a word to another, by the strongest steps of those.
    fn path(&self, from: &str, to: &str) -> Vec<Step> {
        let to = telling_words(to)
            .next()
            .unwrap_or_else(|| to.to_lowercase());
        let (from, to) = (beginning(from), beginning(&to));
        let mut before: HashMap<String, (String, u64)> = HashMap::new();
        let mut next = VecDeque::from([from.clone()]);
        while let Some(at) = next.pop_front() {
            if at == to {
                break;
            }
            let mut beside: BTreeMap<&String, u64> = BTreeMap::new();
            for turn in self.having.get(&at).into_iter().flatten() {
                let words = self.turns[*turn].1.iter();
                for begins in words.filter(|begins| self.forms.contains_key(*begins)) {
                    *beside.entry(begins).or_default() += 1;
                }
            }
            let mut beside: Vec<(&String, u64)> = beside.into_iter().collect();
            beside.sort_by_key(|(begins, together)| (std::cmp::Reverse(*together), *begins));
            for (begins, together) in beside {
                if *begins != from && !before.contains_key(begins) {
                    before.insert(begins.clone(), (at.clone(), together));
                    next.push_back(begins.clone());
                }
            }
        }
        let mut steps = Vec::new();
        let mut at = to;
        while let Some((earlier, together)) = before.get(&at) {
            steps.push(Step {
                from: self.form(earlier),
                to: self.form(&at),
                together: *together,
            });
            at.clone_from(earlier);
        }
        steps.reverse();
        steps
    }

    /// What the bot did, of all questions or of those on a subject.
    fn acts(&self, of: Option<&[usize]>) -> Vec<Act> {
        let mut counted: BTreeMap<(Option<&'static str>, &'static str), Tally> = BTreeMap::new();
        let mut add = |turn: &AskedTurn| {
            let key = (turn.tag.map(|tag| tag.name()), turn.outcome.name());
            counted.entry(key).or_default().add(turn);
        };
        match of {
            Some(of) => of.iter().for_each(|at| add(&self.turns[*at].0)),
            None => self.turns.iter().for_each(|(turn, _)| add(turn)),
        }
        let act = |((tag, outcome), tally): ((Option<&'static str>, &'static str), Tally)| Act {
            tag,
            outcome,
            times: tally.asked,
            worked: tally.worked,
            failed: tally.failed,
            partial: tally.partial,
        };
        let mut acts: Vec<Act> = counted.into_iter().map(act).collect();
        acts.sort_by_key(|act| std::cmp::Reverse(act.times));
        acts
    }
}

#[cfg(test)]
mod tests;
