//! Why a case counts as solved: read from the lines, whatever the model says.

use std::collections::BTreeSet;

use threadlore_model::{Outcome, PersonId, Signal, Window};

/// The strongest sign that the solution in `lines` (not empty) helped: a positive reaction on it,
/// or an asker's words after it, up to the line `end`. Without any words it is the end of the talk,
/// which is weak. With the line that says so. `None` if their last word is that it still fails.
pub(super) fn of(
    window: &Window,
    askers: &BTreeSet<PersonId>,
    lines: &[usize],
    end: usize,
) -> Option<(Signal, Option<usize>)> {
    let mut newest = lines.iter().rev();
    if let Some(liked) = newest.find(|at| window.lines[**at].positive > 0) {
        return Some((Signal::Reaction, Some(*liked)));
    }
    let told = lines.first().copied().unwrap_or(end);
    let after = (told + 1..=end).filter(|at| {
        let line = &window.lines[*at];
        !line.bot && askers.contains(&line.person)
    });
    let mut said = after.filter_map(|at| Some((at, window.hints.get(at)?.outcome?)));
    match said.next_back() {
        Some((at, Outcome::Works | Outcome::Thanks)) => Some((Signal::Thanks, Some(at))),
        Some((_, Outcome::Fails)) => None,
        None => Some((Signal::ThreadEnd, None)),
    }
}
