//! `fuse_rrf`, `fuse_weighted`.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArrayDyn};
use pyo3::prelude::*;

use super::array::{refuse, vector, vector_of, weights as checked_weights, within};
use crate::fuse::{self, Fused};

type Fusion<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<f64>>);

/// Reciprocal rank fusion.
#[pyfunction]
pub(super) fn fuse_rrf<'py>(
    py: Python<'py>,
    rankings: Vec<PyReadonlyArrayDyn<'py, u32>>,
    weights: Vec<f64>,
    constant: f64,
) -> PyResult<Fusion<'py>> {
    same_number("rankings", rankings.len(), &weights)?;
    within("constant", constant, 0.0, f64::MAX)?;
    let rankings =
        rankings.iter().map(|ranking| vector("rankings", ranking)).collect::<PyResult<Vec<_>>>()?;
    let fused = py.detach(|| fuse::reciprocal_rank(&rankings, &weights, constant));
    Ok(arrays(py, &fused))
}

/// Weighted mean of scores.
#[pyfunction]
pub(super) fn fuse_weighted<'py>(
    py: Python<'py>,
    rows: Vec<PyReadonlyArrayDyn<'py, u32>>,
    scores: Vec<PyReadonlyArrayDyn<'py, f32>>,
    weights: Vec<f64>,
) -> PyResult<Fusion<'py>> {
    same_number("rows", rows.len(), &weights)?;
    same_number("scores", scores.len(), &weights)?;
    if !weights.is_empty() && weights.iter().all(|weight| *weight == 0.0) {
        return Err(refuse("`weights` are all 0: there is nothing to take the mean of".to_owned()));
    }
    let rows = rows.iter().map(|rows| vector("rows", rows)).collect::<PyResult<Vec<_>>>()?;
    let scores = scores
        .iter()
        .zip(&rows)
        .map(|(scores, rows)| vector_of("scores", scores, rows.len()))
        .collect::<PyResult<Vec<_>>>()?;
    if let Some(score) = scores.iter().copied().flatten().find(|score| !score.is_finite()) {
        return Err(refuse(format!("`scores` holds {score}, which is not finite")));
    }
    let fused = py.detach(|| fuse::weighted(&rows, &scores, &weights));
    Ok(arrays(py, &fused))
}

fn same_number(name: &str, given: usize, weights: &[f64]) -> PyResult<()> {
    if given != weights.len() {
        return Err(refuse(format!("`{name}` has {given} sources and `weights` {}", weights.len())));
    }
    checked_weights("weights", weights)
}

fn arrays<'py>(py: Python<'py>, fused: &Fused) -> Fusion<'py> {
    let ids: Vec<u32> = fused.iter().map(|one| one.0).collect();
    let scores: Vec<f64> = fused.iter().map(|one| one.1).collect();
    (ids.into_pyarray(py), scores.into_pyarray(py))
}
