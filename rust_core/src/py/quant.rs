//! `quantize` and `joined_top_k`.

use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArrayDyn};
use pyo3::prelude::*;

use super::array::{count, flat, matrix, query, refuse, vector, vector_of, weights};
use super::vector::{Ranked, ranked};
use crate::neighbours::Neighbours;
use crate::quant::{self, Codes, Scan};

type Quantized<'py> = (Bound<'py, PyArray2<i8>>, Bound<'py, PyArray1<f32>>, Bound<'py, PyArray1<f32>>);

/// Rows as bytes, with what a byte is worth and what the bytes leave out.
#[pyfunction]
pub(super) fn quantize<'py>(
    py: Python<'py>,
    matrix: PyReadonlyArrayDyn<'py, f32>,
) -> PyResult<Quantized<'py>> {
    let view = self::matrix("matrix", &matrix)?;
    let (codes, scales, errors) = py.detach(|| quant::quantize(view));
    let shaped =
        Array2::from_shape_vec((view.rows(), view.dim()), codes).map_err(|e| refuse(e.to_string()))?;
    Ok((shaped.into_pyarray(py), scales.into_pyarray(py), errors.into_pyarray(py)))
}

/// The k rows with the largest similarity, joined with their neighbours.
#[pyfunction]
#[pyo3(signature = (matrix, codes, scales, errors, query, k, mask, norms, weights=Vec::new(), sides=Vec::new()))]
#[expect(clippy::too_many_arguments, reason = "an index is all of these")]
pub(super) fn joined_top_k<'py>(
    py: Python<'py>,
    matrix: PyReadonlyArrayDyn<'py, f32>,
    codes: PyReadonlyArrayDyn<'py, i8>,
    scales: PyReadonlyArrayDyn<'py, f32>,
    errors: PyReadonlyArrayDyn<'py, f32>,
    query: PyReadonlyArrayDyn<'py, f32>,
    k: i64,
    mask: PyReadonlyArrayDyn<'py, bool>,
    norms: PyReadonlyArrayDyn<'py, f32>,
    weights: Vec<f64>,
    sides: Vec<PyReadonlyArrayDyn<'py, i32>>,
) -> PyResult<Ranked<'py>> {
    self::weights("weights", &weights)?;
    let matrix = self::matrix("matrix", &matrix)?;
    let query = self::query(&query, &matrix)?;
    let k = count(k)?;
    let rows = matrix.rows();
    let codes = Codes {
        codes: flat("codes", &codes)?,
        scales: vector_of("scales", &scales, rows)?,
        errors: vector_of("errors", &errors, rows)?,
    };
    let sides = sides.iter().map(|side| vector_of("sides", side, rows)).collect::<PyResult<Vec<_>>>()?;
    let neighbours = Neighbours::new(&weights, &sides, vector_of("norms", &norms, rows)?);
    let scan = Scan { matrix, codes, neighbours, query, mask: vector("mask", &mask)? };
    if !scan.fits() {
        return Err(refuse(format!(
            "`codes`, `mask` and `sides` must fit a matrix of {rows} rows, of at most {} columns",
            quant::MAX_DIM
        )));
    }
    let found = py.detach(|| scan.top_k(k));
    Ok(ranked(py, &found))
}
