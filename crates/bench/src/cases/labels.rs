//! The labels, part of the program: `labels/livechat/labels.tsv` and `labels/irc/labels.tsv`.

use std::collections::BTreeSet;

use anyhow::{Context, bail};

use super::Verdict;

const TABLE: &str = include_str!("../../labels/livechat/labels.tsv");
const OF_IRC: &str = include_str!("../../labels/irc/labels.tsv");

/// Part of the dialogs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Half {
    /// On which rules were tuned; also the spent half, which once was for a test.
    Tune,
    /// On which they are measured.
    Test,
    /// Labelled later, and never looked at while rules were changed.
    Fresh,
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
            "fresh" => Half::Fresh,
            _ => bail!("half is neither tune nor spent nor test nor fresh"),
        },
        last: verdict(case, solution)?,
        first: verdict(first_case, first_solution)?,
    })
}

/// What readers said of one conversation of a log of IRC.
#[derive(Debug)]
pub(crate) struct OfIrc {
    /// Its path, without `.ascii.txt`.
    pub(crate) log: String,
    /// The numbers of its lines in the log, ascending, from 0.
    pub(crate) lines: Vec<usize>,
    /// What is held to be right.
    pub(crate) last: Verdict,
    /// What the other reader said.
    pub(crate) first: Verdict,
}

/// Every label of IRC.
///
/// # Errors
/// When the table has another form than its README says.
pub(crate) fn of_irc() -> anyhow::Result<Vec<OfIrc>> {
    let rows = OF_IRC.lines().skip(1);
    rows.map(|row| conversation(row).with_context(|| format!("irc/labels.tsv, row {row:?}")))
        .collect()
}

fn conversation(row: &str) -> anyhow::Result<OfIrc> {
    let columns: Vec<&str> = row.split('\t').collect();
    let [
        log,
        lines,
        case,
        _,
        solution,
        _,
        first_case,
        _,
        first_solution,
        _,
    ] = columns[..]
    else {
        bail!("ten columns are expected");
    };
    let lines = lines.split(',').map(str::parse);
    Ok(OfIrc {
        log: log.to_owned(),
        lines: lines.collect::<Result<_, _>>()?,
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
        assert_eq!(
            (of(Half::Fresh), of_irc().expect("a table").len()),
            (110, 170)
        );
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
