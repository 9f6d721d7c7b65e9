//! Which messages belong to a mention, by the labels.

use threadlore_training::labels::Labelled;

/// A message that is taken for a mention.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Trigger {
    /// Its place among the messages of the log.
    pub(crate) at: usize,
    /// Earlier messages of its conversation, ascending, counted from the first
    /// that is looked back at.
    pub(crate) wanted: Vec<usize>,
}

/// The labelled messages of a log that have earlier ones in their conversation
/// among the last `back`.
pub(crate) fn triggers(log: &Labelled, back: usize) -> Vec<Trigger> {
    let roots = conversations(log);
    let mut labelled: Vec<usize> = log.links.iter().map(|(later, _)| *later).collect();
    labelled.dedup();
    let trigger = |line: usize| {
        let at = log.number.binary_search(&line).ok()?;
        let first = at.saturating_sub(back);
        let own = roots[at]?;
        let wanted: Vec<usize> = (first..at)
            .filter(|earlier| roots[*earlier] == Some(own))
            .map(|earlier| earlier - first)
            .collect();
        (!wanted.is_empty()).then_some(Trigger { at, wanted })
    };
    labelled.into_iter().filter_map(trigger).collect()
}

/// For each message the first line of its conversation; `None` where no label
/// speaks of it. A link connects whichever of its ends is labelled.
fn conversations(log: &Labelled) -> Vec<Option<usize>> {
    let lines = log.number.last().map_or(0, |last| last + 1);
    let lines = log
        .links
        .iter()
        .fold(lines, |most, link| most.max(link.0 + 1));
    let mut parent: Vec<usize> = (0..lines).collect();
    let mut known = vec![false; lines];
    for (later, earlier) in &log.links {
        let (a, b) = (find(&parent, *later), find(&parent, *earlier));
        parent[a.max(b)] = a.min(b);
        (known[*later], known[*earlier]) = (true, true);
    }
    let root = |line: &usize| known[*line].then(|| find(&parent, *line));
    log.number.iter().map(root).collect()
}

fn find(parent: &[usize], mut line: usize) -> usize {
    while parent[line] != line {
        line = parent[line];
    }
    line
}

/// F1 of a choice, in hundredths.
pub(crate) fn f1(chosen: &[usize], wanted: &[usize]) -> f64 {
    let right = chosen.iter().filter(|at| wanted.contains(at)).count();
    200.0 * right as f64 / (chosen.len() + wanted.len()).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use threadlore_model::{ChannelId, Line, MessageId, PersonHasher, SpaceId, Timestamp};

    fn log(number: &[usize], links: &[(usize, usize)]) -> Labelled {
        let space = SpaceId::parse("s").expect("valid");
        let channel = ChannelId::parse("irc:c").expect("valid");
        let line = |number: &usize| Line {
            message: MessageId::of_native(&space, &channel, &number.to_string()),
            person: PersonHasher::new(&[0; 32]).person(&space, "irc", "ann"),
            name: None,
            text: String::new(),
            at: Timestamp::from_millis(0),
            reply_to: None,
            thread: None,
            mentions: Vec::new(),
            bot: false,
            positive: 0,
        };
        Labelled {
            lines: number.iter().map(line).collect(),
            number: number.to_vec(),
            links: links.to_vec(),
        }
    }

    #[test]
    fn wanted_are_the_earlier_messages_of_the_conversation() {
        // Line 3 is of the system; line 0 is only linked to; no label speaks of line 1.
        let log = log(&[0, 1, 2, 4, 5], &[(2, 0), (4, 4), (5, 2)]);
        let found = triggers(&log, 200);
        let wanted: Vec<(usize, &[usize])> =
            found.iter().map(|t| (t.at, t.wanted.as_slice())).collect();
        assert_eq!(wanted, [(2, &[0][..]), (4, &[0, 2][..])]);
    }

    #[test]
    fn what_is_too_far_back_is_not_wanted() {
        let log = log(&[0, 1, 2, 3], &[(2, 0), (3, 2)]);
        let found = triggers(&log, 1);
        assert_eq!(
            found,
            [Trigger {
                at: 3,
                wanted: vec![0]
            }]
        );
    }

    #[test]
    fn f1_counts_what_is_missing_and_what_is_too_much() {
        assert!((f1(&[1, 2], &[1, 2]) - 100.0).abs() < 1e-9);
        assert!((f1(&[1, 9], &[1, 2]) - 50.0).abs() < 1e-9);
        assert!(f1(&[], &[1]).abs() < 1e-9);
    }
}
