//! BM25 with lent terms.
//!
//! The term frequency of a row is its own plus `spread[i - 1]` times that of the i-th position on each side; its length
//! likewise. Both functions compute a score in the same order, so that they agree to the last bit.

use std::collections::BTreeSet;

use super::index::KeywordIndex;
use super::layout::{Layout, NONE};
use crate::topk::{Scored, TopK};

/// How much longer a seat takes when seats are looked up around each posting than when all are gone through in order.
const NEAR_COST: usize = 4;

/// One term of a question.
struct Wanted {
    number: Option<u32>,
    idf: f64,
}

/// Room for one search.
struct Scratch {
    /// By seat.
    scores: Vec<f64>,
    /// Occurrences of the present term, by seat and by position.
    own: Vec<u8>,
    counts: Vec<f64>,
    /// What neighbours lend of it, by position.
    lent: Vec<f64>,
    /// Positions that hold it.
    touched: Vec<u32>,
    /// The last term for which a position was scored.
    seen: Vec<u32>,
}

impl Scratch {
    fn new(layout: &Layout) -> Self {
        let seats = layout.slots.len();
        let (own, positions) = if layout.lends { (seats, layout.len()) } else { (0, 0) };
        Self {
            scores: vec![0.0; seats],
            own: vec![0; own],
            counts: vec![0.0; positions],
            lent: vec![0.0; positions],
            touched: Vec::new(),
            seen: vec![0; positions],
        }
    }
}

impl KeywordIndex {
    /// The k best rows that share a term, own or lent, with the question; scores lie in [0, 1].
    ///
    /// `mask` is indexed by row; rows beyond its end are not allowed.
    #[must_use]
    pub fn search<T: AsRef<str>>(
        &self,
        tokens: &[T],
        k: usize,
        mask: Option<&[bool]>,
        spread: &[f64],
    ) -> Vec<Scored> {
        let wanted = self.wanted(tokens);
        let total: f64 = wanted.iter().map(|term| term.idf).sum();
        let layout = self.layout(spread);
        let mut scratch = Scratch::new(&layout);
        for (term, round) in wanted.iter().zip(1..) {
            match term.number {
                Some(number) if !layout.lends => self.walk(number, term.idf, &layout, &mut scratch),
                Some(number) => self.walk_spread(number, term.idf, round, &layout, &mut scratch),
                None => {}
            }
        }
        let mut top = TopK::new(k.min(self.len()));
        for (seat, sum) in scratch.scores.iter().enumerate() {
            let score = (sum / total) as f32;
            if score > 0.0 && score >= top.floor() {
                let row = self.row_at(&layout, seat);
                if mask.is_none_or(|mask| mask.get(row as usize).copied().unwrap_or(false)) {
                    top.offer(row, score, ());
                }
            }
        }
        top.into_sorted()
    }

    /// The same scores for some rows, in their order; 0 for one that is unknown or shares nothing.
    #[must_use]
    pub fn scores<T: AsRef<str>>(&self, tokens: &[T], rows: &[u32], spread: &[f64]) -> Vec<f32> {
        let wanted = self.wanted(tokens);
        let total: f64 = wanted.iter().map(|term| term.idf).sum();
        let layout = self.layout(spread);
        let part = |term: &Wanted, seat: usize| {
            let frequency = term.number.map_or(0.0, |number| self.frequency(seat, number, &layout));
            term.idf * saturate(frequency, f64::from(layout.norms[seat]))
        };
        let score = |slot: u32| {
            let seat = layout.seat(slot) as usize;
            let sum: f64 = wanted.iter().map(|term| part(term, seat)).sum();
            if sum > 0.0 { (sum / total) as f32 } else { 0.0 }
        };
        rows.iter().map(|row| self.slot_of.get(row).map_or(0.0, |slot| score(*slot))).collect()
    }

    fn row_at(&self, layout: &Layout, seat: usize) -> u32 {
        self.slots[layout.slots[seat] as usize].row
    }

    /// The distinct terms of a question in order of their texts, each with its idf.
    fn wanted<T: AsRef<str>>(&self, tokens: &[T]) -> Vec<Wanted> {
        let distinct: BTreeSet<&str> = tokens.iter().map(AsRef::as_ref).collect();
        let rows = self.len() as f64;
        distinct
            .into_iter()
            .map(|text| {
                let number = self.terms.number(text);
                let holding = number.map_or(0.0, |number| f64::from(self.terms.term(number).live));
                Wanted { number, idf: self.weight(text, rows, holding) }
            })
            .collect()
    }

    /// Adds one term's part to the scores of all seats that hold it.
    fn walk(&self, number: u32, idf: f64, layout: &Layout, scratch: &mut Scratch) {
        for posting in &self.terms.term(number).postings {
            let seat = layout.seat(posting.slot());
            if seat != NONE {
                let part = idf * saturate(f64::from(posting.count()), f64::from(layout.norms[seat as usize]));
                scratch.scores[seat as usize] += part;
            }
        }
    }

    /// Adds one term's part to the scores of all seats that hold it or are lent it.
    fn walk_spread(&self, number: u32, idf: f64, round: u32, layout: &Layout, scratch: &mut Scratch) {
        let postings = &self.terms.term(number).postings;
        let seats = || postings.iter().map(|posting| (layout.seat(posting.slot()), posting.count()));
        scratch.touched.clear();
        for (seat, count) in seats().filter(|(seat, _)| *seat != NONE) {
            let position = layout.positions[seat as usize];
            scratch.own[seat as usize] = count as u8;
            scratch.counts[position as usize] += f64::from(count);
            scratch.touched.push(position);
        }
        let near = scratch.touched.len() * (1 + 2 * layout.spread.len());
        if near * NEAR_COST < layout.slots.len() {
            score_near(idf, round, layout, scratch);
        } else {
            score_all(idf, layout, scratch);
        }
        for (seat, _) in seats().filter(|(seat, _)| *seat != NONE) {
            scratch.own[seat as usize] = 0;
        }
        for position in &scratch.touched {
            scratch.counts[*position as usize] = 0.0;
        }
    }

    /// How often a seat has a term, lent occurrences included.
    fn frequency(&self, seat: usize, number: u32, layout: &Layout) -> f64 {
        let count = |seat: usize| f64::from(self.terms.count(layout.slots[seat], number));
        let lent = layout
            .lent(layout.positions[seat] as usize, |position| layout.at(position).map(count).sum::<f64>());
        count(seat) + lent
    }
}

/// Scores all seats for one term: quicker when most of them are near one that holds it.
fn score_all(idf: f64, layout: &Layout, scratch: &mut Scratch) {
    layout.all_lent(&scratch.counts, &mut scratch.lent);
    let rows = layout.positions.iter().zip(&layout.norms).zip(&scratch.own);
    for (score, ((position, norm), own)) in scratch.scores.iter_mut().zip(rows) {
        let frequency = f64::from(*own) + scratch.lent[*position as usize];
        *score += idf * saturate(frequency, f64::from(*norm));
    }
}

/// Scores the seats of the touched positions and of those around them for one term, each once.
fn score_near(idf: f64, round: u32, layout: &Layout, scratch: &mut Scratch) {
    let reach = layout.spread.len();
    for touched in &scratch.touched {
        for position in *touched as usize - reach..=*touched as usize + reach {
            let done = std::mem::replace(&mut scratch.seen[position], round) == round;
            if done || layout.at(position).is_empty() {
                continue;
            }
            let lent = layout.lent(position, |near| scratch.counts[near]);
            for seat in layout.at(position) {
                let frequency = f64::from(scratch.own[seat]) + lent;
                scratch.scores[seat] += idf * saturate(frequency, f64::from(layout.norms[seat]));
            }
        }
    }
}

/// What a term weighs that so many of all texts hold.
pub(super) fn idf(all: f64, holding: f64) -> f64 {
    ((all - holding + 0.5) / (holding + 0.5)).ln_1p()
}

/// BM25's levelling off of a frequency, without the factor `k1 + 1` that scores are divided by.
pub(super) fn saturate(frequency: f64, norm: f64) -> f64 {
    if frequency > 0.0 { frequency / (frequency + norm) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use crate::keyword::{Bm25, Entry, KeywordIndex, NO_GROUP};

    fn index(rows: &[(&[&str], i64, i64)]) -> KeywordIndex {
        let mut index = KeywordIndex::new(Bm25 { k1: 0.9, b: 0.4 });
        let entries: Vec<Entry<'_, &str>> = rows
            .iter()
            .zip(0..)
            .map(|((tokens, group, ordinal), row)| Entry { row, tokens, group: *group, ordinal: *ordinal })
            .collect();
        index.add(&entries).expect("a few rows fit");
        index
    }

    fn found(index: &KeywordIndex, tokens: &[&str], spread: &[f64]) -> Vec<u32> {
        index.search(tokens, 99, None, spread).iter().map(|one| one.row).collect()
    }

    #[test]
    fn the_rare_term_and_the_short_row_win() {
        let index = index(&[
            (&["tea", "and", "milk"], NO_GROUP, 0),
            (&["tea", "and", "milk", "and", "sugar"], NO_GROUP, 0),
            (&["tea"], NO_GROUP, 0),
        ]);
        assert_eq!(found(&index, &["tea", "sugar"], &[])[0], 1);
        assert_eq!(found(&index, &["tea"], &[]), [2, 0, 1]);
    }

    #[test]
    fn a_score_is_a_share_of_what_the_question_could_give() {
        let index = index(&[(&["tea"], NO_GROUP, 0), (&["milk"], NO_GROUP, 0)]);
        let score = index.search(&["tea", "tea"], 1, None, &[])[0].score;
        assert!((score - 1.0 / 1.9).abs() < 1e-6, "{score}");
        let (known, unknown) = ((2.0_f64).ln(), (6.0_f64).ln());
        let score = index.search(&["tea", "coffee"], 1, None, &[])[0].score;
        assert!((f64::from(score) - known / 1.9 / (known + unknown)).abs() < 1e-6, "{score}");
    }

    #[test]
    fn neighbours_lend_their_terms_and_a_row_of_its_own_wins() {
        let rows: [(&[&str], i64, i64); 4] =
            [(&["where"], 1, 10), (&["paris"], 1, 20), (&["yes"], 1, 30), (&["no"], 2, 25)];
        let index = index(&rows);
        assert_eq!(found(&index, &["paris"], &[]), [1]);
        assert_eq!(found(&index, &["paris"], &[0.5]), [1, 0, 2]);
        assert_eq!(found(&index, &["where"], &[0.5, 0.25]), [0, 1, 2]);
    }

    #[test]
    fn a_word_of_few_rows_among_many_is_lent_at_both_ends() {
        let mut rows: Vec<(&[&str], i64, i64)> = (0..100).map(|i| (&["x"][..], 1, i)).collect();
        rows[0].0 = &["first"];
        rows[99].0 = &["last"];
        let index = index(&rows);
        assert_eq!(found(&index, &["first"], &[0.5, 0.25]), [0, 1, 2]);
        assert_eq!(found(&index, &["last"], &[0.5, 0.25]), [99, 98, 97]);
    }

    #[test]
    fn both_functions_agree_to_the_last_bit() {
        let rows: Vec<(&[&str], i64, i64)> =
            vec![(&["a", "b"], 1, 1), (&["b", "b"], 1, 2), (&["c"], 1, 2), (&["a"], 1, 5), (&["d"], 2, 1)];
        let index = index(&rows);
        let spread = [0.3, 0.1];
        let scores = index.scores(&["b", "a", "x"], &[0, 1, 2, 3, 4, 99], &spread);
        for one in index.search(&["a", "x", "b"], 99, None, &spread) {
            assert_eq!(one.score.to_bits(), scores[one.row as usize].to_bits(), "{}", one.row);
        }
        assert_eq!(scores[4..], [0.0, 0.0]);
    }

    #[test]
    fn rows_beyond_the_mask_are_not_allowed() {
        let index = index(&[(&["tea"], NO_GROUP, 0), (&["tea"], NO_GROUP, 0), (&["tea"], NO_GROUP, 0)]);
        let allowed = index.search(&["tea"], 99, Some(&[false, true]), &[]);
        assert_eq!(allowed.iter().map(|one| one.row).collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn an_empty_question_or_index_finds_nothing() {
        assert!(found(&index(&[]), &["tea"], &[0.5]).is_empty());
        assert!(found(&index(&[(&[], 1, 1)]), &["tea"], &[0.5]).is_empty());
        assert!(found(&index(&[(&["tea"], 1, 1)]), &[], &[0.5]).is_empty());
    }
}
