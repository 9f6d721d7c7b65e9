//! How well predicted links agree with labels, as in Kummerfeld et al. 2019.

use threadlore_model::Line;

use crate::clusters::{self, Agreement};
use crate::labels::Labelled;

/// Links of one log: for each message the earlier message it answers.
pub type Links = Vec<Option<usize>>;

/// Counts over several logs.
#[derive(Debug, Default)]
pub struct Score {
    wanted: usize,
    given: usize,
    right: usize,
    agreement: Agreement,
}

impl Score {
    /// The score of one way to link.
    pub fn of(linker: impl Fn(&[Line]) -> Links, logs: &[Labelled]) -> Self {
        let mut score = Self::default();
        for log in logs {
            score.add(log, &linker(&log.lines));
        }
        score
    }

    /// Takes in the links of one log.
    pub fn add(&mut self, log: &Labelled, links: &[Option<usize>]) {
        let links = predicted(log, links);
        self.wanted += log.links.len();
        self.given += links.len();
        self.right += links
            .iter()
            .filter(|link| log.links.binary_search(link).is_ok())
            .count();
        self.agreement
            .add(&clusters::of(&log.links), &clusters::of(&links));
    }

    /// The figures by name, in hundredths of their best value.
    #[must_use]
    pub fn figures(&self) -> Vec<(&'static str, f64)> {
        let precision = share(self.right, self.given);
        let recall = share(self.right, self.wanted);
        vec![
            ("link_p", precision),
            ("link_r", recall),
            ("link_f1", clusters::f1(precision, recall)),
            ("vi", self.agreement.scaled_vi()),
            ("one_to_one", self.agreement.one_to_one()),
            ("exact_f1", self.agreement.exact_f1()),
        ]
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        100.0 * part as f64 / whole as f64
    }
}

/// The links of labelled lines as (later, earlier) line numbers. A line of the
/// system starts a conversation of its own.
fn predicted(log: &Labelled, links: &[Option<usize>]) -> Vec<(usize, usize)> {
    let mut labelled: Vec<usize> = log.links.iter().map(|(later, _)| *later).collect();
    labelled.dedup();
    let link = |line: usize| match log.number.binary_search(&line) {
        Ok(at) => (line, links[at].map_or(line, |earlier| log.number[earlier])),
        Err(_) => (line, line),
    };
    labelled.into_iter().map(link).collect()
}
