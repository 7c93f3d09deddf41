//! `tokenize`, `content_words`, `normalize_text`, `content_hash`, `bytes_hash`.

use numpy::PyReadonlyArrayDyn;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyString;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::array::vector;
use crate::{fold, hash, parallel, token};

/// Steps that a byte of text costs, about, on the scale of `parallel`.
const WORK_PER_BYTE: usize = 64;

/// Index tokens of each text.
#[pyfunction]
pub(super) fn tokenize<'py>(
    py: Python<'py>,
    texts: Vec<Bound<'py, PyString>>,
) -> Vec<Vec<Bound<'py, PyString>>> {
    shared(py, each(py, &texts, token::tokenize))
}

/// Index tokens of each text without stop words and question words.
#[pyfunction]
pub(super) fn content_words(py: Python<'_>, texts: Vec<Bound<'_, PyString>>) -> Vec<Vec<String>> {
    each(py, &texts, token::content_words)
}

/// One form for texts that a reader takes for the same.
#[pyfunction]
pub(super) fn normalize_text(py: Python<'_>, text: Bound<'_, PyString>) -> String {
    let text = owned(&text);
    py.detach(|| fold::normalize_text(&text))
}

/// BLAKE3 of `normalize_text(text)`, hex.
#[pyfunction]
pub(super) fn content_hash(py: Python<'_>, text: Bound<'_, PyString>) -> String {
    let text = owned(&text);
    py.detach(|| hash::hex(fold::normalize_text(&text).as_bytes()))
}

/// BLAKE3 of the bytes, hex.
#[pyfunction]
pub(super) fn bytes_hash(py: Python<'_>, data: Bytes<'_>) -> PyResult<String> {
    let data = match &data {
        Bytes::Object(data) => data,
        Bytes::Array(data) => vector("data", data)?,
    };
    Ok(py.detach(|| hash::hex(data)))
}

/// Bytes, or an array of them.
#[derive(FromPyObject)]
pub(super) enum Bytes<'py> {
    Object(PyBackedBytes),
    Array(PyReadonlyArrayDyn<'py, u8>),
}

/// A lone surrogate, which no UTF-8 text can hold, becomes U+FFFD.
fn owned(text: &Bound<'_, PyString>) -> String {
    text.to_string_lossy().into_owned()
}

/// The same tokens as Python's text, equal ones as one object: a batch repeats most of its words.
fn shared(py: Python<'_>, texts: Vec<Vec<String>>) -> Vec<Vec<Bound<'_, PyString>>> {
    let mut known: FxHashMap<String, Bound<'_, PyString>> = FxHashMap::default();
    let mut share = |token| known.entry(token).or_insert_with_key(|token| PyString::new(py, token)).clone();
    texts.into_iter().map(|tokens| tokens.into_iter().map(&mut share).collect()).collect()
}

fn each(
    py: Python<'_>,
    texts: &[Bound<'_, PyString>],
    work: impl Fn(&str) -> Vec<String> + Sync,
) -> Vec<Vec<String>> {
    let texts: Vec<String> = texts.iter().map(owned).collect();
    let bytes: usize = texts.iter().map(String::len).sum();
    py.detach(|| {
        if parallel::worth_it(bytes.saturating_mul(WORK_PER_BYTE)) {
            texts.par_iter().map(|text| work(text)).collect()
        } else {
            texts.iter().map(|text| work(text)).collect()
        }
    })
}
