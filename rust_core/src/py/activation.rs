//! `activation`.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;

use super::array::{flat, refuse, vector, vector_of};
use crate::activation as kernel;

/// Base-level activation of each row.
#[pyfunction]
#[pyo3(signature = (ages_days, counts, first_days, *, decay))]
pub(super) fn activation<'py>(
    py: Python<'py>,
    ages_days: PyReadonlyArrayDyn<'py, f64>,
    counts: PyReadonlyArrayDyn<'py, u32>,
    first_days: PyReadonlyArrayDyn<'py, f64>,
    decay: f64,
) -> PyResult<Bound<'py, PyArray1<f32>>> {
    let counts = vector("counts", &counts)?;
    let firsts = vector_of("first_days", &first_days, counts.len())?;
    let ages = flat("ages_days", &ages_days)?;
    let shape = ages_days.shape();
    if shape[0] != counts.len() {
        return Err(refuse(format!("`ages_days` has {} rows where {} are needed", shape[0], counts.len())));
    }
    if !(decay > 0.0 && decay < 1.0) {
        return Err(refuse(format!("`decay` is {decay}; it must lie between 0 and 1")));
    }
    let width = shape[1];
    let active: Vec<f32> = py.detach(|| {
        (0..counts.len())
            .map(|row| {
                let known = &ages[row * width..(row + 1) * width];
                kernel::activation(known, counts[row], firsts[row], decay) as f32
            })
            .collect()
    });
    Ok(active.into_pyarray(py))
}
