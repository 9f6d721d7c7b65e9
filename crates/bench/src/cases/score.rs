//! How well verdicts agree with labels.

use super::Verdict;
use crate::Row;

/// Right ones, given ones and wanted ones.
#[derive(Debug, Default)]
struct Count {
    right: usize,
    given: usize,
    wanted: usize,
}

impl Count {
    fn add(&mut self, right: usize, given: usize, wanted: usize) {
        self.right += right;
        self.given += given;
        self.wanted += wanted;
    }

    /// In hundredths.
    fn f1(&self) -> f64 {
        if self.given + self.wanted == 0 {
            return 0.0;
        }
        200.0 * self.right as f64 / (self.given + self.wanted) as f64
    }
}

/// Counts over dialogs.
#[derive(Debug, Default)]
pub(crate) struct Score {
    yes: Count,
    no: Count,
    solution: Count,
}

impl Score {
    /// Of pairs of a label and a verdict.
    pub(crate) fn of(pairs: impl Iterator<Item = (Verdict, Verdict)>) -> Self {
        let mut score = Self::default();
        for (label, verdict) in pairs {
            let (wanted, given) = (usize::from(label.case), usize::from(verdict.case));
            score.yes.add(wanted & given, given, wanted);
            let (wanted, given) = (1 - wanted, 1 - given);
            score.no.add(wanted & given, given, wanted);
            let right = label.solution.intersection(&verdict.solution).count();
            let (given, wanted) = (verdict.solution.len(), label.solution.len());
            score.solution.add(right, given, wanted);
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
        let row = Score::of(pairs.into_iter()).row("x".to_owned());
        let values: Vec<f64> = row.metrics.iter().map(|(_, value)| *value).collect();
        // Yes: 1 of 1 given, 2 wanted. No: 1 of 2 given, 1 wanted. Messages: 1, 3, 2.
        let expected = [200.0 / 3.0, 200.0 / 3.0, 40.0];
        for (value, expected) in values.iter().zip(expected) {
            assert!((value - expected).abs() < 1e-9, "{values:?}");
        }
    }
}
