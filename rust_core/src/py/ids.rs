//! `RowIds`.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArrayDyn};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;

use super::array::{refuse, texts, vector};
use crate::ids;

/// Two arrays: texts one after the other, and where each ends.
type Texts<'py> = (Bound<'py, PyArray1<u8>>, Bound<'py, PyArray1<u64>>);

/// The id of each row of a table; `_core.pyi` documents it.
#[pyclass(module = "memu_py._core")]
pub(super) struct RowIds {
    ids: ids::RowIds,
}

#[pymethods]
impl RowIds {
    #[new]
    fn new() -> Self {
        Self { ids: ids::RowIds::default() }
    }

    /// What `image` gave.
    #[staticmethod]
    fn of_image(names: PyReadonlyArrayDyn<'_, u8>, ends: PyReadonlyArrayDyn<'_, u64>) -> PyResult<Self> {
        let names = texts(vector("names", &names)?, vector("ends", &ends)?)
            .ok_or_else(|| refuse("`names` and `ends` do not fit one another".to_owned()))?;
        let names = names.into_iter().map(Box::from).collect();
        let ids = ids::RowIds::of_names(names).ok_or_else(|| refuse("`names` holds one twice".to_owned()))?;
        Ok(Self { ids })
    }

    /// The ids as two arrays.
    fn image<'py>(&self, py: Python<'py>) -> Texts<'py> {
        let mut names = Vec::new();
        let mut ends = Vec::with_capacity(self.ids.len());
        for name in self.ids.names() {
            names.extend_from_slice(name.as_bytes());
            ends.push(names.len() as u64);
        }
        (names.into_pyarray(py), ends.into_pyarray(py))
    }

    /// The row of each id, -1 where there is none.
    fn rows<'py>(&self, py: Python<'py>, ids: Vec<PyBackedStr>) -> Bound<'py, PyArray1<i64>> {
        let rows: Vec<i64> = ids.iter().map(|id| self.ids.row(id).map_or(-1, i64::from)).collect();
        rows.into_pyarray(py)
    }

    /// The ids of rows.
    fn names(&self, rows: PyReadonlyArrayDyn<'_, u32>) -> PyResult<Vec<&str>> {
        let name = |row: &u32| self.ids.names().get(*row as usize).map(|name| &**name);
        let names: Option<Vec<&str>> = vector("rows", &rows)?.iter().map(name).collect();
        names.ok_or_else(|| refuse(format!("`rows` names a row beyond the {} there are", self.ids.len())))
    }

    /// Gives free rows, and those after the last, to ids that have none.
    fn put(&mut self, rows: PyReadonlyArrayDyn<'_, u32>, ids: Vec<PyBackedStr>) -> PyResult<()> {
        let rows = vector("rows", &rows)?;
        if rows.len() != ids.len() {
            return Err(refuse(format!("`ids` has {} values for {} rows", ids.len(), rows.len())));
        }
        for (row, id) in rows.iter().zip(&ids) {
            let taken = match self.ids.names().get(*row as usize) {
                Some(name) => !name.is_empty(),
                None => *row as usize != self.ids.len(),
            };
            if taken || id.is_empty() || self.ids.row(id).is_some() {
                return Err(refuse(format!("row {row} cannot be given to `{id}`")));
            }
            self.ids.put(*row, id);
        }
        Ok(())
    }

    /// Frees the rows of ids, and returns them; unknown ids are passed over.
    fn free<'py>(&mut self, py: Python<'py>, ids: Vec<PyBackedStr>) -> Bound<'py, PyArray1<u32>> {
        let rows: Vec<u32> = ids.iter().filter_map(|id| self.ids.free(id)).collect();
        rows.into_pyarray(py)
    }

    /// Bytes held, about.
    fn nbytes(&self) -> usize {
        self.ids.nbytes()
    }

    fn __len__(&self) -> usize {
        self.ids.len()
    }
}
