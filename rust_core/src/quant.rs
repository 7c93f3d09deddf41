//! A small first pass over vectors, and the exact answer after it.
//!
//! Each vector is kept a second time as one signed byte a component. A scan of these reads a quarter of the memory; what it
//! gets wrong is bounded by the length of what the bytes leave out, so that every row which could still be among the best is
//! known and is scored again in full: the answer is that of the full vectors.

use rayon::prelude::*;

use crate::bytedot;
use crate::neighbours::Neighbours;
use crate::parallel;
use crate::topk::{Scored, TopK};
use crate::vector::{Matrix, dot_row};

/// The largest byte.
const LARGEST: f32 = 127.0;

/// The most that a component of a query may be.
const QUERY_LARGEST: usize = 8_191;

/// Added to a small number, this leaves its nearest whole number in the last bits.
const ROUNDING: f32 = 12_582_912.0;

/// Components above which too little would be left of a query.
pub const MAX_DIM: usize = 1 << 18;

/// Room for what rounding adds to a bound.
const SLACK: f32 = 1e-5;

/// Rows that one task takes at a time.
const BLOCK_ROWS: usize = 4_096;

/// Vectors as bytes.
#[derive(Clone, Copy, Debug)]
pub struct Codes<'a> {
    /// One byte a component, row by row.
    pub codes: &'a [i8],
    /// What a byte of each row is worth.
    pub scales: &'a [f32],
    /// Length of what the bytes of each row leave out.
    pub errors: &'a [f32],
}

/// Turns rows into bytes: codes, scales and errors.
#[must_use]
pub fn quantize(matrix: Matrix<'_>) -> (Vec<i8>, Vec<f32>, Vec<f32>) {
    let mut codes = vec![0; matrix.rows() * matrix.dim()];
    let mut scales = vec![0.0; matrix.rows()];
    let mut errors = vec![0.0; matrix.rows()];
    let parts = codes.chunks_exact_mut(matrix.dim().max(1)).zip(scales.iter_mut().zip(&mut errors));
    for (row, (codes, (scale, error))) in parts.enumerate() {
        (*scale, *error) = quantize_row(matrix.row(row), codes);
    }
    (codes, scales, errors)
}

fn quantize_row(row: &[f32], codes: &mut [i8]) -> (f32, f32) {
    let largest = row.iter().fold(0.0_f32, |largest, x| if x.abs() > largest { x.abs() } else { largest });
    let (scale, inverse) = (largest / LARGEST, LARGEST / largest);
    if scale <= 0.0 || !inverse.is_finite() {
        return (0.0, row.iter().map(|x| x * x).sum::<f32>().sqrt());
    }
    // A component's code, and what that leaves out, counted in bytes: the square of a tiny number would be nothing.
    let quantize_one = |x: f32| {
        let rounded = x * inverse + ROUNDING;
        let code = rounded.to_bits().wrapping_sub(ROUNDING.to_bits()) as i8;
        (code, x * inverse - (rounded - ROUNDING))
    };
    let mut left = [0.0_f32; 8];
    let (blocks, rest) = row.as_chunks::<8>();
    let (code_blocks, code_rest) = codes.as_chunks_mut::<8>();
    for (block, codes) in blocks.iter().zip(code_blocks) {
        for lane in 0..8 {
            let (code, without) = quantize_one(block[lane]);
            codes[lane] = code;
            left[lane] += without * without;
        }
    }
    for (x, code) in rest.iter().zip(code_rest) {
        let (found, without) = quantize_one(*x);
        *code = found;
        left[0] += without * without;
    }
    // A little more, for what rounding hides: a bound must not be too small.
    let hidden = 4.0 * f32::EPSILON * largest * (row.len() as f32).sqrt();
    (scale, left.iter().sum::<f32>().sqrt() * scale * 1.001 + hidden)
}

impl Codes<'_> {
    /// Products by bytes, and how far any of them may be from the true one.
    pub(crate) fn products(&self, query: &[f32]) -> (Vec<f32>, f32) {
        let largest = query.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
        let scale = largest / query_largest(query.len()) as f32;
        let code = |x: &f32| if scale > 0.0 { (x / scale).round() as i16 } else { 0 };
        let rounded: Vec<i16> = query.iter().map(code).collect();
        let left = query.iter().zip(&rounded).map(|(x, code)| x - f32::from(*code) * scale);
        let bound = Bound { of_query: length(query.iter().copied()), of_rounding: length(left) };
        let mut found = vec![0.0; self.scales.len()];
        let dim = query.len();
        let fill = |first: usize, out: &mut [f32]| {
            let codes = &self.codes[first * dim..(first + out.len()) * dim];
            let scales = &self.scales[first..first + out.len()];
            bytedot::dots(codes, &rounded, |row, sum| out[row] = sum as f32 * scales[row] * scale);
        };
        if parallel::worth_it(self.codes.len()) {
            let blocks = found.par_chunks_mut(BLOCK_ROWS).enumerate();
            blocks.for_each(|(block, out)| fill(block * BLOCK_ROWS, out));
        } else {
            fill(0, &mut found);
        }
        let largest = self.errors.iter().fold(0.0_f32, |largest, error| largest.max(*error));
        (found, bound.of(largest))
    }

    /// Whether these are the codes of so many rows.
    #[must_use]
    pub fn fit(&self, rows: usize, dim: usize) -> bool {
        dim <= MAX_DIM
            && self.codes.len() == rows * dim
            && self.scales.len() == rows
            && self.errors.len() == rows
    }
}

/// A search among vectors that stand beside one another.
#[derive(Clone, Copy, Debug)]
pub struct Scan<'a> {
    /// The vectors.
    pub matrix: Matrix<'a>,
    /// The same as bytes.
    pub codes: Codes<'a>,
    /// What stands beside each.
    pub neighbours: Neighbours<'a>,
    /// One vector.
    pub query: &'a [f32],
    /// Rows that may be returned.
    pub mask: &'a [bool],
}

impl Scan<'_> {
    /// Whether all parts are of one size.
    #[must_use]
    pub fn fits(&self) -> bool {
        let (rows, dim) = (self.matrix.rows(), self.matrix.dim());
        self.codes.fit(rows, dim)
            && self.mask.len() == rows
            && self.query.len() == dim
            && self.neighbours.fit(rows)
    }

    /// The k rows with the largest similarity of a row joined with its neighbours, exactly; the parts must fit.
    #[must_use]
    pub fn top_k(&self, k: usize) -> Vec<Scored> {
        let k = k.min(self.matrix.rows());
        if k == 0 {
            return Vec::new();
        }
        let (products, wrong) = self.codes.products(self.query);
        let values = self.joined(products);
        let mut nearest = TopK::new(k);
        for row in self.allowed() {
            nearest.offer(row as u32, values[row], ());
        }
        // What the likeliest rows reach in full is a floor for all others.
        let mut exact = Exact { scan: self, products: vec![f32::NAN; values.len()] };
        let mut sure = TopK::new(k);
        for one in nearest.into_sorted() {
            sure.offer(one.row, exact.joined(one.row as usize), ());
        }
        let least = sure.least();
        let mut top = TopK::new(k);
        for row in self.allowed() {
            let neighbours = &self.neighbours;
            if values[row] + wrong * neighbours.most(row) >= least
                && values[row] + wrong * neighbours.weight(row) >= least
            {
                top.offer(row as u32, exact.joined(row), ());
            }
        }
        top.into_sorted()
    }

    fn allowed(&self) -> impl Iterator<Item = usize> {
        (0..self.mask.len()).filter(|row| self.mask[*row])
    }

    /// The similarity of each row joined with its neighbours, given the products of the rows alone.
    fn joined(&self, products: Vec<f32>) -> Vec<f32> {
        let one = |row: usize| self.neighbours.join(row, &products);
        if parallel::worth_it(products.len()) {
            (0..products.len()).into_par_iter().with_min_len(BLOCK_ROWS).map(one).collect()
        } else {
            (0..products.len()).map(one).collect()
        }
    }
}

/// Similarities by the full vectors, each product made once.
struct Exact<'a> {
    scan: &'a Scan<'a>,
    /// NaN until it is asked for.
    products: Vec<f32>,
}

impl Exact<'_> {
    fn joined(&mut self, row: usize) -> f32 {
        let Scan { matrix, neighbours, query, .. } = self.scan;
        for near in neighbours.reach(row) {
            if self.products[near].is_nan() {
                self.products[near] = dot_row(*matrix, near, query);
            }
        }
        neighbours.join(row, &self.products)
    }
}

/// The most that a component of a query of this length may be, so that no sum of products overflows.
fn query_largest(dim: usize) -> usize {
    (i32::MAX as usize / (128 * dim.max(1))).clamp(1, QUERY_LARGEST)
}

fn length(values: impl Iterator<Item = f32>) -> f32 {
    values.map(|x| f64::from(x).powi(2)).sum::<f64>().sqrt() as f32
}

/// How far a product by bytes may be from the true one.
#[derive(Clone, Copy, Debug)]
struct Bound {
    /// Length of the query.
    of_query: f32,
    /// Length of what its rounding leaves out.
    of_rounding: f32,
}

impl Bound {
    /// For a row of length 1 at most whose bytes leave out so much.
    fn of(self, error: f32) -> f32 {
        error * self.of_query + (1.0 + error) * self.of_rounding + SLACK
    }
}

#[cfg(test)]
mod tests {
    use super::{Codes, Scan, quantize};
    use crate::neighbours::Neighbours;
    use crate::vector::{Matrix, cosine_top_k, normalize};

    fn vectors(rows: usize, dim: usize) -> Vec<f32> {
        let data: Vec<f32> = (0..rows * dim)
            .map(|i| ((i as u32).wrapping_mul(2_654_435_761) >> 8) as f32 / 8_388_608.0 - 1.0)
            .collect();
        normalize(Matrix::new(&data, rows, dim).expect("whole rows"))
    }

    #[test]
    fn bytes_leave_out_no_more_than_they_say() {
        let data = vectors(50, 33);
        let (codes, scales, errors) = quantize(Matrix::new(&data, 50, 33).expect("whole rows"));
        for row in 0..50 {
            let left: f32 = (0..33)
                .map(|i| (data[row * 33 + i] - f32::from(codes[row * 33 + i]) * scales[row]).powi(2))
                .sum::<f32>()
                .sqrt();
            assert!(left <= errors[row] && errors[row] < left * 1.01 + 1e-6 && left < 0.02);
        }
    }

    #[test]
    fn without_neighbours_the_answer_is_that_of_the_full_vectors() {
        let data = vectors(5_000, 48);
        let matrix = Matrix::new(&data, 5_000, 48).expect("whole rows");
        let (codes, scales, errors) = quantize(matrix);
        let codes = Codes { codes: &codes, scales: &scales, errors: &errors };
        let mask: Vec<bool> = (0..5_000).map(|row| row % 7 != 0).collect();
        let norms = vec![1.0; 5_000];
        let nobody = Neighbours::new(&[], &[], &norms);
        for row in [3, 77] {
            let query = &data[row * 48..(row + 1) * 48];
            let scan = Scan { matrix, codes, neighbours: nobody, query, mask: &mask };
            assert!(scan.fits());
            assert_eq!(scan.top_k(20), cosine_top_k(matrix, query, 20, Some(&mask)));
        }
    }

    #[test]
    fn long_vectors_are_searched_too() {
        for dim in [2_049, 5_000, 40_000] {
            let mut data = vec![0.0; 3 * dim];
            // As large as products can be: all of one row and of the query, and its opposite.
            data[..dim].fill((dim as f32).sqrt().recip());
            data[2 * dim..].fill(-(dim as f32).sqrt().recip());
            let matrix = Matrix::new(&data, 3, dim).expect("whole rows");
            let (codes, scales, errors) = quantize(matrix);
            let codes = Codes { codes: &codes, scales: &scales, errors: &errors };
            let norms = [1.0; 3];
            let neighbours = Neighbours::new(&[], &[], &norms);
            let scan = Scan { matrix, codes, neighbours, query: &data[..dim], mask: &[true; 3] };
            assert!(scan.fits());
            let rows: Vec<u32> = scan.top_k(3).iter().map(|one| one.row).collect();
            assert_eq!(rows, [0, 1, 2], "{dim}");
        }
    }

    #[test]
    fn parts_that_do_not_fit_are_refused() {
        let data = vectors(4, 4);
        let matrix = Matrix::new(&data, 4, 4).expect("whole rows");
        let (codes, scales, errors) = quantize(matrix);
        let codes = Codes { codes: &codes, scales: &scales, errors: &errors };
        let norms = [1.0; 4];
        let nobody = Neighbours::new(&[], &[], &norms);
        let scan = Scan { matrix, codes, neighbours: nobody, query: &data[..4], mask: &[true; 4] };
        assert!(scan.fits());
        assert!(!Scan { mask: &[true; 3], ..scan }.fits());
        assert!(!Scan { query: &data[..3], ..scan }.fits());
        assert!(!Scan { neighbours: Neighbours::new(&[0.5], &[], &norms), ..scan }.fits());
        assert!(!Scan { codes: Codes { errors: &errors[..3], ..codes }, ..scan }.fits());
    }
}
