//! The learned scorer: sums of small trees.

use std::fmt;

use super::feature::{FEATURES, Feature, Row};
use super::linker::Choice;

/// Begins the line of a tree for the start of a conversation.
const START: &str = "start";
/// Begins the line of a tree for answering an earlier line.
const ANSWER: &str = "answer";
/// The score of a quoted word of the earlier line, in the units of the trees. It is set by hand,
/// because the labelled chat has hardly any quotations.
const QUOTED: i64 = 800;
/// More quoted words than this are not worth more.
const MOST_QUOTED: i64 = 5;
/// A tree asks no more questions than this.
const DEEPEST: usize = 8;

/// A tree whose every level asks one question, the same in all branches: is a
/// feature more than a value?
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    /// The questions, first level first.
    pub asks: Vec<(Feature, i16)>,
    /// The score for each combination of answers. The answer to the first question is the lowest
    /// bit of the index.
    pub worth: Vec<i32>,
}

impl Tree {
    fn score(&self, row: &Row) -> i32 {
        let asks = self.asks.iter().enumerate();
        let place = asks.fold(0, |place, (bit, (feature, value))| {
            place | usize::from(row.get(*feature) > *value) << bit
        });
        self.worth[place]
    }
}

/// Rows that are scored side by side.
const LANES: usize = 16;

/// The scores of at most [`LANES`] rows. Linking spends its time here: each question is put
/// to all rows at once, which the compiler makes one instruction of.
fn side_by_side(trees: &[Tree], rows: &[(usize, Row)]) -> [i64; LANES] {
    let mut columns = [[0_i16; LANES]; FEATURES];
    for (lane, (_, row)) in rows.iter().enumerate() {
        for (column, feature) in columns.iter_mut().zip(Feature::ALL) {
            column[lane] = row.get(*feature);
        }
    }
    let mut scores = [0; LANES];
    for tree in trees {
        let mut places = [0_u16; LANES];
        for (bit, (feature, value)) in tree.asks.iter().enumerate() {
            let column = &columns[*feature as usize];
            for (place, is) in places.iter_mut().zip(column) {
                *place |= u16::from(is > value) << bit;
            }
        }
        for (score, place) in scores.iter_mut().zip(places) {
            *score += i64::from(tree.worth[usize::from(place)]);
        }
    }
    scores
}

/// The learned scorer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Weights {
    /// Trees for the start of a conversation.
    pub start: Vec<Tree>,
    /// Trees for answering an earlier line.
    pub answer: Vec<Tree>,
}

impl Weights {
    /// The likeliest earlier line, or `None` where a conversation starts. The
    /// nearer line wins a tie. A bot answers a command just before it.
    #[must_use]
    pub fn choose(&self, choice: &Choice) -> Option<usize> {
        if choice.command.is_some() {
            return choice.command;
        }
        let mut best = score(&self.start, &choice.start);
        let mut link = None;
        for rows in choice.answers.chunks(LANES) {
            let scores = side_by_side(&self.answer, rows);
            for ((earlier, row), score) in rows.iter().zip(scores) {
                let quoted = i64::from(row.get(Feature::Quoted)).min(MOST_QUOTED);
                let score = score + quoted * QUOTED;
                if score > best {
                    (best, link) = (score, Some(*earlier));
                }
            }
        }
        link
    }

    /// Reads the form that [`fmt::Display`] writes; lines that begin with `#` are notes.
    ///
    /// # Errors
    /// Names the first line that is not a tree.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut weights = Self::default();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let trees = match line.split_once(' ') {
                Some((START, tree)) => parsed(tree).map(|tree| weights.start.push(tree)),
                Some((ANSWER, tree)) => parsed(tree).map(|tree| weights.answer.push(tree)),
                _ => None,
            };
            trees.ok_or_else(|| {
                let number = number + 1;
                format!(
                    "line {number}: {line:?} is not \"{START}|{ANSWER} FEATURE>VALUE … : WORTH …\""
                )
            })?;
        }
        Ok(weights)
    }
}

fn score(trees: &[Tree], row: &Row) -> i64 {
    let mut score = 0;
    for tree in trees {
        score += i64::from(tree.score(row));
    }
    score
}

fn parsed(tree: &str) -> Option<Tree> {
    let (asks, worth) = tree.split_once(" : ")?;
    let ask = |text: &str| {
        let (name, value) = text.split_once('>')?;
        let feature = Feature::ALL.iter().find(|feature| feature.name() == name)?;
        Some((*feature, value.parse().ok()?))
    };
    let worths = worth.split_whitespace().map(|text| text.parse().ok());
    let tree = Tree {
        asks: asks.split_whitespace().map(ask).collect::<Option<_>>()?,
        worth: worths.collect::<Option<_>>()?,
    };
    (tree.asks.len() <= DEEPEST && tree.worth.len() == 1 << tree.asks.len()).then_some(tree)
}

impl fmt::Display for Weights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [(START, &self.start), (ANSWER, &self.answer)];
        for (part, trees) in parts {
            for tree in trees {
                write!(f, "{part}")?;
                for (feature, value) in &tree.asks {
                    write!(f, " {}>{value}", feature.name())?;
                }
                write!(f, " :")?;
                for worth in &tree.worth {
                    write!(f, " {worth}")?;
                }
                writeln!(f)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::BUILT_IN;
    use super::*;

    #[test]
    fn rows_side_by_side_are_scored_as_each_by_itself() {
        let row = |number: usize| {
            let mut row = Row::new();
            for (place, feature) in Feature::ALL.iter().enumerate() {
                row.set(*feature, number * (place + 7) % 40);
            }
            (number, row)
        };
        for length in [1, LANES] {
            let rows: Vec<_> = (0..length).map(row).collect();
            let scores = side_by_side(&BUILT_IN.answer, &rows);
            for ((number, row), together) in rows.iter().zip(scores) {
                assert_eq!(score(&BUILT_IN.answer, row), together, "row {number}");
            }
        }
    }
}
