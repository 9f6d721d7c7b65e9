//! An exact index of sparse vectors: score = Σ weight in the question × IDF ×
//! weight in the text, with the IDF that Qdrant uses.

use std::collections::HashMap;

use threadlore_model::SparseVector;

/// For each term the texts that have it.
pub(crate) struct Postings {
    texts: usize,
    by_term: HashMap<u32, Vec<(usize, f32)>>,
}

impl Postings {
    pub(crate) fn of<'a>(vectors: impl Iterator<Item = &'a SparseVector>) -> Self {
        let mut by_term: HashMap<u32, Vec<(usize, f32)>> = HashMap::new();
        let mut texts = 0;
        for vector in vectors {
            for (hash, weight) in vector.terms() {
                by_term.entry(*hash).or_default().push((texts, *weight));
            }
            texts += 1;
        }
        Self { texts, by_term }
    }

    /// Every text that shares a term, best first.
    pub(crate) fn search(&self, question: &SparseVector) -> Vec<(usize, f32)> {
        let mut scores = vec![0.0; self.texts];
        for (hash, weight) in question.terms() {
            if let Some(texts) = self.by_term.get(hash) {
                let (all, with) = (self.texts as f32, texts.len() as f32);
                let idf = (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
                for (text, other) in texts {
                    scores[*text] += weight * idf * other;
                }
            }
        }
        let found = scores.into_iter().enumerate();
        super::ranked(found.filter(|(_, score)| *score > 0.0).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_terms_weigh_more() {
        let vectors = [vec![(1, 1.0)], vec![(1, 1.0), (2, 1.0)], vec![(3, 1.0)]];
        let vectors = vectors.map(SparseVector::new);
        let postings = Postings::of(vectors.iter());
        let found = postings.search(&SparseVector::new(vec![(1, 1.0), (2, 1.0)]));
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].0, 1);
        // ln(1 + 1.5 / 2.5)
        assert!((found[1].1 - 0.470_003_6).abs() < 1e-5);
    }
}
