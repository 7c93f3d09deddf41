//! Vectors: normalising, dot products, exact top-k by cosine.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use crate::parallel;
use crate::topk::{Scored, TopK};

/// Rows that one task takes at a time.
const BLOCK_ROWS: usize = 4_096;

/// Independent sums in a dot product, so that additions need not wait for each other.
const LANES: usize = 2;

/// Rows that are read side by side, each from a place of its own: one stream alone waits for memory most of the time.
const STREAMS: usize = 4;

/// A dense row-major matrix.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a> {
    data: &'a [f32],
    rows: usize,
    dim: usize,
}

impl<'a> Matrix<'a> {
    /// Wraps data of `rows * dim` values; None when the length is another.
    #[must_use]
    pub fn new(data: &'a [f32], rows: usize, dim: usize) -> Option<Self> {
        (data.len() == rows.checked_mul(dim)?).then_some(Self { data, rows, dim })
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.dim
    }

    pub(crate) fn row(&self, row: usize) -> &'a [f32] {
        &self.data[row * self.dim..(row + 1) * self.dim]
    }
}

/// Rows scaled to length 1; a row of zeros, or with a value that is not finite, becomes zeros.
#[must_use]
pub fn normalize(matrix: Matrix<'_>) -> Vec<f32> {
    let mut out = vec![0.0; matrix.data.len()];
    if matrix.dim == 0 {
        return out;
    }
    if parallel::worth_it(out.len()) {
        let block = BLOCK_ROWS * matrix.dim;
        out.par_chunks_mut(block)
            .zip(matrix.data.par_chunks(block))
            .for_each(|(to, from)| normalize_rows(to, from, matrix.dim));
    } else {
        normalize_rows(&mut out, matrix.data, matrix.dim);
    }
    out
}

fn normalize_rows(to: &mut [f32], from: &[f32], dim: usize) {
    for (to, from) in to.chunks_exact_mut(dim).zip(from.chunks_exact(dim)) {
        // In double precision no square of a float overflows or vanishes.
        let length = from.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
        if length.is_finite() && length > 0.0 {
            for (to, from) in to.iter_mut().zip(from) {
                *to = (f64::from(*from) / length) as f32;
            }
        }
    }
}

/// Calls `visit` with the number and the dot product of every row of a range that the mask allows, in no order of rows.
pub fn for_each_dot(
    matrix: Matrix<'_>,
    query: &[f32],
    rows: Range<usize>,
    mask: Option<&[bool]>,
    visit: impl FnMut(usize, f32),
) {
    Arch::new().dispatch(Dots { matrix, query, rows, mask, visit });
}

struct Dots<'a, F> {
    matrix: Matrix<'a>,
    query: &'a [f32],
    rows: Range<usize>,
    mask: Option<&'a [bool]>,
    visit: F,
}

impl<F: FnMut(usize, f32)> WithSimd for Dots<'_, F> {
    type Output = ();

    #[expect(clippy::inline_always, reason = "the instruction set is chosen in the caller")]
    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let Range { start, end } = self.rows;
        let apart = (end - start) / STREAMS;
        for first in start..start + apart {
            let numbers: [usize; STREAMS] = std::array::from_fn(|stream| first + stream * apart);
            let allowed = numbers.map(|row| self.mask.is_none_or(|mask| mask[row]));
            if allowed == [true; STREAMS] {
                let products = dots(simd, numbers.map(|row| self.matrix.row(row)), self.query);
                for stream in 0..STREAMS {
                    (self.visit)(numbers[stream], products[stream]);
                }
                continue;
            }
            for stream in 0..STREAMS {
                if allowed[stream] {
                    self.one(simd, numbers[stream]);
                }
            }
        }
        for row in start + STREAMS * apart..end {
            if self.mask.is_none_or(|mask| mask[row]) {
                self.one(simd, row);
            }
        }
    }
}

impl<F: FnMut(usize, f32)> Dots<'_, F> {
    #[expect(clippy::inline_always, reason = "the instruction set is chosen in the caller")]
    #[inline(always)]
    fn one<S: Simd>(&mut self, simd: S, row: usize) {
        let [product] = dots(simd, [self.matrix.row(row)], self.query);
        (self.visit)(row, product);
    }
}

/// The products of some rows; each row's does not depend on how many there are.
#[expect(clippy::inline_always, reason = "the instruction set is chosen in the caller")]
#[inline(always)]
fn dots<S: Simd, const ROWS: usize>(simd: S, rows: [&[f32]; ROWS], query: &[f32]) -> [f32; ROWS] {
    let (query, query_tail) = S::as_simd_f32s(query);
    let parts = rows.map(|row| S::as_simd_f32s(row));
    let mut sums = [[simd.splat_f32s(0.0); LANES]; ROWS];
    let whole = query.len() / LANES * LANES;
    for place in (0..whole).step_by(LANES) {
        for lane in 0..LANES {
            for row in 0..ROWS {
                let values = parts[row].0[place + lane];
                sums[row][lane] = simd.mul_add_e_f32s(values, query[place + lane], sums[row][lane]);
            }
        }
    }
    for (place, wanted) in query.iter().enumerate().skip(whole) {
        for row in 0..ROWS {
            sums[row][0] = simd.mul_add_e_f32s(parts[row].0[place], *wanted, sums[row][0]);
        }
    }
    let mut products = [0.0; ROWS];
    for row in 0..ROWS {
        let sum = simd.reduce_sum_f32s(simd.add_f32s(sums[row][0], sums[row][1]));
        products[row] = parts[row].1.iter().zip(query_tail).fold(sum, |sum, (x, y)| sum + x * y);
    }
    products
}

/// The dot product of one row.
#[must_use]
pub fn dot_row(matrix: Matrix<'_>, row: usize, query: &[f32]) -> f32 {
    let mut product = 0.0;
    for_each_dot(matrix, query, row..row + 1, None, |_, score| product = score);
    product
}

/// Runs `fill` over blocks of rows, on all threads when the work is large, and joins what they kept.
pub fn top_k_blocks<T: Copy + Send>(
    rows: usize,
    work: usize,
    k: usize,
    fill: impl Fn(Range<usize>, &mut TopK<T>) + Sync,
) -> Vec<Scored<T>> {
    let k = k.min(rows);
    if !parallel::worth_it(work) {
        let mut top = TopK::new(k);
        fill(0..rows, &mut top);
        return top.into_sorted();
    }
    (0..rows.div_ceil(BLOCK_ROWS))
        .into_par_iter()
        .fold(
            || TopK::new(k),
            |mut top, block| {
                fill(block * BLOCK_ROWS..((block + 1) * BLOCK_ROWS).min(rows), &mut top);
                top
            },
        )
        .reduce(|| TopK::new(k), TopK::merge)
        .into_sorted()
}

/// The k rows with the largest dot product; one that is not a number is never among them.
#[must_use]
pub fn cosine_top_k(matrix: Matrix<'_>, query: &[f32], k: usize, mask: Option<&[bool]>) -> Vec<Scored> {
    top_k_blocks(matrix.rows, matrix.data.len(), k, |rows, top| {
        for_each_dot(matrix, query, rows, mask, |row, score| top.offer(row as u32, score, ()));
    })
}

/// Dot products of some rows, in their order; None when a row is outside the matrix.
#[must_use]
pub fn cosine_scores(matrix: Matrix<'_>, rows: &[u32], query: &[f32]) -> Option<Vec<f32>> {
    let mut scores = Vec::with_capacity(rows.len());
    for row in rows.iter().map(|row| *row as usize) {
        if row >= matrix.rows {
            return None;
        }
        for_each_dot(matrix, query, row..row + 1, None, |_, score| scores.push(score));
    }
    Some(scores)
}

#[cfg(test)]
mod tests {
    use super::{Matrix, cosine_scores, cosine_top_k, normalize};

    fn matrix(data: &[f32], dim: usize) -> Matrix<'_> {
        Matrix::new(data, data.len() / dim, dim).expect("the test gives whole rows")
    }

    #[test]
    fn normalised_rows_have_length_one_or_are_zero() {
        let data = [3.0, 4.0, 0.0, 0.0, f32::NAN, 1.0, f32::INFINITY, 1.0, 3e38, 3e38, 1e-42, 0.0];
        let out = normalize(matrix(&data, 2));
        let half = std::f32::consts::FRAC_1_SQRT_2;
        assert_eq!(out, [0.6, 0.8, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, half, half, 1.0, 0.0]);
    }

    #[test]
    fn dot_products_are_whole_for_every_length() {
        for dim in 1..70 {
            let row: Vec<f32> = (0..dim).map(|i| i as f32).collect();
            let expected = (0..dim).map(|i| i * i).sum::<usize>() as f32;
            assert_eq!(cosine_scores(matrix(&row, dim), &[0], &row), Some(vec![expected]), "{dim}");
        }
    }

    #[test]
    fn a_row_outside_is_refused() {
        assert_eq!(cosine_scores(matrix(&[1.0, 2.0], 1), &[2], &[1.0]), None);
    }

    #[test]
    fn many_blocks_give_the_same_as_one() {
        let data: Vec<f32> =
            (0..40_000_u32 * 8).map(|i| (i.wrapping_mul(2_654_435_761) % 1_000) as f32).collect();
        let query = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        let found = cosine_top_k(matrix(&data, 8), &query, 50, None);
        let mut rows: Vec<usize> = (0..40_000).collect();
        rows.sort_by(|a, b| data[b * 8].total_cmp(&data[a * 8]).then(a.cmp(b)));
        let found: Vec<usize> = found.iter().map(|one| one.row as usize).collect();
        assert_eq!(found, rows[..50]);
    }

    #[test]
    fn the_mask_decides() {
        let found = cosine_top_k(matrix(&[1.0, 2.0, 3.0], 1), &[1.0], 9, Some(&[true, true, false]));
        assert_eq!(found.iter().map(|one| one.row).collect::<Vec<_>>(), [1, 0]);
    }
}
