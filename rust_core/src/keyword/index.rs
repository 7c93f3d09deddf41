//! Adding and removing rows.

use std::fmt;
use std::mem::size_of;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use super::group::Groups;
use super::layout::Layout;
use super::posting::{MAX_SLOTS, Terms};
use super::search::idf;

/// The group of rows that stand alone.
pub const NO_GROUP: i64 = -1;

/// Dead slots that are put up with however few rows live.
const MIN_DEAD: usize = 256;

/// One part in this many of all slots may be dead.
const DEAD_SHARE: usize = 4;

/// Layouts that are kept: of the rows alone, and with their neighbours.
const LAYOUTS: usize = 2;

/// The parameters of BM25.
#[derive(Clone, Copy, Debug)]
pub struct Bm25 {
    /// How slowly repeats level off, at least 0.
    pub k1: f64,
    /// How much the length counts, 0 to 1.
    pub b: f64,
}

impl Bm25 {
    /// The part of the denominator that does not depend on the term, for a text of a length.
    pub(super) fn norm(self, length: f64, average: f64) -> f64 {
        self.k1 * (1.0 - self.b + self.b * length / average)
    }
}

/// The index cannot number more rows.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct TooManyRows {
    /// Rows that were to be added.
    pub added: usize,
    /// Rows that are there.
    pub present: usize,
}

impl fmt::Display for TooManyRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { added, present } = self;
        write!(
            f,
            "{added} rows cannot be added to the {present} there are: a keyword index holds {MAX_SLOTS}"
        )
    }
}

impl std::error::Error for TooManyRows {}

/// A row to add.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a, T> {
    /// The caller's number for it.
    pub row: u32,
    /// Its index tokens.
    pub tokens: &'a [T],
    /// The sequence it belongs to, or `NO_GROUP`.
    pub group: i64,
    /// Its place in the sequence.
    pub ordinal: i64,
}

/// A row as it is kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub(super) row: u32,
    pub(super) length: u32,
    pub(super) live: bool,
    pub(super) group: i64,
    pub(super) ordinal: i64,
}

/// An inverted index of one partition.
#[derive(Debug)]
pub struct KeywordIndex {
    pub(super) bm25: Bm25,
    /// In the order they were added; replaced and removed ones are dead until the next rebuild.
    pub(super) slots: Vec<Slot>,
    pub(super) slot_of: FxHashMap<u32, u32>,
    pub(super) terms: Terms,
    /// For the spreads that were asked for last.
    layouts: Mutex<Vec<Arc<Layout>>>,
    groups: Mutex<Option<Arc<Groups>>>,
    /// Of all texts, where this index holds only some of them.
    pub(super) census: Option<Census>,
}

/// How many texts there are in all, and how many of them hold each term that is asked for.
#[derive(Clone, Debug, Default)]
pub struct Census {
    /// Texts in all.
    pub texts: f64,
    /// Texts that hold a term.
    pub holding: FxHashMap<Box<str>, f64>,
}

impl KeywordIndex {
    /// An empty index.
    #[must_use]
    pub fn new(bm25: Bm25) -> Self {
        Self {
            bm25,
            slots: Vec::new(),
            slot_of: FxHashMap::default(),
            terms: Terms::default(),
            layouts: Mutex::new(Vec::new()),
            groups: Mutex::new(None),
            census: None,
        }
    }

    /// Weighs terms by what a larger collection holds, of which this index has only a part; None by its own rows.
    pub fn assume(&mut self, census: Option<Census>) {
        self.census = census;
    }

    /// What a term weighs, given the texts that there are here and those of them that hold it.
    pub(super) fn weight(&self, text: &str, texts: f64, holding: f64) -> f64 {
        match &self.census {
            Some(census) => {
                let known = census.holding.get(text).copied().unwrap_or_default();
                // A part never holds a term more often than the whole, whatever was counted a moment ago.
                let holding = known.max(holding);
                idf(census.texts.max(holding), holding)
            }
            None => idf(texts, holding),
        }
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slot_of.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slot_of.is_empty()
    }

    /// Adds rows, each in the place of the one with its number. Nothing is added when they do not fit.
    pub fn add<T: AsRef<str>>(&mut self, entries: &[Entry<'_, T>]) -> Result<(), TooManyRows> {
        if self.slots.len() + entries.len() > MAX_SLOTS {
            self.rebuild();
        }
        if self.slots.len() + entries.len() > MAX_SLOTS {
            return Err(TooManyRows { added: entries.len(), present: self.len() });
        }
        self.forget_layout();
        for entry in entries {
            self.bury(entry.row);
            self.append(entry);
        }
        self.rebuild_if_worth_it();
        Ok(())
    }

    /// Removes rows; unknown ones are ignored.
    pub fn remove(&mut self, rows: &[u32]) {
        self.forget_layout();
        for row in rows {
            self.bury(*row);
        }
        self.rebuild_if_worth_it();
    }

    /// Bytes held, about.
    #[must_use]
    pub fn nbytes(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>()
            + self.slot_of.capacity() * (size_of::<(u32, u32)>() + 1)
            + self.terms.nbytes()
            + held(&self.layouts).iter().map(|layout| layout.nbytes()).sum::<usize>()
            + held(&self.groups).as_ref().map_or(0, |groups| groups.nbytes())
    }

    /// The layout for a spread, made anew when rows or the spread changed.
    pub(super) fn layout(&self, spread: &[f64]) -> Arc<Layout> {
        if let Some(known) = held(&self.layouts).iter().find(|layout| layout.spread == spread) {
            return Arc::clone(known);
        }
        let made = Arc::new(Layout::new(self, spread));
        let mut layouts = held(&self.layouts);
        layouts.truncate(LAYOUTS - 1);
        layouts.insert(0, Arc::clone(&made));
        made
    }

    /// The sequences, made anew when rows changed.
    pub(super) fn groups(&self) -> Arc<Groups> {
        let known = held(&self.groups).clone();
        known.unwrap_or_else(|| Arc::clone(held(&self.groups).insert(Arc::new(Groups::new(self)))))
    }

    fn forget_layout(&mut self) {
        held(&self.layouts).clear();
        *held(&self.groups) = None;
    }

    fn append<T: AsRef<str>>(&mut self, entry: &Entry<'_, T>) {
        let &Entry { row, tokens, group, ordinal } = entry;
        let slot = Slot { row, length: tokens.len() as u32, live: true, group, ordinal };
        self.slot_of.insert(row, self.slots.len() as u32);
        self.terms.append(tokens.iter().map(AsRef::as_ref));
        self.slots.push(slot);
    }

    fn bury(&mut self, row: u32) {
        let Some(number) = self.slot_of.remove(&row) else { return };
        self.slots[number as usize].live = false;
        self.terms.bury(number);
    }

    fn rebuild_if_worth_it(&mut self) {
        let dead = self.slots.len() - self.len();
        if dead > MIN_DEAD && dead * DEAD_SHARE > self.slots.len() {
            self.rebuild();
        }
    }

    /// Lets go of dead slots.
    fn rebuild(&mut self) {
        let live: Vec<u32> =
            (0..self.slots.len() as u32).filter(|slot| self.slots[*slot as usize].live).collect();
        self.terms = std::mem::take(&mut self.terms).rebuilt(&live);
        self.slots = live.iter().map(|slot| self.slots[*slot as usize]).collect();
        self.slot_of = self.slots.iter().zip(0..).map(|(slot, number)| (slot.row, number)).collect();
    }
}

fn held<T>(place: &Mutex<T>) -> MutexGuard<'_, T> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::{Bm25, Entry, KeywordIndex, MIN_DEAD, NO_GROUP};

    fn index() -> KeywordIndex {
        KeywordIndex::new(Bm25 { k1: 0.9, b: 0.4 })
    }

    fn put(index: &mut KeywordIndex, row: u32, tokens: &[&str]) {
        let entry = Entry { row, tokens, group: NO_GROUP, ordinal: 0 };
        index.add(&[entry]).expect("a few rows fit");
    }

    #[test]
    fn a_row_is_replaced_and_removed() {
        let mut index = index();
        put(&mut index, 7, &["tea"]);
        put(&mut index, 7, &["milk"]);
        assert_eq!(index.len(), 1);
        assert!(index.search(&["tea"], 9, None, &[]).is_empty());
        assert_eq!(index.search(&["milk"], 9, None, &[])[0].row, 7);
        index.remove(&[7, 99]);
        assert!(index.is_empty() && index.search(&["milk"], 9, None, &[]).is_empty());
    }

    #[test]
    fn much_coming_and_going_does_not_grow_the_index() {
        let mut index = index();
        put(&mut index, u32::MAX, &["kept"]);
        for round in 0..10_000 {
            put(&mut index, round % 5, &["some", &format!("word{round}")]);
        }
        assert!(index.slots.len() <= 6 + MIN_DEAD, "{}", index.slots.len());
        assert_eq!(index.len(), 6);
        assert_eq!(index.search(&["kept"], 9, None, &[])[0].row, u32::MAX);
        assert_eq!(index.search(&["word9998"], 9, None, &[])[0].row, 3);
        assert!(index.search(&["word1"], 9, None, &[]).is_empty());
    }
}
