//! Scoring: relevance times bounded factors, `score = relevance * product of (1 - w + w * f)`.

use std::ops::Range;

use crate::quant::Codes;
use crate::topk::{Scored, TopK};
use crate::vector::{Matrix, dot_row, for_each_dot, top_k_blocks};

/// Recency, importance, reinforcement and access.
pub const FACTORS: usize = 4;

/// How much longer a memory of full arousal lives: half as long again.
const AROUSAL_STRETCH: f64 = 0.5;

/// A factor of which nothing is known.
const NEUTRAL: f64 = 0.5;

const LOWEST_IMPORTANCE: f64 = 1.0;
const HIGHEST_IMPORTANCE: f64 = 10.0;

/// Room for what rounding adds when a relevance is turned back into a cosine.
const ROUNDING: f32 = 1e-5;

/// Multiply-adds that scoring one row costs, about.
const WORK_PER_ROW: usize = 64;

/// `exp(-ln 2 * age / (half_life * (1 + arousal / 2)))`: 1 for an age of 0 or below, one half where it is unknown.
#[must_use]
pub fn decay(age_days: f64, arousal: f32, half_life_days: f64) -> f64 {
    if age_days.is_nan() {
        return NEUTRAL;
    }
    let arousal = if arousal.is_nan() { 0.0 } else { f64::from(arousal).clamp(0.0, 1.0) };
    (-age_days.max(0.0) / (half_life_days * (1.0 + AROUSAL_STRETCH * arousal))).exp2()
}

/// What is known of each row besides its relevance; all slices are of one length.
#[derive(Clone, Copy, Debug)]
pub struct Signals<'a> {
    /// Ages in days.
    pub ages_days: &'a [f64],
    /// 1 to 10, or NaN.
    pub importance: &'a [f32],
    /// 0 to 1.
    pub arousal: &'a [f32],
    /// How often each was said.
    pub mentions: &'a [u32],
    /// How often each was retrieved, and one; fewer where it was told not to help.
    pub accesses: &'a [u32],
}

/// Which factors count, and how much.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    /// Of recency, importance, reinforcement and access.
    pub weights: [f64; FACTORS],
    /// Age at which half the recency is left.
    pub half_life_days: f64,
    /// Count at which reinforcement is full.
    pub mentions_cap: u32,
}

impl Profile {
    /// The four factors of a row, each in [0, 1].
    #[must_use]
    pub fn factors(&self, signals: &Signals<'_>, row: usize) -> [f64; FACTORS] {
        std::array::from_fn(|which| self.factor(signals, row, which))
    }

    fn factor(&self, signals: &Signals<'_>, row: usize, which: usize) -> f64 {
        match which {
            0 => decay(signals.ages_days[row], signals.arousal[row], self.half_life_days),
            1 => importance(signals.importance[row]),
            2 => self.saturation(u64::from(signals.mentions[row])),
            _ => self.saturation(u64::from(signals.accesses[row])),
        }
    }

    fn saturation(&self, count: u64) -> f64 {
        ((count as f64).ln_1p() / f64::from(self.mentions_cap).ln_1p()).min(1.0)
    }

    fn score(&self, relevance: f32, signals: &Signals<'_>, row: usize) -> f32 {
        let mut score = f64::from(relevance);
        for (which, weight) in self.weights.iter().enumerate() {
            if *weight > 0.0 {
                score *= 1.0 - weight + weight * self.factor(signals, row, which);
            }
        }
        score as f32
    }
}

fn importance(value: f32) -> f64 {
    let scaled = (f64::from(value) - LOWEST_IMPORTANCE) / (HIGHEST_IMPORTANCE - LOWEST_IMPORTANCE);
    if scaled.is_nan() { NEUTRAL } else { scaled.clamp(0.0, 1.0) }
}

/// The k best rows by score; a relevance that is not a number is never among them.
#[must_use]
pub fn rank_top_k(
    relevance: &[f32],
    signals: &Signals<'_>,
    profile: &Profile,
    k: usize,
    mask: Option<&[bool]>,
) -> Vec<Scored> {
    let rows = relevance.len();
    top_k_blocks(rows, rows.saturating_mul(WORK_PER_ROW), k, |range: Range<usize>, top: &mut TopK| {
        for row in range {
            let relevance = relevance[row].clamp(0.0, 1.0);
            // No factor is above 1, so that a score never exceeds the relevance.
            if mask.is_none_or(|mask| mask[row]) && relevance >= top.floor() {
                top.offer(row as u32, profile.score(relevance, signals, row), ());
            }
        }
    })
}

/// The cosines that count as no relevance and as full relevance.
#[derive(Clone, Copy, Debug)]
pub struct Calibration {
    /// The cosine of unrelated texts.
    pub low: f64,
    /// The cosine of texts that say the same.
    pub high: f64,
}

impl Calibration {
    fn relevance(&self, cosine: f32) -> f32 {
        ((f64::from(cosine) - self.low) / (self.high - self.low)).clamp(0.0, 1.0) as f32
    }

    /// A cosine below which no relevance reaches the given one.
    fn cosine(&self, relevance: f32) -> f32 {
        if relevance > 0.0 {
            (self.low + f64::from(relevance) * (self.high - self.low)) as f32 - ROUNDING
        } else {
            f32::NEG_INFINITY
        }
    }
}

/// `cosine_rank_top_k` for vectors that are there as bytes too: only rows that may be among the best are read in full.
///
/// The rows with the largest products are scored first. The k-th of their scores is a floor; as no factor is above 1, a row
/// whose relevance may not reach it is passed over.
#[must_use]
#[expect(clippy::too_many_arguments, reason = "one more than the plain search")]
pub fn coded_rank_top_k(
    matrix: Matrix<'_>,
    codes: Codes<'_>,
    query: &[f32],
    calibration: &Calibration,
    signals: &Signals<'_>,
    profile: &Profile,
    k: usize,
    mask: Option<&[bool]>,
) -> Vec<Scored<f32>> {
    let k = k.min(matrix.rows());
    let (products, wrong) = codes.products(query);
    let mut nearest = TopK::new(k);
    for_allowed(&products, mask, f32::NEG_INFINITY, |row, product| nearest.offer(row as u32, product, ()));
    let mut sure = TopK::new(k);
    for one in nearest.into_sorted() {
        let row = one.row as usize;
        offer(&mut sure, row, dot_row(matrix, row, query), calibration, signals, profile);
    }
    let least = sure.least();
    let mut top = TopK::new(k);
    for_allowed(&products, mask, calibration.cosine(least) - wrong, |row, product| {
        if calibration.relevance(product + wrong) >= least.max(top.floor()) {
            offer(&mut top, row, dot_row(matrix, row, query), calibration, signals, profile);
        }
    });
    top.into_sorted()
}

/// Calls `visit` with the rows that a mask allows and whose products are not below the least.
fn for_allowed(products: &[f32], mask: Option<&[bool]>, least: f32, mut visit: impl FnMut(usize, f32)) {
    for (row, product) in products.iter().enumerate() {
        if *product >= least && mask.is_none_or(|mask| mask[row]) {
            visit(row, *product);
        }
    }
}

/// Offers a row by its cosine; as no factor is above 1, one whose relevance is too little needs no score.
fn offer(
    top: &mut TopK<f32>,
    row: usize,
    cosine: f32,
    calibration: &Calibration,
    signals: &Signals<'_>,
    profile: &Profile,
) {
    let relevance = calibration.relevance(cosine);
    if relevance >= top.floor() {
        top.offer(row as u32, profile.score(relevance, signals, row), cosine);
    }
}

/// `rank_top_k` with the calibrated cosine as relevance; each row comes with its cosine.
#[must_use]
pub fn cosine_rank_top_k(
    matrix: Matrix<'_>,
    query: &[f32],
    calibration: &Calibration,
    signals: &Signals<'_>,
    profile: &Profile,
    k: usize,
    mask: Option<&[bool]>,
) -> Vec<Scored<f32>> {
    let work = matrix.rows().saturating_mul(matrix.dim() + WORK_PER_ROW);
    top_k_blocks(matrix.rows(), work, k, |rows: Range<usize>, top: &mut TopK<f32>| {
        for_each_dot(matrix, query, rows, mask, |row, cosine| {
            offer(top, row, cosine, calibration, signals, profile);
        });
    })
}

#[cfg(test)]
mod tests {
    use super::{Calibration, Profile, Signals, cosine_rank_top_k, decay, rank_top_k};
    use crate::vector::Matrix;

    const PROFILE: Profile =
        Profile { weights: [0.1, 0.1, 0.1, 0.0], half_life_days: 30.0, mentions_cap: 10 };

    fn signals<'a>(ages_days: &'a [f64], mentions: &'a [u32]) -> Signals<'a> {
        Signals { ages_days, importance: &[f32::NAN; 2], arousal: &[0.0; 2], mentions, accesses: &[0; 2] }
    }

    #[test]
    fn half_is_left_after_a_half_life_which_arousal_stretches() {
        assert!((decay(30.0, 0.0, 30.0) - 0.5).abs() < 1e-12);
        assert!((decay(45.0, 1.0, 30.0) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn odd_ages_have_a_meaning() {
        let ages = [-5.0, f64::NEG_INFINITY, f64::INFINITY, f64::NAN];
        let left = ages.map(|age| decay(age, f32::NAN, 30.0).to_string());
        assert_eq!(left, ["1", "1", "0", "0.5"]);
    }

    #[test]
    fn the_fresher_and_the_more_often_said_rank_first() {
        let rows = |ages: &[f64; 2], mentions: &[u32; 2]| {
            let found = rank_top_k(&[0.5, 0.5], &signals(ages, mentions), &PROFILE, 2, None);
            found.iter().map(|one| one.row).collect::<Vec<_>>()
        };
        assert_eq!(rows(&[9.0, 1.0], &[1, 1]), [1, 0]);
        assert_eq!(rows(&[1.0, 1.0], &[1, 8]), [1, 0]);
        assert_eq!(rows(&[1.0, 1.0], &[1, 1]), [0, 1]);
    }

    #[test]
    fn relevance_that_is_no_number_is_left_out_and_others_are_clipped() {
        let found = rank_top_k(&[f32::NAN, -3.0], &signals(&[0.0; 2], &[1; 2]), &PROFILE, 2, None);
        assert_eq!(found.iter().map(|one| (one.row, one.score)).collect::<Vec<_>>(), [(1, 0.0)]);
    }

    #[test]
    fn the_fused_pass_calibrates_the_cosine() {
        let matrix = Matrix::new(&[0.1, 0.9], 2, 1).expect("two rows of one");
        let plain = Profile { weights: [0.0; 4], ..PROFILE };
        let calibration = Calibration { low: 0.5, high: 1.0 };
        let signals = signals(&[0.0; 2], &[1; 2]);
        let found = cosine_rank_top_k(matrix, &[1.0], &calibration, &signals, &plain, 2, None);
        assert_eq!(found.iter().map(|one| (one.row, one.extra)).collect::<Vec<_>>(), [(1, 0.9), (0, 0.1)]);
        assert!((found[0].score - 0.8).abs() < 1e-6 && found[1].score == 0.0);
    }
}
