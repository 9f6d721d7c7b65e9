//! How far outputs have to be read before all are known that some inputs had led to.

use std::collections::BTreeMap;

use threadlore_model::{Offset, Topic};
use threadlore_ports::Positions;

use super::own_events::PAGE;

/// For each block of an output partition the lowest causes in it and in all blocks after it.
#[derive(Debug, Default)]
pub(super) struct LowestCauses(Vec<BTreeMap<Topic, Offset>>);

impl LowestCauses {
    /// Notes an output and the input without which it is not folded. Outputs are noted in the
    /// order of their offsets.
    pub(super) fn note(&mut self, output: Offset, (topic, cause): (Topic, Offset)) {
        let block = block(output);
        if self.0.len() <= block {
            self.0.resize_with(block + 1, BTreeMap::new);
        }
        let lowest = self.0[block].entry(topic).or_insert(cause);
        *lowest = cause.min(*lowest);
    }

    /// All outputs are noted.
    pub(super) fn close(&mut self) {
        let mut after = BTreeMap::new();
        for block in self.0.iter_mut().rev() {
            for (topic, cause) in &after {
                let lowest = block.entry(*topic).or_insert(*cause);
                *lowest = (*cause).min(*lowest);
            }
            after.clone_from(block);
        }
    }

    /// Whether inputs before these positions may have led to an output at or after `output`.
    pub(super) fn is_wanted(&self, output: Offset, positions: &Positions) -> bool {
        self.0.get(block(output)).is_some_and(|lowest| {
            let mut lowest = lowest.iter();
            lowest.any(|(topic, cause)| positions.get(topic).is_none_or(|next| cause < next))
        })
    }
}

fn block(output: Offset) -> usize {
    usize::try_from(output.0).unwrap_or(0) / PAGE
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOPIC: Topic = Topic::ChatEvents;

    fn before(next: i64) -> Positions {
        Positions::from([(TOPIC, Offset(next))])
    }

    /// Four blocks of outputs. The one in the last block has an early cause.
    fn four() -> LowestCauses {
        let mut lowest = LowestCauses::default();
        for (output, cause) in [(10, 5), (1010, 20), (3010, 15), (3020, 40)] {
            lowest.note(Offset(output), (TOPIC, Offset(cause)));
        }
        lowest.close();
        lowest
    }

    #[test]
    fn a_block_is_wanted_when_it_or_a_later_one_has_such_a_cause() {
        let lowest = four();
        assert!(!lowest.is_wanted(Offset(0), &before(5)));
        assert!(lowest.is_wanted(Offset(0), &before(6)));
        assert!(!lowest.is_wanted(Offset(1000), &before(15)));
        assert!(lowest.is_wanted(Offset(1000), &before(16)));
        assert!(lowest.is_wanted(Offset(2000), &before(16)));
        assert!(lowest.is_wanted(Offset(3999), &before(16)));
    }

    #[test]
    fn nothing_is_wanted_after_the_last_output() {
        assert!(!four().is_wanted(Offset(4000), &before(100)));
        assert!(!LowestCauses::default().is_wanted(Offset(0), &before(100)));
    }
}
