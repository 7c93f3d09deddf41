//! The k best of a stream of scored rows.

use std::cmp::Ordering;

/// A row with its score and what goes with it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored<T = ()> {
    /// Row number.
    pub row: u32,
    /// Score; never NaN.
    pub score: f32,
    /// What goes with it.
    pub extra: T,
}

impl<T> Scored<T> {
    /// Best first; equal scores by row.
    fn order(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(self.row.cmp(&other.row))
    }
}

/// Keeps the k best rows that were offered.
#[derive(Debug)]
pub struct TopK<T = ()> {
    k: usize,
    kept: Vec<Scored<T>>,
    /// The k-th best score so far, once there are k.
    floor: f32,
}

impl<T: Copy> TopK<T> {
    /// An empty one.
    #[must_use]
    pub fn new(k: usize) -> Self {
        let floor = if k == 0 { f32::INFINITY } else { f32::NEG_INFINITY };
        Self { k, kept: Vec::new(), floor }
    }

    /// The score a row must at least have to be kept.
    #[must_use]
    pub fn floor(&self) -> f32 {
        self.floor
    }

    /// Offers a row; one whose score is NaN is never kept.
    pub fn offer(&mut self, row: u32, score: f32, extra: T) {
        if self.k == 0 || score.is_nan() || score < self.floor {
            return;
        }
        // Adding zero makes -0 and 0 equal.
        self.kept.push(Scored { row, score: score + 0.0, extra });
        if self.kept.len() >= self.k.saturating_mul(2).max(64) {
            self.shrink();
        }
    }

    /// Joins two.
    #[must_use]
    pub fn merge(mut self, other: Self) -> Self {
        for one in other.kept {
            self.offer(one.row, one.score, one.extra);
        }
        self
    }

    /// The k-th best score; negative infinity where fewer were kept.
    #[must_use]
    pub fn least(mut self) -> f32 {
        self.shrink();
        let kept = self.kept.iter().map(|one| one.score).fold(f32::INFINITY, f32::min);
        if self.kept.len() < self.k { f32::NEG_INFINITY } else { kept }
    }

    /// The rows, best first.
    #[must_use]
    pub fn into_sorted(mut self) -> Vec<Scored<T>> {
        self.shrink();
        self.kept.sort_unstable_by(Scored::order);
        self.kept
    }

    fn shrink(&mut self) {
        if self.kept.len() > self.k {
            self.kept.select_nth_unstable_by(self.k - 1, Scored::order);
            self.kept.truncate(self.k);
            self.floor = self.kept[self.k - 1].score;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::TopK;

    fn best(k: usize, scores: &[f32]) -> Vec<u32> {
        let mut top = TopK::new(k);
        for (row, score) in scores.iter().enumerate() {
            top.offer(row as u32, *score, ());
        }
        top.into_sorted().iter().map(|one| one.row).collect()
    }

    #[test]
    fn best_first_and_ties_by_row() {
        assert_eq!(best(3, &[0.1, 0.9, 0.5, 0.9]), [1, 3, 2]);
        assert_eq!(best(2, &[0.0, -0.0, 0.0]), [0, 1]);
    }

    #[test]
    fn none_of_none_and_fewer_than_k() {
        assert!(best(0, &[1.0]).is_empty());
        assert_eq!(best(9, &[1.0, 2.0]), [1, 0]);
    }

    #[test]
    fn what_is_no_number_is_left_out() {
        assert_eq!(best(3, &[f32::NAN, f32::NEG_INFINITY, 1.0]), [2, 1]);
    }

    #[test]
    fn many_rows_shrink_to_the_same_answer() {
        let scores: Vec<f32> =
            (0..10_000_u32).map(|i| (i.wrapping_mul(2_654_435_761) % 997) as f32).collect();
        let mut order: Vec<u32> = (0..10_000).collect();
        order.sort_by(|a, b| scores[*b as usize].total_cmp(&scores[*a as usize]).then(a.cmp(b)));
        assert_eq!(best(77, &scores), order[..77]);
    }

    #[test]
    fn merging_is_like_one_stream() {
        let (mut left, mut right) = (TopK::new(2), TopK::new(2));
        left.offer(5, 0.5, ());
        left.offer(6, 0.1, ());
        right.offer(1, 0.5, ());
        right.offer(2, 0.7, ());
        let rows: Vec<u32> = left.merge(right).into_sorted().iter().map(|one| one.row).collect();
        assert_eq!(rows, [2, 1]);
    }
}
