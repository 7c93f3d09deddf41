//! Terms and their postings.

use std::mem::size_of;

use rustc_hash::FxHashMap;

/// Bits of a posting that count occurrences; the others number the slot.
const COUNT_BITS: u32 = 8;

/// More occurrences of a term in one row count as this many: BM25 has long levelled off.
pub(super) const MAX_COUNT: u32 = (1 << COUNT_BITS) - 1;

/// Slots that fit in a posting.
pub(super) const MAX_SLOTS: usize = 1 << (u32::BITS - COUNT_BITS);

/// One slot with the number of times it holds the term, in four bytes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Posting(u32);

impl Posting {
    fn new(slot: u32, count: u32) -> Self {
        Self(slot << COUNT_BITS | count)
    }

    pub(super) fn slot(self) -> u32 {
        self.0 >> COUNT_BITS
    }

    pub(super) fn count(self) -> u32 {
        self.0 & MAX_COUNT
    }
}

/// The postings of one term, in order of slot, dead slots included.
#[derive(Debug, Default)]
pub(super) struct Term {
    pub(super) postings: Vec<Posting>,
    /// Live slots among them.
    pub(super) live: u32,
}

/// Distinct terms of each slot, in order of their numbers, with counts: one run of two long arrays for each slot.
#[derive(Debug)]
struct Forward {
    terms: Vec<u32>,
    counts: Vec<u8>,
    starts: Vec<usize>,
}

impl Default for Forward {
    fn default() -> Self {
        Self { terms: Vec::new(), counts: Vec::new(), starts: vec![0] }
    }
}

/// All terms, found by text and by slot.
#[derive(Debug, Default)]
pub(super) struct Terms {
    numbers: FxHashMap<Box<str>, u32>,
    list: Vec<Term>,
    forward: Forward,
}

impl Terms {
    pub(super) fn number(&self, text: &str) -> Option<u32> {
        self.numbers.get(text).copied()
    }

    pub(super) fn term(&self, number: u32) -> &Term {
        &self.list[number as usize]
    }

    /// How often a slot holds a term.
    pub(super) fn count(&self, slot: u32, number: u32) -> u32 {
        let run = self.run(slot);
        match self.forward.terms[run.clone()].binary_search(&number) {
            Ok(found) => u32::from(self.forward.counts[run.start + found]),
            Err(_) => 0,
        }
    }

    /// Gives the next slot its terms.
    pub(super) fn append<'a>(&mut self, tokens: impl Iterator<Item = &'a str>) {
        let slot = (self.forward.starts.len() - 1) as u32;
        let mut numbers: Vec<u32> = tokens.map(|token| self.intern(token)).collect();
        numbers.sort_unstable();
        for same in numbers.chunk_by(|a, b| a == b) {
            self.post(slot, same[0], (same.len() as u32).min(MAX_COUNT));
        }
        self.forward.starts.push(self.forward.terms.len());
    }

    /// The terms by number.
    pub(super) fn texts(&self) -> Vec<Box<str>> {
        let mut texts = vec![Box::default(); self.list.len()];
        for (text, number) in &self.numbers {
            texts[*number as usize] = text.clone();
        }
        texts
    }

    /// The terms that a slot holds, with counts.
    pub(super) fn held(&self, slot: u32) -> (&[u32], &[u8]) {
        let run = self.run(slot);
        (&self.forward.terms[run.clone()], &self.forward.counts[run])
    }

    /// Terms of live slots, given as runs; None where the parts do not fit one another.
    pub(super) fn of_runs(texts: &[Box<str>], ends: &[u64], terms: &[u32], counts: &[u8]) -> Option<Self> {
        let numbers: FxHashMap<Box<str>, u32> = texts.iter().cloned().zip(0..).collect();
        let starts: Vec<usize> = std::iter::once(0).chain(ends.iter().map(|end| *end as usize)).collect();
        let whole = starts.is_sorted() && *starts.last()? == terms.len() && terms.len() == counts.len();
        if !whole || numbers.len() != texts.len() {
            return None;
        }
        let mut lengths = vec![0; texts.len()];
        for number in terms {
            *lengths.get_mut(*number as usize)? += 1;
        }
        let empty = |length: &u32| Term { postings: Vec::with_capacity(*length as usize), live: *length };
        let mut list: Vec<Term> = lengths.iter().map(empty).collect();
        for (slot, run) in (0..).zip(starts.windows(2)) {
            let held = &terms[run[0]..run[1]];
            if !held.is_sorted_by(|before, after| before < after) {
                return None;
            }
            for (number, count) in held.iter().zip(&counts[run[0]..run[1]]) {
                list[*number as usize].postings.push(Posting::new(slot, u32::from(*count)));
            }
        }
        let forward = Forward { terms: terms.to_vec(), counts: counts.to_vec(), starts };
        Some(Self { numbers, list, forward })
    }

    /// Counts a slot out of the live ones of its terms; its postings stay until the next rebuild.
    pub(super) fn bury(&mut self, slot: u32) {
        for number in &self.forward.terms[self.run(slot)] {
            self.list[*number as usize].live -= 1;
        }
    }

    /// A copy of some slots, renumbered in the order given, with no term that none of them holds.
    pub(super) fn rebuilt(self, slots: &[u32]) -> Self {
        let mut texts: Vec<Box<str>> = vec![Box::default(); self.list.len()];
        for (text, number) in self.numbers {
            texts[number as usize] = text;
        }
        let mut fresh = Self::default();
        let mut renumbered: Vec<Option<u32>> = vec![None; texts.len()];
        for (to, from) in slots.iter().enumerate() {
            let run = self.forward.starts[*from as usize]..self.forward.starts[*from as usize + 1];
            let mut held: Vec<(u32, u32)> = run
                .map(|at| {
                    let old = self.forward.terms[at] as usize;
                    let new = *renumbered[old]
                        .get_or_insert_with(|| fresh.intern_new(std::mem::take(&mut texts[old])));
                    (new, u32::from(self.forward.counts[at]))
                })
                .collect();
            held.sort_unstable();
            for (number, count) in held {
                fresh.post(to as u32, number, count);
            }
            fresh.forward.starts.push(fresh.forward.terms.len());
        }
        fresh
    }

    pub(super) fn nbytes(&self) -> usize {
        let texts: usize = self.numbers.keys().map(|text| text.len()).sum();
        let postings: usize = self.list.iter().map(|term| term.postings.capacity()).sum();
        texts
            + self.numbers.capacity() * (size_of::<(Box<str>, u32)>() + 1)
            + self.list.capacity() * size_of::<Term>()
            + (postings + self.forward.terms.capacity()) * size_of::<u32>()
            + self.forward.counts.capacity()
            + self.forward.starts.capacity() * size_of::<usize>()
    }

    fn run(&self, slot: u32) -> std::ops::Range<usize> {
        self.forward.starts[slot as usize]..self.forward.starts[slot as usize + 1]
    }

    fn intern(&mut self, text: &str) -> u32 {
        match self.numbers.get(text) {
            Some(number) => *number,
            None => self.intern_new(text.into()),
        }
    }

    fn intern_new(&mut self, text: Box<str>) -> u32 {
        let number = self.list.len() as u32;
        self.numbers.insert(text, number);
        self.list.push(Term::default());
        number
    }

    fn post(&mut self, slot: u32, number: u32, count: u32) {
        let term = &mut self.list[number as usize];
        term.postings.push(Posting::new(slot, count));
        term.live += 1;
        self.forward.terms.push(number);
        self.forward.counts.push(count as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_COUNT, MAX_SLOTS, Posting, Terms};

    #[test]
    fn a_posting_holds_the_largest_slot_and_count() {
        let posting = Posting::new(MAX_SLOTS as u32 - 1, MAX_COUNT);
        assert_eq!((posting.slot() as usize, posting.count()), (MAX_SLOTS - 1, MAX_COUNT));
    }

    #[test]
    fn counts_are_found_by_slot_and_level_off() {
        let mut terms = Terms::default();
        terms.append(["tea", "milk", "tea"].into_iter());
        terms.append(std::iter::repeat_n("milk", 1_000));
        let (tea, milk) = (terms.number("tea"), terms.number("milk"));
        let count = |slot, number: Option<u32>| number.map(|number| terms.count(slot, number));
        assert_eq!(
            [count(0, tea), count(0, milk), count(1, tea), count(1, milk)],
            [2, 1, 0, MAX_COUNT].map(Some)
        );
        assert_eq!(terms.number("coffee"), None);
    }

    #[test]
    fn rebuilding_forgets_what_was_buried() {
        let mut terms = Terms::default();
        terms.append(["tea"].into_iter());
        terms.append(["milk", "sugar"].into_iter());
        terms.bury(0);
        let terms = terms.rebuilt(&[1]);
        assert_eq!(terms.number("tea"), None);
        assert_eq!(terms.number("sugar").map(|number| terms.count(0, number)), Some(1));
    }
}
