//! A keyword index as plain arrays, to be kept in a file.

use super::index::{Bm25, KeywordIndex, Slot};
use super::posting::Terms;

/// The live rows, in order; the terms of each are a run of two long arrays.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Image {
    /// The caller's number of each row.
    pub rows: Vec<u32>,
    /// The sequence of each.
    pub groups: Vec<i64>,
    /// The place of each in it.
    pub ordinals: Vec<i64>,
    /// Tokens of each.
    pub lengths: Vec<u32>,
    /// Where the run of each ends.
    pub ends: Vec<u64>,
    /// Numbers of terms, ascending in a run.
    pub terms: Vec<u32>,
    /// How often the row holds the term.
    pub counts: Vec<u8>,
    /// The terms by number.
    pub texts: Vec<Box<str>>,
}

impl KeywordIndex {
    /// Its rows without those that were removed.
    #[must_use]
    pub fn image(&self) -> Image {
        let mut image = Image { texts: self.terms.texts(), ..Image::default() };
        for (slot, number) in self.slots.iter().zip(0..).filter(|(slot, _)| slot.live) {
            image.rows.push(slot.row);
            image.groups.push(slot.group);
            image.ordinals.push(slot.ordinal);
            image.lengths.push(slot.length);
            let (terms, counts) = self.terms.held(number);
            image.terms.extend_from_slice(terms);
            image.counts.extend_from_slice(counts);
            image.ends.push(image.terms.len() as u64);
        }
        image
    }

    /// The index that had this image; None where its parts do not fit one another.
    #[must_use]
    pub fn of_image(bm25: Bm25, image: &Image) -> Option<Self> {
        let rows = image.rows.len();
        let of_rows = [image.groups.len(), image.ordinals.len(), image.lengths.len(), image.ends.len()];
        if of_rows != [rows; 4] {
            return None;
        }
        let terms = Terms::of_runs(&image.texts, &image.ends, &image.terms, &image.counts)?;
        let mut index = Self::new(bm25);
        index.terms = terms;
        index.slots = (0..rows)
            .map(|at| Slot {
                row: image.rows[at],
                length: image.lengths[at],
                live: true,
                group: image.groups[at],
                ordinal: image.ordinals[at],
            })
            .collect();
        index.slot_of = image.rows.iter().copied().zip(0..).collect();
        (index.slot_of.len() == rows).then_some(index)
    }
}

#[cfg(test)]
mod tests {
    use super::super::index::{Bm25, Entry, KeywordIndex};
    use super::Image;

    const BM25: Bm25 = Bm25 { k1: 0.9, b: 0.4 };

    fn index() -> KeywordIndex {
        let mut index = KeywordIndex::new(BM25);
        let texts = [&["tea", "milk", "tea"][..], &["milk"], &[], &["sugar"]];
        let entry = |(row, tokens)| Entry { row, tokens, group: 5, ordinal: i64::from(row) };
        index.add(&(0..).zip(texts).map(entry).collect::<Vec<_>>()).expect("a few rows fit");
        index.remove(&[3]);
        index
    }

    #[test]
    fn an_index_comes_back_from_its_image() {
        let index = index();
        let again = KeywordIndex::of_image(BM25, &index.image()).expect("it fits");
        assert_eq!(again.len(), 3);
        for spread in [&[][..], &[0.5]] {
            assert_eq!(
                again.search(&["tea", "milk", "sugar"], 9, None, spread),
                index.search(&["tea", "milk", "sugar"], 9, None, spread)
            );
        }
    }

    #[test]
    fn a_damaged_image_is_refused() {
        let image = index().image();
        let damaged = [
            Image { rows: vec![0, 0, 1], ..image.clone() },
            Image { groups: vec![], ..image.clone() },
            Image { ends: vec![3, 2, 3], ..image.clone() },
            Image { ends: vec![2, 3, 9], ..image.clone() },
            Image { terms: vec![1, 0, 0], ..image.clone() },
            Image { terms: vec![0, 9, 1], ..image.clone() },
            Image { counts: vec![1], ..image.clone() },
            Image { texts: vec!["tea".into(); 3], ..image.clone() },
        ];
        for image in damaged {
            assert!(KeywordIndex::of_image(BM25, &image).is_none(), "{image:?}");
        }
    }
}
