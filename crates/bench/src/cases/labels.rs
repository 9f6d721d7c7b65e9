//! The labels, part of the program: `labels/livechat/labels.tsv`.

use std::collections::BTreeSet;

use anyhow::{Context, bail};

use super::Verdict;

const TABLE: &str = include_str!("../../labels/livechat/labels.tsv");

/// Half of the dialogs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Half {
    /// On which rules were tuned; also the spent half, which once was for a test.
    Tune,
    /// On which they are measured.
    Test,
}

/// What readers said of one dialog.
#[derive(Debug)]
pub(crate) struct Label {
    pub(crate) room: String,
    /// Which dialog of the room, from 0.
    pub(crate) dialog: usize,
    pub(crate) half: Half,
    /// What is held to be right.
    pub(crate) last: Verdict,
    /// What the other reader said.
    pub(crate) first: Verdict,
}

/// Every label.
///
/// # Errors
/// When the table has another form than its README says.
pub(crate) fn all() -> anyhow::Result<Vec<Label>> {
    let rows = TABLE.lines().skip(1);
    rows.map(|row| label(row).with_context(|| format!("labels.tsv, row {row:?}")))
        .collect()
}

fn label(row: &str) -> anyhow::Result<Label> {
    let columns: Vec<&str> = row.split('\t').collect();
    let [
        room,
        dialog,
        half,
        case,
        _problem,
        solution,
        first_case,
        first_solution,
    ] = columns[..]
    else {
        bail!("eight columns are expected");
    };
    Ok(Label {
        room: room.to_owned(),
        dialog: dialog.parse()?,
        half: match half {
            "tune" | "spent" => Half::Tune,
            "test" => Half::Test,
            _ => bail!("half is neither tune nor spent nor test"),
        },
        last: verdict(case, solution)?,
        first: verdict(first_case, first_solution)?,
    })
}

fn verdict(case: &str, solution: &str) -> anyhow::Result<Verdict> {
    let case = match case {
        "yes" => true,
        "no" => false,
        _ => bail!("case is neither yes nor no"),
    };
    let numbers = solution.split(',').filter(|number| *number != "-");
    let solution = numbers
        .map(str::parse)
        .collect::<Result<BTreeSet<_>, _>>()?;
    Ok(Verdict { case, solution })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spent_half_is_tuned_on_and_forty_dialogs_test() {
        let labels = all().expect("a table");
        let of = |half| labels.iter().filter(|label| label.half == half).count();
        assert_eq!((of(Half::Tune), of(Half::Test)), (100, 40));
    }

    #[test]
    fn a_row_says_what_both_readers_say() {
        let label = label("docker\t34\ttune\tyes\t0,1\t2,3\tno\t-").expect("a row");
        let yes = Verdict {
            case: true,
            solution: [2, 3].into(),
        };
        assert_eq!((label.last, label.first), (yes, Verdict::default()));
    }

    #[test]
    fn another_form_is_refused() {
        assert!(label("docker\t34\ttune\tyes").is_err());
        assert!(label("docker\t34\ttune\tmaybe\t0\t-\tno\t-").is_err());
    }
}
