//! BM25 of whole sequences: which session talks of the question, whoever of its rows says so.
//!
//! A sequence is read as one text, made of all its rows; a row without a group is a sequence of its own.

use std::collections::BTreeSet;
use std::mem::size_of;

use rustc_hash::FxHashMap;

use super::index::{KeywordIndex, NO_GROUP};
use super::search::saturate;

/// No sequence: the slot is dead.
const NONE: u32 = u32::MAX;

/// The live rows by sequence; made anew when rows changed.
#[derive(Debug)]
pub(super) struct Groups {
    /// Sequence of each slot, numbered from 0.
    of_slot: Vec<u32>,
    /// The part of BM25's denominator that does not depend on the term, for each sequence.
    norms: Vec<f64>,
}

impl Groups {
    pub(super) fn new(index: &KeywordIndex) -> Self {
        let mut numbers: FxHashMap<i64, u32> = FxHashMap::default();
        let mut lengths: Vec<u64> = Vec::new();
        let mut of_slot = vec![NONE; index.slots.len()];
        for (slot, number) in index.slots.iter().zip(&mut of_slot).filter(|(slot, _)| slot.live) {
            let next = lengths.len() as u32;
            *number = if slot.group == NO_GROUP { next } else { *numbers.entry(slot.group).or_insert(next) };
            if *number == next {
                lengths.push(0);
            }
            lengths[*number as usize] += u64::from(slot.length);
        }
        let average = lengths.iter().sum::<u64>() as f64 / lengths.len().max(1) as f64;
        let bm25 = index.bm25;
        let norm = |length: &u64| bm25.norm(*length as f64, average);
        let norms = if average > 0.0 { lengths.iter().map(norm).collect() } else { vec![0.0; lengths.len()] };
        Self { of_slot, norms }
    }

    pub(super) fn nbytes(&self) -> usize {
        self.of_slot.capacity() * size_of::<u32>() + self.norms.capacity() * size_of::<f64>()
    }
}

impl KeywordIndex {
    /// The score of the sequence that each row belongs to, in [0, 1]; 0 for a row that is unknown.
    #[must_use]
    pub fn group_scores<T: AsRef<str>>(&self, tokens: &[T], rows: &[u32]) -> Vec<f32> {
        let groups = self.groups();
        let distinct: BTreeSet<&str> = tokens.iter().map(AsRef::as_ref).collect();
        let mut sums = vec![0.0; groups.norms.len()];
        let mut counts = vec![0; groups.norms.len()];
        let mut total = 0.0;
        for text in distinct {
            let holding = self.count_in_groups(text, &groups, &mut counts);
            let idf = self.weight(text, groups.norms.len() as f64, holding.len() as f64);
            total += idf;
            for group in holding {
                let count = std::mem::take(&mut counts[group as usize]);
                sums[group as usize] += idf * saturate(f64::from(count), groups.norms[group as usize]);
            }
        }
        let score = |slot: &u32| {
            let sum = sums[groups.of_slot[*slot as usize] as usize];
            if sum > 0.0 { (sum / total) as f32 } else { 0.0 }
        };
        rows.iter().map(|row| self.slot_of.get(row).map_or(0.0, score)).collect()
    }

    /// Counts a term in each sequence; returns those that hold it. `counts` is 0 everywhere before.
    fn count_in_groups(&self, text: &str, groups: &Groups, counts: &mut [u32]) -> Vec<u32> {
        let postings = self.terms.number(text).map(|number| self.terms.term(number).postings.as_slice());
        let mut holding = Vec::new();
        for posting in postings.unwrap_or_default() {
            let group = groups.of_slot[posting.slot() as usize];
            if group != NONE {
                let count = &mut counts[group as usize];
                if *count == 0 {
                    holding.push(group);
                }
                *count += posting.count();
            }
        }
        holding
    }
}

#[cfg(test)]
mod tests {
    use crate::keyword::{Bm25, Entry, KeywordIndex, NO_GROUP};

    fn index(rows: &[(&[&str], i64)]) -> KeywordIndex {
        let mut index = KeywordIndex::new(Bm25 { k1: 0.9, b: 0.4 });
        let entries: Vec<Entry<'_, &str>> = rows
            .iter()
            .zip(0..)
            .map(|((tokens, group), row)| Entry { row, tokens, group: *group, ordinal: i64::from(row) })
            .collect();
        index.add(&entries).expect("a few rows fit");
        index
    }

    #[test]
    fn all_rows_of_a_sequence_get_its_score() {
        let index = index(&[(&["tea"], 1), (&["milk"], 1), (&["milk"], 2), (&["tea"], NO_GROUP)]);
        let scores = index.group_scores(&["tea"], &[0, 1, 2, 3, 99]);
        assert!(scores[0] > 0.0 && scores[0].to_bits() == scores[1].to_bits());
        assert_eq!((scores[2], scores[4]), (0.0, 0.0));
        assert!(scores[3] > scores[0], "a text that says nothing else says it more");
    }

    #[test]
    fn a_sequence_that_lost_its_row_lost_the_word() {
        let mut index = index(&[(&["tea"], 1), (&["milk"], 1), (&["milk"], 2)]);
        index.remove(&[0]);
        assert_eq!(index.group_scores(&["tea"], &[0, 1, 2]), [0.0, 0.0, 0.0]);
    }
}
