//! Conversations of a window: by its links, and in a quiet channel by whose turn it is.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::Duration;

use threadlore_model::PersonId;

use super::dialog::Dialog;
use super::lines::Lines;

/// A channel is quiet where at least four of five lines belong to one conversation.
const QUIET: (usize, usize) = (5, 4);
/// Words with which somebody begins a conversation, at least.
const BEGINS: usize = 4;
/// Words of a question about oneself that begins another conversation, at least.
const OWN: usize = 8;
/// A conversation that was answered, or whose asker was content, ends with a pause of this length.
const ANSWERED: Duration = Duration::from_secs(6 * 60 * 60);
const CONTENT: Duration = Duration::from_secs(30 * 60);
/// Somebody whom nobody answers goes on within this time.
const UNANSWERED: Duration = Duration::from_secs(3 * 60);

/// The conversations of a window that begin with a problem, oldest first.
pub(super) fn all<'w>(said: &'w Lines<'w>) -> Vec<Dialog<'w>> {
    let read = |talk: Talk| Dialog::read(said, talk.lines, &talk.adopted);
    let dialogs = talks(said).into_iter().filter_map(read);
    dialogs.flat_map(Dialog::parts).collect()
}

/// Whether most messages of people in a range belong to a conversation.
pub(super) fn is_quiet(said: &Lines<'_>, lines: &[usize], range: Range<usize>) -> bool {
    let people = range.clone().filter(|at| !said.window.lines[*at].bot);
    let own = lines.iter().filter(|at| range.contains(at)).count();
    QUIET.0 * own >= QUIET.1 * people.count()
}

/// A conversation, before it is known whether it has a problem.
struct Talk {
    /// Every line of people, ascending.
    lines: Vec<usize>,
    /// The first lines of what joined it although nothing links it to it.
    adopted: BTreeSet<usize>,
    /// Who began it, if that was with more than a few words.
    opener: Option<PersonId>,
}

/// Conversations, oldest first.
///
/// In a quiet channel answers need no addressee, so links are missing. There a conversation joins
/// the one before it that somebody began, unless it begins something new itself.
fn talks(said: &Lines<'_>) -> Vec<Talk> {
    let mut talks: Vec<Talk> = Vec::new();
    for (root, lines) in conversations(said) {
        if let Some(host) = talks.iter_mut().rev().find(|host| host.goes_on(said, root)) {
            host.lines.extend(lines);
            host.lines.sort_unstable();
            continue;
        }
        let mut begun = talks.iter_mut().rev().filter(|talk| talk.opener.is_some());
        match begun.next().filter(|host| host.takes(said, root, &lines)) {
            Some(host) => {
                host.adopted.insert(root);
                host.lines.extend(lines);
                host.lines.sort_unstable();
            }
            None => talks.push(Talk {
                opener: opener(said, &lines),
                lines,
                adopted: BTreeSet::new(),
            }),
        }
    }
    talks
}

/// Who begins a conversation, if that is with more than a few words.
fn opener(said: &Lines<'_>, lines: &[usize]) -> Option<PersonId> {
    let first = said.window.lines[*lines.first()?].person;
    let own = |at: &&usize| said.window.lines[**at].person == first;
    let mut own = lines.iter().take_while(own);
    own.any(|at| said[*at].reads.words >= BEGINS || said.asks(*at))
        .then_some(first)
}

impl Talk {
    /// Whether a line is the opener's next one while nobody has answered yet, however many others
    /// talk in between.
    fn goes_on(&self, said: &Lines<'_>, root: usize) -> bool {
        let lines = &said.window.lines;
        let (Some(opener), Some(last)) = (self.opener, self.lines.last()) else {
            return false;
        };
        let is_opener = |at: usize| lines[at].person == opener;
        *last < root
            && is_opener(root)
            && said[root].to.is_none()
            && !said[root].to_stranger
            && lines[root].at.since(lines[*last].at) <= UNANSWERED
            && self.lines.iter().all(|at| is_opener(*at))
    }

    /// Whether lines that begin with `root`, which nothing links to it, belong to it.
    fn takes(&self, said: &Lines<'_>, root: usize, lines: &[usize]) -> bool {
        let window = said.window;
        let Some(opener) = self.opener else {
            return false;
        };
        let before = self.lines.iter().copied().take_while(|at| *at < root);
        let before: Vec<usize> = before.collect();
        let (Some(first), Some(last)) = (before.first(), before.last()) else {
            return false;
        };
        let is_known = |person: PersonId| {
            let mut people = before.iter().map(|at| window.lines[*at].person);
            people.any(|other| other == person)
        };
        let to_another = said[root].to.is_some_and(|person| !is_known(person));
        if to_another || said[root].to_stranger || !is_quiet(said, &before, *first..root) {
            return false;
        }
        let pause = window.lines[root].at.since(window.lines[*last].at);
        let is_opener = |at: usize| window.lines[at].person == opener;
        let answered = before.iter().position(|at| !is_opener(*at));
        let after_answer = &before[answered.unwrap_or(before.len())..];
        let content = after_answer
            .iter()
            .any(|at| is_opener(*at) && said.is_content(*at));
        let person = window.lines[root].person;
        let next = window.lines[root..]
            .iter()
            .find(|line| line.person != person);
        let heard = next.is_some_and(|line| line.person == opener);
        if content && pause > CONTENT || answered.is_some() && pause > ANSWERED && !heard {
            return false;
        }
        if is_opener(root) {
            return !said.asks(root) || !content;
        }
        let reads = &said[root].reads;
        if said.asks(root) {
            let own = reads.words >= OWN && reads.of_self;
            return !content && (reads.asks_back || heard && !own);
        }
        if begins_a_problem(said, lines) {
            let asked = before.iter().any(|at| is_opener(*at) && said.asks(*at));
            return !content && (heard || asked && !reads.of_self);
        }
        let mut lines = lines.iter();
        heard || lines.any(|at| said.asks(*at) || is_opener(*at) || said[*at].reads.tells)
    }
}

/// Whether lines by themselves state a problem in words.
fn begins_a_problem(said: &Lines<'_>, lines: &[usize]) -> bool {
    let dialog = Dialog::read(said, lines.to_vec(), &BTreeSet::new());
    dialog.is_some_and(|dialog| dialog.weight > 0)
}

/// Lines of people by the line that began their conversation.
fn conversations(said: &Lines<'_>) -> BTreeMap<usize, Vec<usize>> {
    let window = said.window;
    let mut roots: Vec<usize> = Vec::with_capacity(window.lines.len());
    let mut conversations: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, link) in window.links.iter().enumerate() {
        let root = link
            .filter(|earlier| *earlier < at)
            .map_or(at, |earlier| roots[earlier]);
        roots.push(root);
        if !window.lines[at].bot {
            conversations.entry(root).or_default().push(at);
        }
    }
    conversations
}
