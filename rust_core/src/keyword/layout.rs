//! Rows laid out by sequence, so that neighbours stand side by side; made anew when rows or the spread changed.
//!
//! A *seat* is one live row, a *position* one ordinal of one sequence with the seats that share it. Between sequences lie
//! as many empty positions as the spread reaches, so that no neighbour needs a bounds check of its own.

use std::mem::size_of;

use super::index::{KeywordIndex, NO_GROUP};

/// No seat: the slot is dead.
pub(super) const NONE: u32 = u32::MAX;

/// The live rows under one spread.
#[derive(Debug)]
pub(super) struct Layout {
    /// Weights of the positions at distance 1, 2 … on both sides.
    pub(super) spread: Vec<f64>,
    /// Seat of each slot.
    seats: Vec<u32>,
    /// Slot of each seat, in order of position.
    pub(super) slots: Vec<u32>,
    /// Position of each seat.
    pub(super) positions: Vec<u32>,
    /// First seat of each position, and the end of the last one.
    starts: Vec<u32>,
    /// Whether any row has a neighbour.
    pub(super) lends: bool,
    /// The part of BM25's denominator that does not depend on the term, for each seat.
    pub(super) norms: Vec<f32>,
}

impl Layout {
    pub(super) fn new(index: &KeywordIndex, spread: &[f64]) -> Self {
        let mut slots: Vec<u32> =
            (0..index.slots.len() as u32).filter(|slot| index.slots[*slot as usize].live).collect();
        let key = |slot: &u32| {
            let slot = &index.slots[*slot as usize];
            (slot.group, slot.ordinal)
        };
        // Stable, and quick on rows that were added in order.
        slots.sort_by_key(key);
        let mut layout = Self {
            spread: spread.to_vec(),
            seats: vec![NONE; index.slots.len()],
            slots: Vec::new(),
            positions: Vec::with_capacity(slots.len()),
            starts: vec![0; spread.len()],
            lends: false,
            norms: Vec::new(),
        };
        for (slot, seat) in slots.iter().zip(0..) {
            layout.seats[*slot as usize] = seat;
        }
        for together in slots.chunk_by(|a, b| key(a).0 == key(b).0) {
            layout.seat_group(together, key);
        }
        layout.starts.push(slots.len() as u32);
        layout.slots = slots;
        layout.norms = layout.lengths(index);
        layout
    }

    pub(super) fn seat(&self, slot: u32) -> u32 {
        self.seats[slot as usize]
    }

    /// Number of positions, empty ones included.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The seats of a position.
    pub(super) fn at(&self, position: usize) -> std::ops::Range<usize> {
        self.starts[position] as usize..self.starts[position + 1] as usize
    }

    /// What the neighbours of a position lend: whole amounts, weighted by distance, nearest first.
    pub(super) fn lent(&self, position: usize, amount: impl Fn(usize) -> f64) -> f64 {
        let near = |distance: usize| amount(position - distance) + amount(position + distance);
        self.spread.iter().zip(1..).fold(0.0, |sum, (weight, distance)| sum + weight * near(distance))
    }

    /// `lent` for all positions; `amounts` has one value for each.
    pub(super) fn all_lent(&self, amounts: &[f64], lent: &mut [f64]) {
        let reach = self.spread.len();
        let Some(inner) = amounts.len().checked_sub(2 * reach) else { return };
        let lent = &mut lent[reach..][..inner];
        lent.fill(0.0);
        for (weight, distance) in self.spread.iter().zip(1..) {
            let before = &amounts[reach - distance..][..inner];
            let after = &amounts[reach + distance..][..inner];
            for ((lent, before), after) in lent.iter_mut().zip(before).zip(after) {
                *lent += weight * (before + after);
            }
        }
    }

    pub(super) fn nbytes(&self) -> usize {
        let numbers = [&self.seats, &self.slots, &self.positions, &self.starts];
        numbers.iter().map(|numbers| numbers.capacity() * size_of::<u32>()).sum::<usize>()
            + self.norms.capacity() * size_of::<f32>()
    }

    /// Seats the rows of one group: those of one ordinal share a position, those without a group have one each.
    fn seat_group(&mut self, slots: &[u32], key: impl Fn(&u32) -> (i64, i64)) {
        let reach = self.spread.len();
        let alone = key(&slots[0]).0 == NO_GROUP;
        for together in slots.chunk_by(|a, b| !alone && key(a) == key(b)) {
            self.starts.push(self.positions.len() as u32);
            let position = self.starts.len() as u32 - 1;
            self.positions.extend(together.iter().map(|_| position));
            if alone {
                self.pad(reach);
            }
        }
        if !alone {
            self.lends |= key(&slots[0]) != key(&slots[slots.len() - 1]);
            self.pad(reach);
        }
    }

    fn pad(&mut self, reach: usize) {
        let end = self.positions.len() as u32;
        self.starts.extend(std::iter::repeat_n(end, reach));
    }

    fn lengths(&self, index: &KeywordIndex) -> Vec<f32> {
        let own = |seat: usize| f64::from(index.slots[self.slots[seat] as usize].length);
        let at: Vec<f64> = (0..self.len()).map(|position| self.at(position).map(own).sum()).collect();
        let average = self.total_length(&at) / index.len().max(1) as f64;
        if average <= 0.0 {
            return vec![0.0; self.slots.len()];
        }
        let mut lent = vec![0.0; at.len()];
        self.all_lent(&at, &mut lent);
        let bm25 = index.bm25;
        (0..self.slots.len())
            .map(|seat| own(seat) + lent[self.positions[seat] as usize])
            .map(|length| bm25.norm(length, average) as f32)
            .collect()
    }

    /// The sum of all lengths, lent ones included. Whole numbers are summed before they are weighted, so that the order of
    /// rows does not show.
    fn total_length(&self, at: &[f64]) -> f64 {
        let taken = |position: &usize| !self.at(*position).is_empty();
        let lent = self.spread.iter().zip(1..).map(|(weight, distance)| {
            let near = |position: usize| at[position - distance] + at[position + distance];
            let sum: f64 = (0..at.len())
                .filter(taken)
                .map(|position| self.at(position).len() as f64 * near(position))
                .sum();
            weight * sum
        });
        at.iter().sum::<f64>() + lent.sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::super::index::{Bm25, Entry, KeywordIndex, NO_GROUP};
    use super::Layout;

    /// Rows at the positions around a row's own, nearest first, in pairs before and after.
    fn around(rows: &[(i64, i64)], row: usize, reach: usize) -> Vec<Vec<u32>> {
        let mut index = KeywordIndex::new(Bm25 { k1: 0.9, b: 0.4 });
        let entries: Vec<Entry<'_, &str>> = rows
            .iter()
            .zip(0..)
            .map(|((group, ordinal), row)| Entry { row, tokens: &["x"], group: *group, ordinal: *ordinal })
            .collect();
        index.add(&entries).expect("a few rows fit");
        let layout = Layout::new(&index, &vec![0.5; reach]);
        let position = layout.positions[layout.seat(row as u32) as usize] as usize;
        let rows = |position: usize| layout.slots[layout.at(position)].to_vec();
        (1..=reach).flat_map(|distance| [rows(position - distance), rows(position + distance)]).collect()
    }

    #[test]
    fn neighbours_are_the_nearest_present_ordinals_of_the_group() {
        let rows = [(1, 10), (1, i64::MAX), (2, 11), (1, 20), (1, 15)];
        assert_eq!(around(&rows, 4, 2), [vec![0], vec![3], vec![], vec![1]]);
        assert_eq!(around(&rows, 2, 2), [[], [], [], []] as [[u32; 0]; 4]);
    }

    #[test]
    fn rows_of_one_ordinal_share_a_position() {
        assert_eq!(around(&[(7, 1), (7, 2), (7, 2), (7, 3)], 0, 1), [vec![], vec![1, 2]]);
        assert_eq!(around(&[(7, 1), (7, 2), (7, 2), (7, 3)], 1, 1), [[0], [3]]);
    }

    #[test]
    fn rows_without_a_group_stand_alone() {
        assert_eq!(around(&[(NO_GROUP, 1), (NO_GROUP, 1), (NO_GROUP, 2)], 1, 1), [[], []] as [[u32; 0]; 2]);
    }
}
