//! Checked views of arrays.

use numpy::{Element, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::vector::Matrix;

/// A `ValueError`.
pub(super) fn refuse(message: String) -> PyErr {
    PyValueError::new_err(message)
}

/// The values of a one-dimensional array.
pub(super) fn vector<'a, T: Element>(name: &str, array: &'a PyReadonlyArrayDyn<'_, T>) -> PyResult<&'a [T]> {
    dimensions(name, array, 1)?;
    contiguous(name, array)
}

/// The values of a one-dimensional array of a given length.
pub(super) fn vector_of<'a, T: Element>(
    name: &str,
    array: &'a PyReadonlyArrayDyn<'_, T>,
    length: usize,
) -> PyResult<&'a [T]> {
    let values = vector(name, array)?;
    if values.len() != length {
        return Err(refuse(format!("`{name}` has {} values where {length} are needed", values.len())));
    }
    Ok(values)
}

/// The mask, if there is one, of a given length.
pub(super) fn mask_of<'a>(
    mask: Option<&'a PyReadonlyArrayDyn<'_, bool>>,
    length: usize,
) -> PyResult<Option<&'a [bool]>> {
    mask.map(|mask| vector_of("mask", mask, length)).transpose()
}

/// A two-dimensional array.
pub(super) fn matrix<'a>(name: &str, array: &'a PyReadonlyArrayDyn<'_, f32>) -> PyResult<Matrix<'a>> {
    dimensions(name, array, 2)?;
    let shape = array.shape();
    let values = contiguous(name, array)?;
    Matrix::new(values, shape[0], shape[1])
        .ok_or_else(|| refuse(format!("`{name}` holds {} values in shape {shape:?}", values.len())))
}

/// The values of a two-dimensional array, row by row.
pub(super) fn flat<'a, T: Element>(name: &str, array: &'a PyReadonlyArrayDyn<'_, T>) -> PyResult<&'a [T]> {
    dimensions(name, array, 2)?;
    contiguous(name, array)
}

/// A query for a matrix: as many values as it has columns, all finite.
pub(super) fn query<'a>(array: &'a PyReadonlyArrayDyn<'_, f32>, matrix: &Matrix<'_>) -> PyResult<&'a [f32]> {
    let values = vector_of("query", array, matrix.dim())?;
    match values.iter().find(|value| !value.is_finite()) {
        Some(value) => Err(refuse(format!("`query` holds {value}, which is not finite"))),
        None => Ok(values),
    }
}

/// How many results are wanted.
pub(super) fn count(k: i64) -> PyResult<usize> {
    usize::try_from(k).map_err(|_| refuse(format!("`k` is {k}; it must be 0 or more")))
}

/// A number within bounds, both included; NaN is outside of all.
pub(super) fn within(name: &str, value: f64, low: f64, high: f64) -> PyResult<f64> {
    if (low..=high).contains(&value) {
        return Ok(value);
    }
    Err(refuse(format!("`{name}` is {value}; it must lie in [{low}, {high}]")))
}

/// Finite numbers of at least 0.
pub(super) fn weights(name: &str, values: &[f64]) -> PyResult<()> {
    values.iter().try_for_each(|value| within(name, *value, 0.0, f64::MAX).map(|_| ()))
}

/// Texts that stand one after the other, given where each ends; None where that does not fit.
pub(super) fn texts<'a>(bytes: &'a [u8], ends: &[u64]) -> Option<Vec<&'a str>> {
    let mut start = 0;
    let mut found = Vec::with_capacity(ends.len());
    for end in ends.iter().map(|end| *end as usize) {
        found.push(std::str::from_utf8(bytes.get(start..end)?).ok()?);
        start = end;
    }
    (start == bytes.len()).then_some(found)
}

fn dimensions<T: Element>(name: &str, array: &PyReadonlyArrayDyn<'_, T>, wanted: usize) -> PyResult<()> {
    let shape = array.shape();
    if shape.len() != wanted {
        return Err(refuse(format!("`{name}` has shape {shape:?}; it must have {wanted} dimension(s)")));
    }
    Ok(())
}

fn contiguous<'a, T: Element>(name: &str, array: &'a PyReadonlyArrayDyn<'_, T>) -> PyResult<&'a [T]> {
    let fault = || refuse(format!("`{name}` must be C-contiguous; use numpy.ascontiguousarray"));
    if !array.is_c_contiguous() {
        return Err(fault());
    }
    array.as_slice().map_err(|_| fault())
}
