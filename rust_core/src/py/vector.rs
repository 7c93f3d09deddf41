//! `normalize`, `cosine_top_k`, `cosine_scores`.

use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArrayDyn};
use pyo3::prelude::*;

use super::array::{count, mask_of, matrix, query, refuse, vector};
use crate::topk::Scored;
use crate::vector;

/// Rows with their scores, as two arrays.
pub(super) type Ranked<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<f32>>);

/// Two arrays of one list of rows.
pub(super) fn ranked<'py, T>(py: Python<'py>, found: &[Scored<T>]) -> Ranked<'py> {
    let rows: Vec<u32> = found.iter().map(|one| one.row).collect();
    let scores: Vec<f32> = found.iter().map(|one| one.score).collect();
    (rows.into_pyarray(py), scores.into_pyarray(py))
}

/// Rows scaled to length 1; a row of zeros, or with a value that is not finite, becomes zeros.
#[pyfunction]
#[pyo3(name = "normalize")]
pub(super) fn normalize<'py>(
    py: Python<'py>,
    matrix: PyReadonlyArrayDyn<'py, f32>,
) -> PyResult<Bound<'py, PyArray2<f32>>> {
    let view = self::matrix("matrix", &matrix)?;
    let values = py.detach(|| vector::normalize(view));
    let shaped =
        Array2::from_shape_vec((view.rows(), view.dim()), values).map_err(|e| refuse(e.to_string()))?;
    Ok(shaped.into_pyarray(py))
}

/// The k rows with the largest dot product, exactly.
#[pyfunction]
#[pyo3(signature = (matrix, query, k, mask=None))]
pub(super) fn cosine_top_k<'py>(
    py: Python<'py>,
    matrix: PyReadonlyArrayDyn<'py, f32>,
    query: PyReadonlyArrayDyn<'py, f32>,
    k: i64,
    mask: Option<PyReadonlyArrayDyn<'py, bool>>,
) -> PyResult<Ranked<'py>> {
    let view = self::matrix("matrix", &matrix)?;
    let wanted = self::query(&query, &view)?;
    let k = count(k)?;
    let mask = mask_of(mask.as_ref(), view.rows())?;
    let found = py.detach(|| vector::cosine_top_k(view, wanted, k, mask));
    Ok(ranked(py, &found))
}

/// Dot products of some rows with the query, in their order.
#[pyfunction]
pub(super) fn cosine_scores<'py>(
    py: Python<'py>,
    matrix: PyReadonlyArrayDyn<'py, f32>,
    rows: PyReadonlyArrayDyn<'py, u32>,
    query: PyReadonlyArrayDyn<'py, f32>,
) -> PyResult<Bound<'py, PyArray1<f32>>> {
    let view = self::matrix("matrix", &matrix)?;
    let wanted = self::query(&query, &view)?;
    let rows = self::vector("rows", &rows)?;
    let scores = py.detach(|| vector::cosine_scores(view, rows, wanted)).ok_or_else(|| {
        let highest = rows.iter().max().copied().unwrap_or_default();
        refuse(format!("`rows` names row {highest} of a matrix of {} rows", view.rows()))
    })?;
    Ok(scores.into_pyarray(py))
}
