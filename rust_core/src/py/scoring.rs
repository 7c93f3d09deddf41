//! `decay`, `rank_top_k`, `cosine_rank_top_k`.

use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArrayDyn};
use pyo3::prelude::*;

use super::array::{count, flat, mask_of, matrix, query, refuse, vector, vector_of, within};
use super::vector::ranked;
use crate::profile::{self, Calibration, FACTORS, Profile, Signals};
use crate::quant::Codes;
use crate::vector::Matrix;

type Rows<'py> = Bound<'py, PyArray1<u32>>;
type Values<'py> = Bound<'py, PyArray1<f32>>;
type Weights = (f64, f64, f64, f64);
type Quantized<'py> =
    (PyReadonlyArrayDyn<'py, i8>, PyReadonlyArrayDyn<'py, f32>, PyReadonlyArrayDyn<'py, f32>);

/// What is left of each memory.
#[pyfunction]
pub(super) fn decay<'py>(
    py: Python<'py>,
    ages_days: PyReadonlyArrayDyn<'py, f64>,
    arousal: PyReadonlyArrayDyn<'py, f32>,
    half_life_days: f64,
) -> PyResult<Values<'py>> {
    let ages = vector("ages_days", &ages_days)?;
    let arousal = vector_of("arousal", &arousal, ages.len())?;
    let half_life = positive("half_life_days", half_life_days)?;
    let left: Vec<f32> = py.detach(|| {
        ages.iter()
            .zip(arousal)
            .map(|(age, arousal)| profile::decay(*age, *arousal, half_life) as f32)
            .collect()
    });
    Ok(left.into_pyarray(py))
}

/// Scores rows by a profile and returns the best k with their factors.
#[pyfunction]
#[pyo3(signature = (
    relevance, ages_days, importance, arousal, mentions, accesses,
    *, weights, half_life_days, mentions_cap, k, mask=None
))]
#[expect(clippy::too_many_arguments, reason = "the contract of the stub")]
pub(super) fn rank_top_k<'py>(
    py: Python<'py>,
    relevance: PyReadonlyArrayDyn<'py, f32>,
    ages_days: PyReadonlyArrayDyn<'py, f64>,
    importance: PyReadonlyArrayDyn<'py, f32>,
    arousal: PyReadonlyArrayDyn<'py, f32>,
    mentions: PyReadonlyArrayDyn<'py, u32>,
    accesses: PyReadonlyArrayDyn<'py, u32>,
    weights: Weights,
    half_life_days: f64,
    mentions_cap: i64,
    k: i64,
    mask: Option<PyReadonlyArrayDyn<'py, bool>>,
) -> PyResult<(Rows<'py>, Values<'py>, Bound<'py, PyArray2<f32>>)> {
    let relevance = vector("relevance", &relevance)?;
    let rows = relevance.len();
    let signals = Signals {
        ages_days: vector_of("ages_days", &ages_days, rows)?,
        importance: vector_of("importance", &importance, rows)?,
        arousal: vector_of("arousal", &arousal, rows)?,
        mentions: vector_of("mentions", &mentions, rows)?,
        accesses: vector_of("accesses", &accesses, rows)?,
    };
    let profile = checked_profile(weights, half_life_days, mentions_cap)?;
    let k = count(k)?;
    let mask = mask_of(mask.as_ref(), rows)?;
    let (found, factors) = py.detach(|| {
        let found = profile::rank_top_k(relevance, &signals, &profile, k, mask);
        let factors: Vec<f32> = found
            .iter()
            .flat_map(|one| profile.factors(&signals, one.row as usize))
            .map(|factor| factor as f32)
            .collect();
        (found, factors)
    });
    let factors =
        Array2::from_shape_vec((found.len(), FACTORS), factors).map_err(|e| refuse(e.to_string()))?;
    let (rows, scores) = ranked(py, &found);
    Ok((rows, scores, factors.into_pyarray(py)))
}

/// `rank_top_k` with the calibrated cosine as relevance, in one pass.
#[pyfunction]
#[pyo3(signature = (
    matrix, query, ages_days, importance, arousal, mentions, accesses,
    *, calibration, weights, half_life_days, mentions_cap, k, mask=None, quantized=None
))]
#[expect(clippy::too_many_arguments, reason = "the contract of the stub")]
pub(super) fn cosine_rank_top_k<'py>(
    py: Python<'py>,
    matrix: PyReadonlyArrayDyn<'py, f32>,
    query: PyReadonlyArrayDyn<'py, f32>,
    ages_days: PyReadonlyArrayDyn<'py, f64>,
    importance: PyReadonlyArrayDyn<'py, f32>,
    arousal: PyReadonlyArrayDyn<'py, f32>,
    mentions: PyReadonlyArrayDyn<'py, u32>,
    accesses: PyReadonlyArrayDyn<'py, u32>,
    calibration: (f64, f64),
    weights: Weights,
    half_life_days: f64,
    mentions_cap: i64,
    k: i64,
    mask: Option<PyReadonlyArrayDyn<'py, bool>>,
    quantized: Option<Quantized<'py>>,
) -> PyResult<(Rows<'py>, Values<'py>, Values<'py>)> {
    let view = self::matrix("matrix", &matrix)?;
    let wanted = self::query(&query, &view)?;
    let rows = view.rows();
    let signals = Signals {
        ages_days: vector_of("ages_days", &ages_days, rows)?,
        importance: vector_of("importance", &importance, rows)?,
        arousal: vector_of("arousal", &arousal, rows)?,
        mentions: vector_of("mentions", &mentions, rows)?,
        accesses: vector_of("accesses", &accesses, rows)?,
    };
    let profile = checked_profile(weights, half_life_days, mentions_cap)?;
    let calibration = checked_calibration(calibration)?;
    let k = count(k)?;
    let mask = mask_of(mask.as_ref(), rows)?;
    let codes = quantized.as_ref().map(|parts| codes_of(parts, &view)).transpose()?;
    let found = py.detach(|| match codes {
        Some(codes) => {
            profile::coded_rank_top_k(view, codes, wanted, &calibration, &signals, &profile, k, mask)
        }
        None => profile::cosine_rank_top_k(view, wanted, &calibration, &signals, &profile, k, mask),
    });
    let cosines: Vec<f32> = found.iter().map(|one| one.extra).collect();
    let (rows, scores) = ranked(py, &found);
    Ok((rows, scores, cosines.into_pyarray(py)))
}

fn codes_of<'a>(parts: &'a Quantized<'_>, matrix: &Matrix<'_>) -> PyResult<Codes<'a>> {
    let codes = Codes {
        codes: flat("quantized", &parts.0)?,
        scales: vector_of("quantized", &parts.1, matrix.rows())?,
        errors: vector_of("quantized", &parts.2, matrix.rows())?,
    };
    if codes.fit(matrix.rows(), matrix.dim()) {
        return Ok(codes);
    }
    Err(refuse(format!(
        "`quantized` must fit a matrix of {} rows and {} columns",
        matrix.rows(),
        matrix.dim()
    )))
}

fn checked_profile(weights: Weights, half_life_days: f64, mentions_cap: i64) -> PyResult<Profile> {
    let weights = [weights.0, weights.1, weights.2, weights.3];
    for weight in weights {
        within("weights", weight, 0.0, 1.0)?;
    }
    let mentions_cap = u32::try_from(mentions_cap).ok().filter(|cap| *cap > 0).ok_or_else(|| {
        refuse(format!("`mentions_cap` is {mentions_cap}; it must lie in [1, {}]", u32::MAX))
    })?;
    Ok(Profile { weights, half_life_days: positive("half_life_days", half_life_days)?, mentions_cap })
}

fn checked_calibration((low, high): (f64, f64)) -> PyResult<Calibration> {
    if low.is_finite() && high.is_finite() && low < high {
        return Ok(Calibration { low, high });
    }
    Err(refuse(format!(
        "`calibration` is ({low}, {high}); both must be finite and the first below the second"
    )))
}

fn positive(name: &str, value: f64) -> PyResult<f64> {
    if value.is_finite() && value > 0.0 {
        return Ok(value);
    }
    Err(refuse(format!("`{name}` is {value}; it must be finite and above 0")))
}
