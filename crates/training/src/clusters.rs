//! Conversations from links, and how far two divisions into conversations agree.

use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Line numbers of one conversation.
pub type Cluster = BTreeSet<usize>;

/// Connected lines. Earlier lines than the first labelled one connect others
/// but are left out of the result.
pub fn of(links: &[(usize, usize)]) -> Vec<Cluster> {
    let Some(first) = links.iter().map(|(later, _)| *later).min() else {
        return Vec::new();
    };
    let mut parent: HashMap<usize, usize> = HashMap::new();
    for (later, earlier) in links {
        let (a, b) = (find(&mut parent, *later), find(&mut parent, *earlier));
        parent.insert(a.max(b), a.min(b));
    }
    let lines: BTreeSet<usize> = links
        .iter()
        .flat_map(|(a, b)| [*a, *b])
        .filter(|line| *line >= first)
        .collect();
    let mut clusters: BTreeMap<usize, Cluster> = BTreeMap::new();
    for line in lines {
        clusters
            .entry(find(&mut parent, line))
            .or_default()
            .insert(line);
    }
    clusters.into_values().collect()
}

fn find(parent: &mut HashMap<usize, usize>, line: usize) -> usize {
    let mut at = line;
    loop {
        let up = *parent.entry(at).or_insert(at);
        if up == at {
            return at;
        }
        let over = *parent.entry(up).or_insert(up);
        parent.insert(at, over);
        at = over;
    }
}

/// Harmonic mean of two shares.
pub fn f1(precision: f64, recall: f64) -> f64 {
    if precision + recall == 0.0 {
        0.0
    } else {
        2.0 * precision * recall / (precision + recall)
    }
}

/// Agreement over several logs, lines and conversations counted over all.
#[derive(Debug, Default)]
pub struct Agreement {
    lines: f64,
    /// Sizes of conversations: labelled, found, and of their overlaps.
    labelled: Vec<f64>,
    found: Vec<f64>,
    overlaps: Vec<f64>,
    matched: f64,
    exact: f64,
    exact_labelled: f64,
    exact_found: f64,
}

impl Agreement {
    /// Takes in one log. Both divisions have the same lines.
    pub fn add(&mut self, labelled: &[Cluster], found: &[Cluster]) {
        let table: Vec<Vec<usize>> = labelled
            .iter()
            .map(|l| found.iter().map(|f| l.intersection(f).count()).collect())
            .collect();
        self.lines += labelled.iter().map(BTreeSet::len).sum::<usize>() as f64;
        self.labelled
            .extend(labelled.iter().map(|c| c.len() as f64));
        self.found.extend(found.iter().map(|c| c.len() as f64));
        self.overlaps.extend(
            table
                .iter()
                .flatten()
                .filter(|n| **n > 0)
                .map(|n| *n as f64),
        );
        self.matched += best_matching(&table) as f64;
        let whole = |c: &&Cluster| c.len() > 1;
        self.exact_labelled += labelled.iter().filter(whole).count() as f64;
        self.exact_found += found.iter().filter(whole).count() as f64;
        self.exact += labelled
            .iter()
            .filter(whole)
            .filter(|l| found.contains(l))
            .count() as f64;
    }

    /// 100 less the variation of information as a part of its largest value.
    pub fn scaled_vi(&self) -> f64 {
        let entropy = |sizes: &[f64]| -> f64 {
            sizes
                .iter()
                .map(|n| -(n / self.lines) * (n / self.lines).log2())
                .sum()
        };
        let joint = entropy(&self.overlaps);
        let variation = 2.0 * joint - entropy(&self.labelled) - entropy(&self.found);
        100.0 - 100.0 * variation / self.lines.log2()
    }

    /// Share of lines in common when conversations are paired as well as can be.
    pub fn one_to_one(&self) -> f64 {
        100.0 * self.matched / self.lines
    }

    /// F1 of conversations of at least two lines that are found exactly.
    pub fn exact_f1(&self) -> f64 {
        let part = |whole: f64| {
            if whole == 0.0 {
                0.0
            } else {
                100.0 * self.exact / whole
            }
        };
        f1(part(self.exact_found), part(self.exact_labelled))
    }
}

/// The largest sum of cells with at most one from each row and column
/// (Hungarian method with potentials, on costs of minus the overlap).
fn best_matching(table: &[Vec<usize>]) -> i64 {
    let size = table.len().max(table.first().map_or(0, Vec::len));
    let cost = |row: usize, column: usize| -> i64 {
        let overlap = table.get(row).and_then(|row| row.get(column));
        -i64::try_from(*overlap.unwrap_or(&0)).unwrap_or(0)
    };
    // Rows and columns count from 1; column 0 stands for "none yet".
    let (mut of_row, mut of_column) = (vec![0_i64; size + 1], vec![0_i64; size + 1]);
    let mut row_at = vec![0_usize; size + 1];
    for row in 1..=size {
        row_at[0] = row;
        let (mut column, mut came_from) = (0, vec![0_usize; size + 1]);
        let (mut slack, mut used) = (vec![i64::MAX; size + 1], vec![false; size + 1]);
        while row_at[column] != 0 {
            used[column] = true;
            let (here, mut delta, mut next) = (row_at[column], i64::MAX, 0);
            for to in (1..=size).filter(|to| !used[*to]) {
                let reduced = cost(here - 1, to - 1) - of_row[here] - of_column[to];
                if reduced < slack[to] {
                    (slack[to], came_from[to]) = (reduced, column);
                }
                if slack[to] < delta {
                    (delta, next) = (slack[to], to);
                }
            }
            for to in 0..=size {
                if used[to] {
                    of_row[row_at[to]] += delta;
                    of_column[to] -= delta;
                } else if to > 0 {
                    slack[to] -= delta;
                }
            }
            column = next;
        }
        while column != 0 {
            row_at[column] = row_at[came_from[column]];
            column = came_from[column];
        }
    }
    (1..=size)
        .map(|column| -cost(row_at[column] - 1, column - 1))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clusters(lists: &[&[usize]]) -> Vec<Cluster> {
        lists
            .iter()
            .map(|list| list.iter().copied().collect())
            .collect()
    }

    #[test]
    fn lines_before_the_first_label_connect_but_do_not_count() {
        let links = [(1000, 7), (1001, 1001), (1002, 7), (1003, 1001)];
        assert_eq!(of(&links), clusters(&[&[1000, 1002], &[1001, 1003]]));
    }

    #[test]
    fn equal_divisions_agree_fully() {
        let mut agreement = Agreement::default();
        let same = clusters(&[&[1, 2, 3], &[4], &[5, 6]]);
        agreement.add(&same, &same);
        assert!((agreement.scaled_vi() - 100.0).abs() < 1e-9);
        assert!((agreement.one_to_one() - 100.0).abs() < 1e-9);
        assert!((agreement.exact_f1() - 100.0).abs() < 1e-9);
    }

    #[test]
    fn a_conversation_cut_in_two_costs_what_it_should() {
        let mut agreement = Agreement::default();
        agreement.add(&clusters(&[&[1, 2, 3, 4]]), &clusters(&[&[1, 2], &[3, 4]]));
        // One bit of variation out of log2(4) = 2.
        assert!((agreement.scaled_vi() - 50.0).abs() < 1e-9);
        assert!((agreement.one_to_one() - 50.0).abs() < 1e-9);
        assert!(agreement.exact_f1().abs() < 1e-9);
    }

    #[test]
    fn the_matching_is_the_best_not_the_greedy_one() {
        assert_eq!(best_matching(&[vec![5, 4], vec![4, 0]]), 8);
        assert_eq!(best_matching(&[vec![1, 2, 3]]), 3);
        assert_eq!(best_matching(&[]), 0);
    }
}
