//! How well verdicts agree with labels.

use super::Verdict;
use crate::Row;
use crate::bootstrap::{Scores, interval};

/// Right ones, given ones and wanted ones.
#[derive(Debug, Default)]
struct Count {
    right: usize,
    given: usize,
    wanted: usize,
}

impl Count {
    fn of(right: usize, given: usize, wanted: usize) -> Self {
        Self {
            right,
            given,
            wanted,
        }
    }

    fn add(&mut self, other: &Self) {
        self.right += other.right;
        self.given += other.given;
        self.wanted += other.wanted;
    }

    /// In hundredths.
    fn f1(&self) -> f64 {
        if self.given + self.wanted == 0 {
            return 0.0;
        }
        200.0 * self.right as f64 / (self.given + self.wanted) as f64
    }

    /// Its part in the F1 of several.
    fn part(&self) -> Scores {
        let sum = 200.0 * self.right as f64;
        Scores::ratio(sum, (self.given + self.wanted) as f64)
    }
}

/// Counts over dialogs, and of each.
#[derive(Debug, Default)]
pub(crate) struct Score {
    yes: Count,
    no: Count,
    solution: Count,
    /// Parts in the F1 of cases and of solutions, one a dialog.
    dialogs: [Vec<Scores>; 2],
}

impl Score {
    /// Of pairs of a label and a verdict.
    pub(crate) fn of(pairs: impl Iterator<Item = (Verdict, Verdict)>) -> Self {
        let mut score = Self::default();
        for (label, verdict) in pairs {
            let (wanted, given) = (usize::from(label.case), usize::from(verdict.case));
            let yes = Count::of(wanted & given, given, wanted);
            let (wanted, given) = (1 - wanted, 1 - given);
            score.no.add(&Count::of(wanted & given, given, wanted));
            let right = label.solution.intersection(&verdict.solution).count();
            let solution = Count::of(right, verdict.solution.len(), label.solution.len());
            score.yes.add(&yes);
            score.solution.add(&solution);
            for (dialogs, count) in score.dialogs.iter_mut().zip([yes, solution]) {
                dialogs.push(count.part());
            }
        }
        score
    }

    pub(crate) fn row(&self, name: String) -> Row {
        Row {
            name,
            metrics: vec![
                ("case_f1", self.yes.f1()),
                ("case_f1_no", self.no.f1()),
                ("solution_f1", self.solution.f1()),
            ],
        }
    }

    /// Where 95 of 100 draws of as many dialogs lie.
    pub(crate) fn intervals(&self) -> Vec<(&'static str, f64)> {
        let [case, solution] = self.dialogs.each_ref().map(|dialogs| interval(dialogs));
        vec![
            ("case_f1_low", case.low),
            ("case_f1_high", case.high),
            ("solution_f1_low", solution.low),
            ("solution_f1_high", solution.high),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_count_by_dialog_and_solutions_by_message() {
        let verdict = |case, solution: &[usize]| Verdict {
            case,
            solution: solution.iter().copied().collect(),
        };
        let pairs = [
            (verdict(true, &[1, 2]), verdict(true, &[2, 3])),
            (verdict(true, &[]), verdict(false, &[])),
            (verdict(false, &[]), verdict(false, &[4])),
        ];
        let score = Score::of(pairs.into_iter());
        let row = score.row("x".to_owned());
        let values: Vec<f64> = row.metrics.iter().map(|(_, value)| *value).collect();
        // Yes: 1 of 1 given, 2 wanted. No: 1 of 2 given, 1 wanted. Messages: 1, 3, 2.
        let expected = [200.0 / 3.0, 200.0 / 3.0, 40.0];
        for (value, expected) in values.iter().zip(expected) {
            assert!((value - expected).abs() < 1e-9, "{values:?}");
        }
    }
}
