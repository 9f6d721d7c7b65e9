//! Shares of scores, the same on every machine.

/// What one unit of an integer score is worth.
pub(crate) const UNIT: f64 = 1000.0;

/// The exponential of a number that is not positive, by ten squarings: only
/// sums and products, whose results are the same on every machine.
fn exp(x: f64) -> f64 {
    let mut power = 1.0 + x.max(-30.0) / 1024.0;
    for _ in 0..10 {
        power *= power;
    }
    power
}

/// Turns scores into shares that sum to one.
pub(crate) fn shares(scores: &[i32], out: &mut Vec<f64>) {
    out.clear();
    let best = scores.iter().copied().max().unwrap_or(0);
    out.extend(
        scores
            .iter()
            .map(|score| exp(f64::from(score - best) / UNIT)),
    );
    let sum: f64 = out.iter().sum();
    for share in out {
        *share /= sum;
    }
}
