//! `KeywordIndex`.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use numpy::{Element, IntoPyArray, PyArray1, PyReadonlyArrayDyn};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyDict;

use super::array::{count, refuse, vector, vector_of, weights, within};
use super::vector::{Ranked, ranked};
use crate::keyword::{self, Bm25, Census, Entry, Image};

/// An inverted index of one partition; `_core.pyi` documents it.
///
/// The lock is only ever taken without the GIL, and nobody who holds it asks for the GIL.
#[pyclass(frozen, module = "memu_py._core")]
pub(super) struct KeywordIndex {
    index: RwLock<keyword::KeywordIndex>,
}

#[pymethods]
impl KeywordIndex {
    #[new]
    #[pyo3(signature = (*, k1=0.9, b=0.4))]
    fn new(k1: f64, b: f64) -> PyResult<Self> {
        Ok(Self { index: RwLock::new(keyword::KeywordIndex::new(bm25(k1, b)?)) })
    }

    /// What `image` gave.
    #[staticmethod]
    #[pyo3(signature = (image, *, k1=0.9, b=0.4))]
    fn of_image(py: Python<'_>, image: &Bound<'_, PyDict>, k1: f64, b: f64) -> PyResult<Self> {
        let texts: Vec<u8> = part(image, "texts")?;
        let image = Image {
            rows: part(image, "rows")?,
            groups: part(image, "groups")?,
            ordinals: part(image, "ordinals")?,
            lengths: part(image, "lengths")?,
            ends: part(image, "ends")?,
            terms: part(image, "terms")?,
            counts: part(image, "counts")?,
            texts: lines(&String::from_utf8_lossy(&texts)).map(Box::from).collect(),
        };
        let bm25 = bm25(k1, b)?;
        let index = py
            .detach(|| keyword::KeywordIndex::of_image(bm25, &image))
            .ok_or_else(|| refuse("the parts of `image` do not fit one another".to_owned()))?;
        Ok(Self { index: RwLock::new(index) })
    }

    /// Adds or replaces rows.
    fn add(
        &self,
        py: Python<'_>,
        rows: PyReadonlyArrayDyn<'_, u32>,
        tokens: Vec<PyBackedStr>,
        groups: PyReadonlyArrayDyn<'_, i64>,
        ordinals: PyReadonlyArrayDyn<'_, i64>,
    ) -> PyResult<()> {
        let rows = vector("rows", &rows)?;
        let groups = vector_of("groups", &groups, rows.len())?;
        let ordinals = vector_of("ordinals", &ordinals, rows.len())?;
        if tokens.len() != rows.len() {
            return Err(refuse(format!("`tokens` has {} texts for {} rows", tokens.len(), rows.len())));
        }
        self.write(py, |index| {
            let tokens: Vec<Vec<&str>> = tokens.iter().map(|text| lines(text).collect()).collect();
            let entries: Vec<Entry<'_, &str>> = (0..rows.len())
                .map(|i| Entry { row: rows[i], tokens: &tokens[i], group: groups[i], ordinal: ordinals[i] })
                .collect();
            index.add(&entries)
        })?
        .map_err(|error| refuse(error.to_string()))
    }

    /// Removes rows; unknown ones are ignored.
    fn remove(&self, py: Python<'_>, rows: PyReadonlyArrayDyn<'_, u32>) -> PyResult<()> {
        let rows = vector("rows", &rows)?;
        self.write(py, |index| index.remove(rows))
    }

    /// Weighs terms as a larger collection does.
    fn assume(&self, py: Python<'_>, texts: u64, holding: HashMap<String, u64>) -> PyResult<()> {
        let holding =
            holding.into_iter().map(|(term, count)| (term.into_boxed_str(), count as f64)).collect();
        self.write(py, |index| index.assume(Some(Census { texts: texts as f64, holding })))
    }

    /// The k best rows by BM25 on a fixed scale.
    #[pyo3(signature = (tokens, k, mask=None, spread=Vec::new()))]
    fn search<'py>(
        &self,
        py: Python<'py>,
        tokens: Vec<PyBackedStr>,
        k: i64,
        mask: Option<PyReadonlyArrayDyn<'py, bool>>,
        spread: Vec<f64>,
    ) -> PyResult<Ranked<'py>> {
        let k = count(k)?;
        weights("spread", &spread)?;
        let mask = mask.as_ref().map(|mask| vector("mask", mask)).transpose()?;
        let found = self.read(py, |index| index.search(&tokens, k, mask, &spread))?;
        Ok(ranked(py, &found))
    }

    /// The same scores for given rows; 0 where nothing is shared.
    #[pyo3(signature = (tokens, rows, spread=Vec::new()))]
    fn scores<'py>(
        &self,
        py: Python<'py>,
        tokens: Vec<PyBackedStr>,
        rows: PyReadonlyArrayDyn<'py, u32>,
        spread: Vec<f64>,
    ) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let rows = vector("rows", &rows)?;
        weights("spread", &spread)?;
        let scores = self.read(py, |index| index.scores(&tokens, rows, &spread))?;
        Ok(PyArray1::from_vec(py, scores))
    }

    /// The score of the sequence that each row belongs to.
    fn group_scores<'py>(
        &self,
        py: Python<'py>,
        tokens: Vec<PyBackedStr>,
        rows: PyReadonlyArrayDyn<'py, u32>,
    ) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let rows = vector("rows", &rows)?;
        let scores = self.read(py, |index| index.group_scores(&tokens, rows))?;
        Ok(PyArray1::from_vec(py, scores))
    }

    /// The index as arrays by name.
    fn image<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let Image { rows, groups, ordinals, lengths, ends, terms, counts, texts } =
            self.read(py, keyword::KeywordIndex::image)?;
        let arrays = PyDict::new(py);
        arrays.set_item("rows", rows.into_pyarray(py))?;
        arrays.set_item("groups", groups.into_pyarray(py))?;
        arrays.set_item("ordinals", ordinals.into_pyarray(py))?;
        arrays.set_item("lengths", lengths.into_pyarray(py))?;
        arrays.set_item("ends", ends.into_pyarray(py))?;
        arrays.set_item("terms", terms.into_pyarray(py))?;
        arrays.set_item("counts", counts.into_pyarray(py))?;
        arrays.set_item("texts", texts.join("\n").into_bytes().into_pyarray(py))?;
        Ok(arrays)
    }

    /// Bytes held, about.
    fn nbytes(&self, py: Python<'_>) -> PyResult<usize> {
        self.read(py, keyword::KeywordIndex::nbytes)
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.read(py, keyword::KeywordIndex::len)
    }
}

impl KeywordIndex {
    fn read<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&keyword::KeywordIndex) -> T + Send,
    ) -> PyResult<T> {
        py.detach(|| self.index.read().map(|index| work(&index)).map_err(broken))
    }

    fn write<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut keyword::KeywordIndex) -> T + Send,
    ) -> PyResult<T> {
        py.detach(|| self.index.write().map(|mut index| work(&mut index)).map_err(broken))
    }
}

fn bm25(k1: f64, b: f64) -> PyResult<Bm25> {
    Ok(Bm25 { k1: within("k1", k1, 0.0, f64::MAX)?, b: within("b", b, 0.0, 1.0)? })
}

/// Tokens that stand one a line; none in an empty text.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n').filter(|token| !token.is_empty())
}

/// A copy of one array of an image.
fn part<T: Element + Copy>(image: &Bound<'_, PyDict>, name: &str) -> PyResult<Vec<T>> {
    let found = image.get_item(name)?.ok_or_else(|| refuse(format!("`image` has no `{name}`")))?;
    let array: PyReadonlyArrayDyn<'_, T> = found.extract()?;
    Ok(vector(name, &array)?.to_vec())
}

fn broken<T>(_: PoisonError<T>) -> PyErr {
    PyRuntimeError::new_err("a change of the keyword index failed half-way; build it anew")
}
