//! Gradient boosting of small trees on the likelihood of the right rows.

use std::fmt;

use threadlore_language::threads::{Feature, Row, Tree, Weights};

use crate::examples::Example;
use crate::softmax::{UNIT, shares};

/// How trees are grown. The values were chosen by cross-validation on the
/// training logs.
#[derive(Debug, Clone)]
pub struct Growth {
    /// Trees of each part.
    pub trees: usize,
    /// Questions of a tree for answering.
    pub depth: usize,
    /// Questions of a tree for starting.
    pub start_depth: usize,
    /// How much of what a tree would change it changes.
    pub rate: f64,
    /// How much doubt each leaf begins with.
    pub doubt: f64,
    /// Out of a hundred lines, how many each tree sees.
    pub lines_percent: u64,
    /// Out of a hundred features, how many each tree may ask of.
    pub features_percent: u64,
    /// Values that a feature is cut at, about.
    pub cuts: usize,
    /// Where the draws begin; not zero.
    pub seed: u64,
}

impl Default for Growth {
    fn default() -> Self {
        Self {
            trees: 100,
            depth: 5,
            start_depth: 4,
            rate: 0.2,
            doubt: 15.0,
            lines_percent: 60,
            features_percent: 60,
            cuts: 24,
            seed: 42,
        }
    }
}

impl fmt::Display for Growth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            trees,
            depth,
            start_depth,
            rate,
            doubt,
            lines_percent,
            features_percent,
            cuts,
            seed,
        } = self;
        write!(
            f,
            "Seed {seed}; {trees} trees of each kind, {depth} questions deep ({start_depth} for a start), rate {rate}, \
             doubt {doubt}, each on {lines_percent} % of lines and {features_percent} % of features, {cuts} cuts"
        )
    }
}

/// Draws that follow from a seed (xorshift).
struct Draws(u64);

impl Draws {
    fn percent(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % 100
    }
}

/// Rows of one part, each feature a column of places among its cuts.
struct Table {
    cuts: Vec<Vec<i16>>,
    columns: Vec<Vec<u8>>,
    /// The example of each row.
    example: Vec<usize>,
    score: Vec<i32>,
    slope: Vec<f64>,
    bend: Vec<f64>,
}

impl Table {
    fn new(rows: &[(usize, &Row)], most: usize) -> Self {
        let column = |feature: &Feature| -> Vec<i16> {
            rows.iter().map(|(_, row)| row.get(*feature)).collect()
        };
        let mut table = Self {
            cuts: Vec::new(),
            columns: Vec::new(),
            example: rows.iter().map(|(example, _)| *example).collect(),
            score: vec![0; rows.len()],
            slope: vec![0.0; rows.len()],
            bend: vec![0.0; rows.len()],
        };
        for feature in Feature::ALL {
            let values = column(feature);
            let cuts = cuts(&values, most);
            let place = |value: &i16| {
                u8::try_from(cuts.partition_point(|cut| value > cut)).unwrap_or(u8::MAX)
            };
            table.columns.push(values.iter().map(place).collect());
            table.cuts.push(cuts);
        }
        table
    }

    /// Grows a tree on the rows of the chosen examples and adds its worth to
    /// the scores of all rows.
    fn grow(&mut self, chosen: &[bool], allowed: &[bool], depth: usize, growth: &Growth) -> Tree {
        let mut sample = Sample::new(self, chosen);
        let mut cuts: Vec<(usize, u8)> = Vec::new();
        while let Some((index, cut)) = self.best_cut(&sample, allowed, growth.doubt) {
            sample.split(&self.columns[index], cut);
            cuts.push((index, cut));
            if cuts.len() == depth {
                break;
            }
        }
        let worth = |(slope, bend): (f64, f64)| {
            (growth.rate * UNIT * slope / (bend + growth.doubt)).round() as i32
        };
        let one = vec![0; self.example.len()];
        let worth: Vec<i32> = sample.sums(&one, 1).into_iter().map(worth).collect();
        for row in 0..self.score.len() {
            let mut place = 0;
            for (level, (index, cut)) in cuts.iter().enumerate() {
                place |= usize::from(self.columns[*index][row] > *cut) << level;
            }
            self.score[row] += worth[place];
        }
        let ask = |(index, cut): &(usize, u8)| {
            (Feature::ALL[*index], self.cuts[*index][usize::from(*cut)])
        };
        Tree {
            asks: cuts.iter().map(ask).collect(),
            worth,
        }
    }

    /// The feature and the cut that make all leaves together fit best.
    fn best_cut(&self, sample: &Sample, allowed: &[bool], doubt: f64) -> Option<(usize, u8)> {
        let mut best: Option<(f64, usize, u8)> = None;
        for (index, column) in self.columns.iter().enumerate() {
            let width = self.cuts[index].len() + 1;
            if !allowed[index] || width == 1 {
                continue;
            }
            let sums = sample.sums(column, width);
            for (cut, gain) in (0_u8..).zip(gains(&sums, width, doubt)) {
                if best.is_none_or(|(most, _, _)| gain > most) {
                    best = Some((gain, index, cut));
                }
            }
        }
        best.map(|(_, index, cut)| (index, cut))
    }
}

/// The rows that one tree is grown on.
struct Sample {
    rows: Vec<usize>,
    slope: Vec<f64>,
    bend: Vec<f64>,
    /// The leaf of each row so far.
    leaf: Vec<u8>,
    levels: usize,
}

impl Sample {
    fn new(table: &Table, chosen: &[bool]) -> Self {
        let seen = |row: &usize| chosen[table.example[*row]];
        let rows: Vec<usize> = (0..table.example.len()).filter(seen).collect();
        Self {
            slope: rows.iter().map(|row| table.slope[*row]).collect(),
            bend: rows.iter().map(|row| table.bend[*row]).collect(),
            leaf: vec![0; rows.len()],
            rows,
            levels: 0,
        }
    }

    /// Slopes and bends summed by leaf, and within a leaf by place.
    fn sums(&self, column: &[u8], width: usize) -> Vec<(f64, f64)> {
        let mut sums = vec![(0.0, 0.0); width << self.levels];
        for (at, row) in self.rows.iter().enumerate() {
            let sum = &mut sums[usize::from(self.leaf[at]) * width + usize::from(column[*row])];
            *sum = (sum.0 + self.slope[at], sum.1 + self.bend[at]);
        }
        sums
    }

    fn split(&mut self, column: &[u8], cut: u8) {
        for (leaf, row) in self.leaf.iter_mut().zip(&self.rows) {
            *leaf |= u8::from(column[*row] > cut) << self.levels;
        }
        self.levels += 1;
    }
}

/// For each cut how much better the leaves fit when each is cut there.
fn gains(sums: &[(f64, f64)], width: usize, doubt: f64) -> Vec<f64> {
    let fit = |slope: f64, bend: f64| slope * slope / (bend + doubt);
    let mut gains = vec![0.0; width - 1];
    for leaf in sums.chunks(width) {
        let (mut slope, mut bend) = (0.0, 0.0);
        for sum in leaf {
            slope += sum.0;
            bend += sum.1;
        }
        let (mut low_slope, mut low_bend) = (0.0, 0.0);
        for (cut, gain) in gains.iter_mut().enumerate() {
            low_slope += leaf[cut].0;
            low_bend += leaf[cut].1;
            *gain += fit(low_slope, low_bend) + fit(slope - low_slope, bend - low_bend);
        }
    }
    gains
}

/// Values between which about equally many rows lie.
fn cuts(values: &[i16], most: usize) -> Vec<i16> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let mut distinct = sorted.clone();
    distinct.dedup();
    distinct.pop();
    if distinct.len() <= most {
        return distinct;
    }
    let mut cuts: Vec<i16> = (1..=most)
        .map(|part| sorted[part * (sorted.len() - 1) / (most + 1)])
        .collect();
    // Small values are where most is decided.
    cuts.extend(distinct.iter().take(most / 4));
    cuts.sort_unstable();
    cuts.dedup();
    cuts.retain(|cut| distinct.binary_search(cut).is_ok());
    cuts
}

/// Trees that make the right rows of the examples likely.
pub(crate) fn boost(examples: &[Example], growth: &Growth) -> Weights {
    let mut starts = Vec::new();
    let mut answers = Vec::new();
    for (at, example) in examples.iter().enumerate() {
        starts.extend(example.rows.first().map(|row| (at, row)));
        answers.extend(example.rows[1..].iter().map(|row| (at, row)));
    }
    let mut start = Table::new(&starts, growth.cuts);
    let mut answer = Table::new(&answers, growth.cuts);
    let mut draws = Draws(growth.seed);
    let mut weights = Weights::default();
    for _ in 0..growth.trees {
        slopes(examples, &mut start, &mut answer);
        let chosen: Vec<bool> = examples
            .iter()
            .map(|_| draws.percent() < growth.lines_percent)
            .collect();
        let mut allowed = || -> Vec<bool> {
            let allow = |_| draws.percent() < growth.features_percent;
            Feature::ALL.iter().map(allow).collect()
        };
        let (for_start, for_answer) = (allowed(), allowed());
        weights
            .start
            .push(start.grow(&chosen, &for_start, growth.start_depth, growth));
        weights
            .answer
            .push(answer.grow(&chosen, &for_answer, growth.depth, growth));
    }
    weights
}

/// For each row how the likelihood of the right rows changes with its score.
fn slopes(examples: &[Example], start: &mut Table, answer: &mut Table) {
    let (mut scores, mut shared) = (Vec::new(), Vec::new());
    let mut first = 0;
    for (at, example) in examples.iter().enumerate() {
        let count = example.rows.len() - 1;
        scores.clear();
        scores.push(start.score[at]);
        scores.extend_from_slice(&answer.score[first..first + count]);
        shares(&scores, &mut shared);
        let right: f64 = shared
            .iter()
            .zip(&example.right)
            .filter(|(_, r)| **r)
            .map(|(s, _)| s)
            .sum();
        for (place, share) in shared.iter().enumerate() {
            let wanted = if example.right[place] {
                share / right
            } else {
                0.0
            };
            let (slope, bend) = (wanted - share, share * (1.0 - share));
            if place == 0 {
                (start.slope[at], start.bend[at]) = (slope, bend);
            } else {
                (
                    answer.slope[first + place - 1],
                    answer.bend[first + place - 1],
                ) = (slope, bend);
            }
        }
        first += count;
    }
}
