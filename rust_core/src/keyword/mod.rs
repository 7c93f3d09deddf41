//! The keyword index: an inverted index of one partition whose rows can come and go.
//!
//! - `posting`: which rows hold a term;
//! - `index`: adding and removing;
//! - `layout`: which rows stand next to each other;
//! - `search`: BM25 over all of it;
//! - `group`: BM25 of whole sequences;
//! - `image`: the index as plain arrays, for a file.

mod group;
mod image;
mod index;
mod layout;
mod posting;
mod search;

pub use image::Image;
pub use index::{Bm25, Census, Entry, KeywordIndex, NO_GROUP, TooManyRows};
