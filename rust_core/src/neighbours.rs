//! Rows with what stands beside them: similarities joined over a sequence.

/// The rows beside each row, and the lengths of their joined vectors.
#[derive(Clone, Copy, Debug)]
pub struct Neighbours<'a> {
    /// What a row and all neighbours that it may have weigh together.
    total: f32,
    /// Weights of the rows at distance 1, 2 … on both sides.
    weights: &'a [f64],
    /// Two lists for each weight, before and after: the neighbour of each row, negative for none.
    sides: &'a [&'a [i32]],
    norms: &'a [f32],
}

impl<'a> Neighbours<'a> {
    /// Wraps what a caller keeps.
    #[must_use]
    pub fn new(weights: &'a [f64], sides: &'a [&'a [i32]], norms: &'a [f32]) -> Self {
        let total = 1.0 + 2.0 * weights.iter().sum::<f64>() as f32;
        Self { total, weights, sides, norms }
    }

    /// Whether all parts are there for so many rows.
    #[must_use]
    pub fn fit(&self, rows: usize) -> bool {
        self.sides.len() == 2 * self.weights.len()
            && self.norms.len() == rows
            && self.sides.iter().all(|side| side.len() == rows)
    }

    /// What a row and the neighbours that it has weigh together in its joined similarity.
    #[must_use]
    pub fn weight(&self, row: usize) -> f32 {
        let mut sum = 1.0;
        for (sides, weight) in self.sides.chunks_exact(2).zip(self.weights) {
            sum += *weight as f32 * sides.iter().filter(|side| side[row] >= 0).count() as f32;
        }
        sum / self.norms[row]
    }

    /// The most that `weight` may be, read at once.
    #[must_use]
    pub fn most(&self, row: usize) -> f32 {
        self.total / self.norms[row]
    }

    /// A row and all that stand beside it.
    pub fn reach(&self, row: usize) -> impl Iterator<Item = usize> {
        std::iter::once(row).chain(self.sides.iter().filter_map(move |side| self.beside(side, row)))
    }

    /// The similarity of a row joined with its neighbours', given those of the rows alone.
    #[must_use]
    pub fn join(&self, row: usize, own: &[f32]) -> f32 {
        let mut sum = own[row];
        for (sides, weight) in self.sides.chunks_exact(2).zip(self.weights) {
            for side in sides {
                sum += *weight as f32 * self.beside(side, row).map_or(0.0, |near| own[near]);
            }
        }
        sum / self.norms[row]
    }

    /// The neighbour on one side; rows that came later than the view are nobody's.
    fn beside(&self, side: &[i32], row: usize) -> Option<usize> {
        usize::try_from(side[row]).ok().filter(|near| *near < self.norms.len())
    }
}

#[cfg(test)]
mod tests {
    use super::Neighbours;

    #[test]
    fn a_row_is_joined_with_those_beside_it() {
        let (before, after, norms) = ([-1, 0, 1], [1, 2, 3], [1.0, 2.0, 1.0]);
        let sides: [&[i32]; 2] = [&before, &after];
        let line = Neighbours::new(&[0.5], &sides, &norms);
        let own = [1.0, 2.0, 4.0];
        let found = [0, 1, 2].map(|row| line.join(row, &own).to_bits());
        assert_eq!(found, [2.0_f32, 2.25, 5.0].map(f32::to_bits));
        assert_eq!(line.reach(0).collect::<Vec<_>>(), [0, 1]);
        assert!(line.fit(3) && !line.fit(2));
    }
}
