//! Ids by row, and rows by id.

use std::hash::BuildHasher;
use std::mem::size_of;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// The id of each row; a row without one is free.
#[derive(Debug, Default)]
pub struct RowIds {
    names: Vec<Box<str>>,
    rows: HashTable<u32>,
}

impl RowIds {
    /// Takes over names in order of their rows, empty ones for free rows; None where one stands twice.
    #[must_use]
    pub fn of_names(names: Vec<Box<str>>) -> Option<Self> {
        let mut ids = Self { rows: HashTable::with_capacity(names.len()), names };
        for row in 0..ids.names.len() as u32 {
            let name = &ids.names[row as usize];
            if name.is_empty() {
                continue;
            }
            if ids.row(name).is_some() {
                return None;
            }
            let Self { names, rows } = &mut ids;
            rows.insert_unique(hash(&names[row as usize]), row, |other| hash(&names[*other as usize]));
        }
        Some(ids)
    }

    /// Number of rows, free ones included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The ids in order of their rows; empty where a row is free.
    #[must_use]
    pub fn names(&self) -> &[Box<str>] {
        &self.names
    }

    /// The row of an id.
    #[must_use]
    pub fn row(&self, id: &str) -> Option<u32> {
        self.rows.find(hash(id), |row| &*self.names[*row as usize] == id).copied()
    }

    /// Gives a free row, or the one after the last, to an id that has none.
    pub fn put(&mut self, row: u32, id: &str) {
        let place = row as usize;
        if place == self.names.len() {
            self.names.push(id.into());
        } else {
            self.names[place] = id.into();
        }
        let names = &self.names;
        self.rows.insert_unique(hash(id), row, |other| hash(&names[*other as usize]));
    }

    /// Frees the row of an id; None when it has none.
    pub fn free(&mut self, id: &str) -> Option<u32> {
        let names = &self.names;
        let found = self.rows.find_entry(hash(id), |row| &*names[*row as usize] == id).ok()?;
        let (row, _) = found.remove();
        self.names[row as usize] = Box::default();
        Some(row)
    }

    /// Bytes held, about.
    #[must_use]
    pub fn nbytes(&self) -> usize {
        let texts: usize = self.names.iter().map(|name| name.len()).sum();
        texts + self.names.capacity() * size_of::<Box<str>>() + self.rows.capacity() * (size_of::<u32>() + 1)
    }
}

fn hash(id: &str) -> u64 {
    FxBuildHasher.hash_one(id)
}

#[cfg(test)]
mod tests {
    use super::RowIds;

    #[test]
    fn ids_are_found_freed_and_put_again() {
        let mut ids = RowIds::default();
        for row in 0..1_000 {
            ids.put(row, &format!("id-{row}"));
        }
        assert_eq!((ids.row("id-77"), ids.row("nobody")), (Some(77), None));
        assert_eq!((ids.free("id-77"), ids.free("id-77")), (Some(77), None));
        assert_eq!((ids.row("id-77"), &*ids.names()[77]), (None, ""));
        ids.put(77, "new");
        assert_eq!((ids.row("new"), ids.len()), (Some(77), 1_000));
    }

    #[test]
    fn names_are_taken_over_unless_one_stands_twice() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).into()).collect::<Vec<Box<str>>>();
        let ids = RowIds::of_names(names(&["a", "", "b"])).expect("no name twice");
        assert_eq!((ids.row("b"), ids.row(""), ids.len()), (Some(2), None, 3));
        assert!(RowIds::of_names(names(&["a", "b", "a"])).is_none());
    }
}
