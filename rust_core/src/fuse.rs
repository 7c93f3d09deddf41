//! Rank and score fusion.

use rustc_hash::FxHashMap;

/// Ids with their fused scores, best first; equal scores by id.
pub type Fused = Vec<(u32, f64)>;

/// Reciprocal rank fusion: the sum of `weight / (constant + rank)`, rank from 1.
///
/// An id that a ranking names twice counts by its better rank. Cormack, Clarke and Büttcher, SIGIR 2009.
#[must_use]
pub fn reciprocal_rank(rankings: &[&[u32]], weights: &[f64], constant: f64) -> Fused {
    let mut sums = FxHashMap::default();
    for (ranking, weight) in rankings.iter().zip(weights) {
        let mut ranks = FxHashMap::default();
        for (place, id) in ranking.iter().enumerate() {
            ranks.entry(*id).or_insert(place + 1);
        }
        for (id, rank) in ranks {
            *sums.entry(id).or_insert(0.0) += weight / (constant + rank as f64);
        }
    }
    best_first(sums)
}

/// The weighted mean of scores, a row absent from a source counting 0 there; a row named twice counts by its better score.
#[must_use]
pub fn weighted(rows: &[&[u32]], scores: &[&[f32]], weights: &[f64]) -> Fused {
    let total: f64 = weights.iter().sum();
    let mut means = FxHashMap::default();
    for ((rows, scores), weight) in rows.iter().zip(scores).zip(weights) {
        let mut best: FxHashMap<u32, f32> = FxHashMap::default();
        for (row, score) in rows.iter().zip(*scores) {
            best.entry(*row).and_modify(|kept| *kept = kept.max(*score)).or_insert(*score);
        }
        for (row, score) in best {
            *means.entry(row).or_insert(0.0) += weight * f64::from(score);
        }
    }
    for sum in means.values_mut() {
        *sum /= total;
    }
    best_first(means)
}

fn best_first(scores: FxHashMap<u32, f64>) -> Fused {
    let mut fused: Fused = scores.into_iter().map(|(id, score)| (id, score + 0.0)).collect();
    fused.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    fused
}

#[cfg(test)]
mod tests {
    use super::{reciprocal_rank, weighted};

    #[test]
    fn what_both_rank_high_comes_first() {
        let fused = reciprocal_rank(&[&[1, 2, 3], &[2, 4]], &[1.0, 1.0], 60.0);
        assert_eq!(fused.iter().map(|one| one.0).collect::<Vec<_>>(), [2, 1, 4, 3]);
        assert!((fused[0].1 - (1.0 / 62.0 + 1.0 / 61.0)).abs() < 1e-15);
    }

    #[test]
    fn a_repeated_id_counts_once() {
        assert_eq!(reciprocal_rank(&[&[7, 7]], &[1.0], 0.0), [(7, 1.0)]);
        assert_eq!(weighted(&[&[7, 7]], &[&[0.25, 0.5]], &[2.0]), [(7, 0.5)]);
    }

    #[test]
    fn absence_counts_as_zero_and_ties_order_by_row() {
        let fused = weighted(&[&[9, 1], &[2]], &[&[0.5, 0.5], &[0.5]], &[1.0, 1.0]);
        assert_eq!(fused, [(1, 0.25), (2, 0.25), (9, 0.25)]);
    }
}
