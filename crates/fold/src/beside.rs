//! Two runs of decisions about the same chat, case by case: which cases of one are cases of the
//! other, which differ, and which confirmations by people are in both.
//!
//! Ids of cases are a run's own, so cases are known by the messages that they come from: two
//! are one where they share most of what states the problem, then most of the rest.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{Hash, Hasher};

use threadlore_model::{Case, CaseId, Confirmation, MessageId, Part, SpaceId, Status};

/// The status of a case for those who ask, as it is printed.
pub type Standing = &'static str;

/// A case, as far as runs are compared by it.
#[derive(Debug, Clone)]
pub struct Outline {
    /// The case.
    pub key: (SpaceId, CaseId),
    /// Its status.
    pub standing: Standing,
    /// Positive reactions of people.
    pub confirmations: BTreeSet<Confirmation>,
    /// Messages, and whether they state the problem.
    messages: BTreeMap<MessageId, bool>,
    /// Of its texts.
    hash: u64,
}

impl Outline {
    /// What a case is compared by; `None` where its texts were erased.
    #[must_use]
    pub fn of(case: &Case) -> Option<Self> {
        let standing = standing(case);
        let messages = case.evidence.iter();
        let mut hasher = DefaultHasher::new();
        (&case.title, &case.problem, &case.solution, &case.suggestion).hash(&mut hasher);
        (case.status() != Status::Erased).then(|| Self {
            key: (case.space.clone(), case.case),
            standing,
            confirmations: case.confirmations.clone(),
            messages: messages
                .map(|e| (e.message, e.part == Part::Problem))
                .collect(),
            hash: hasher.finish(),
        })
    }

    fn is_same(&self, other: &Self) -> bool {
        self.standing == other.standing && self.hash == other.hash
    }

    /// Messages that state the problem in both, and messages that both have.
    fn shares(&self, other: &Self) -> (usize, usize) {
        let shared = self.messages.iter().filter_map(|(message, states)| {
            let theirs = other.messages.get(message)?;
            Some(*states && *theirs)
        });
        shared.fold((0, 0), |(problem, all), states| {
            (problem + usize::from(states), all + 1)
        })
    }
}

/// The status of a case: one that is open with a suggestion is given as such.
#[must_use]
pub fn standing(case: &Case) -> Standing {
    match case.status() {
        Status::Open if case.suggestion.is_some() => "suggested",
        status => status.name(),
    }
}

/// The cases of two runs side by side, by their places in the lists that were compared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Beside {
    /// Cases that stand in both with the same texts.
    pub same: Vec<(usize, usize)>,
    /// Cases of both that stand otherwise, or say something else.
    pub changed: Vec<(usize, usize)>,
    /// Cases of the first that the second has not.
    pub gone: Vec<usize>,
    /// Cases of the second that the first has not.
    pub new: Vec<usize>,
    /// Cases of the first with a person's confirmation that no case of the second has.
    pub unconfirmed: Vec<usize>,
    /// Confirmations that both have.
    pub carried: usize,
}

/// Compares the cases of two runs.
#[must_use]
pub fn beside(first: &[Outline], second: &[Outline]) -> Beside {
    let mut by_message: HashMap<MessageId, Vec<usize>> = HashMap::new();
    for (n, case) in second.iter().enumerate() {
        for message in case.messages.keys() {
            by_message.entry(*message).or_default().push(n);
        }
    }
    let mut pairs = Vec::new();
    for (n, case) in first.iter().enumerate() {
        let near = case.messages.keys().filter_map(|m| by_message.get(m));
        let near: BTreeSet<usize> = near.flatten().copied().collect();
        pairs.extend(near.into_iter().map(|m| (case.shares(&second[m]), n, m)));
    }
    // The most alike first; places decide between equals.
    pairs.sort_unstable_by_key(|(shared, n, m)| (std::cmp::Reverse(*shared), *n, *m));
    let (mut ours, mut theirs) = (vec![false; first.len()], vec![false; second.len()]);
    let mut found = Beside::default();
    for (_, n, m) in pairs {
        if ours[n] || theirs[m] {
            continue;
        }
        (ours[n], theirs[m]) = (true, true);
        match first[n].is_same(&second[m]) {
            true => found.same.push((n, m)),
            false => found.changed.push((n, m)),
        }
    }
    found.same.sort_unstable();
    found.changed.sort_unstable();
    found.gone = (0..first.len()).filter(|n| !ours[*n]).collect();
    found.new = (0..second.len()).filter(|m| !theirs[*m]).collect();
    let kept: HashSet<&Confirmation> = second.iter().flat_map(|c| &c.confirmations).collect();
    let had: HashSet<&Confirmation> = first.iter().flat_map(|c| &c.confirmations).collect();
    found.carried = had.intersection(&kept).count();
    let loses = |case: &Outline| case.confirmations.iter().any(|c| !kept.contains(c));
    found.unconfirmed = (0..first.len()).filter(|n| loses(&first[*n])).collect();
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use threadlore_model::{ChannelId, Evidence, PersonId, Timestamp};
    use uuid::Uuid;

    use super::*;

    fn message(n: u8) -> MessageId {
        MessageId::from_uuid(Uuid::from_u128(n.into()))
    }

    fn case(id: u128, problem: &[u8], context: &[u8], solution: Option<&str>) -> Case {
        let part = |messages: &[u8], part| {
            let evidence = messages.iter().map(move |n| Evidence {
                message: message(*n),
                part,
                revision: 0,
            });
            evidence.collect::<Vec<_>>()
        };
        let at = Timestamp::from_millis(1);
        Case {
            space: SpaceId::parse("a").expect("a space"),
            case: CaseId::from_uuid(Uuid::from_u128(id)),
            channel: ChannelId::parse("irc:#a").expect("a channel"),
            version: 1,
            worded_in: 1,
            title: Some("no sound".to_owned()),
            problem: Some("no sound".to_owned()),
            solution: solution.map(str::to_owned),
            suggestion: None,
            tags: Vec::new(),
            evidence: [part(problem, Part::Problem), part(context, Part::Context)].concat(),
            signal: solution.map(|_| threadlore_model::Signal::Thanks),
            confirmations: BTreeSet::new(),
            closing_emoji: None,
            engine: "builtin/1".to_owned(),
            opened_at: at,
            solved_at: None,
            archived_at: None,
            changed_at: at,
            erased_at: None,
            merged_into: None,
        }
    }

    fn outlines(cases: &[Case]) -> Vec<Outline> {
        cases.iter().filter_map(Outline::of).collect()
    }

    #[test]
    fn cases_are_paired_by_the_messages_that_state_the_problem() {
        let first = outlines(&[
            case(1, &[1], &[2], None),
            case(2, &[3], &[], None),
            case(3, &[9], &[], None),
        ]);
        let second = outlines(&[
            case(11, &[2], &[3], None),
            case(12, &[1, 2], &[], Some("unmute")),
            case(13, &[3], &[], None),
        ]);
        let found = beside(&first, &second);
        assert_eq!(found.same, [(1, 2)]);
        assert_eq!(found.changed, [(0, 1)]);
        assert_eq!((found.gone, found.new), (vec![2], vec![0]));
    }

    #[test]
    fn a_confirmation_that_no_case_has_any_more_is_told() {
        let confirmed = |id, messages: &[u8]| {
            let confirmation = Confirmation {
                message: message(1),
                person: PersonId::from_uuid(Uuid::from_u128(7)),
                emoji: "+1".to_owned(),
            };
            Case {
                confirmations: BTreeSet::from([confirmation]),
                ..case(id, messages, &[], Some("unmute"))
            }
        };
        let first = outlines(&[confirmed(1, &[1])]);
        let lost = beside(&first, &outlines(&[case(2, &[1], &[], Some("unmute"))]));
        assert_eq!((lost.carried, lost.unconfirmed), (0, vec![0]));
        let carried = beside(&first, &outlines(&[confirmed(2, &[1, 4])]));
        assert_eq!((carried.carried, carried.unconfirmed), (1, vec![]));
    }

    #[test]
    fn erased_cases_are_left_out() {
        let erased = Case {
            erased_at: Some(Timestamp::from_millis(2)),
            ..case(1, &[1], &[], None)
        };
        assert!(Outline::of(&erased).is_none());
    }

    proptest! {
        #[test]
        fn what_is_gone_one_way_is_new_the_other(
            first in proptest::collection::vec(proptest::collection::vec(0_u8..12, 1..4), 0..8),
            second in proptest::collection::vec(proptest::collection::vec(0_u8..12, 1..4), 0..8),
        ) {
            let of = |all: &[Vec<u8>]| {
                let cases = all.iter().enumerate();
                let cases = cases.map(|(n, messages)| case(n as u128, &messages[..1], &messages[1..], None));
                outlines(&cases.collect::<Vec<_>>())
            };
            let (first, second) = (of(&first), of(&second));
            let found = beside(&first, &second);
            let pairs = found.same.len() + found.changed.len();
            prop_assert_eq!(pairs + found.gone.len(), first.len());
            prop_assert_eq!(pairs + found.new.len(), second.len());
            let itself = beside(&first, &first);
            prop_assert_eq!(itself.same.len(), first.len());
        }
    }
}
