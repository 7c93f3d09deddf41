//! Products of byte vectors with a query of sixteen-bit numbers, in whole numbers.

#[cfg(target_arch = "x86_64")]
use pulp::x86::V3;

/// Rows that are read side by side, each from a place of its own: one stream alone waits for memory most of the time.
#[cfg(target_arch = "x86_64")]
const STREAMS: usize = 4;

/// Bytes that are multiplied at once.
#[cfg(target_arch = "x86_64")]
const LANES: usize = 16;

/// The product of each row with the query, in no order of rows; rows follow one another in `codes`.
///
/// The sums must fit 32 bits: that is the caller's to see to.
pub fn dots(codes: &[i8], query: &[i16], visit: impl FnMut(usize, i32)) {
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = V3::try_new() {
        simd.vectorize(Avx2 { simd, codes, query, visit });
        return;
    }
    plain(codes, query, visit);
}

fn plain(codes: &[i8], query: &[i16], mut visit: impl FnMut(usize, i32)) {
    for (row, codes) in codes.chunks_exact(query.len().max(1)).enumerate() {
        visit(row, codes.iter().zip(query).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum());
    }
}

#[cfg(target_arch = "x86_64")]
struct Avx2<'a, F> {
    simd: V3,
    codes: &'a [i8],
    query: &'a [i16],
    visit: F,
}

#[cfg(target_arch = "x86_64")]
impl<F: FnMut(usize, i32)> pulp::NullaryFnOnce for Avx2<'_, F> {
    type Output = ();

    #[expect(clippy::inline_always, reason = "the instruction set is chosen in the caller")]
    #[inline(always)]
    fn call(self) {
        let Self { simd, codes, query, mut visit } = self;
        let dim = query.len().max(1);
        let rows = codes.len() / dim;
        let apart = rows / STREAMS;
        // Loops, not chains of closures: those would not be compiled for the instruction set.
        for first in 0..apart {
            let beside: [&[i8]; STREAMS] = std::array::from_fn(|stream| {
                let row = first + stream * apart;
                &codes[row * dim..(row + 1) * dim]
            });
            for (stream, product) in dot(simd, beside, query).into_iter().enumerate() {
                visit(first + stream * apart, product);
            }
        }
        for row in STREAMS * apart..rows {
            let [product] = dot(simd, [&codes[row * dim..(row + 1) * dim]], query);
            visit(row, product);
        }
    }
}

/// The products of some rows; pairs of products are added at once.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn dot<const ROWS: usize>(simd: V3, rows: [&[i8]; ROWS], query: &[i16]) -> [i32; ROWS] {
    use pulp::bytemuck::cast;

    let avx2 = simd.avx2;
    let mut sums = [simd.avx._mm256_setzero_si256(); ROWS];
    let blocks = rows.map(|row| row.as_chunks::<LANES>().0);
    let (query_blocks, query_rest) = query.as_chunks::<LANES>();
    for (place, wanted) in query_blocks.iter().enumerate() {
        let wanted = cast(*wanted);
        for row in 0..ROWS {
            let block = avx2._mm256_cvtepi8_epi16(cast(blocks[row][place]));
            sums[row] = avx2._mm256_add_epi32(sums[row], avx2._mm256_madd_epi16(block, wanted));
        }
    }
    let done = query.len() - query_rest.len();
    let mut totals = [0; ROWS];
    for row in 0..ROWS {
        let lanes: [i32; 8] = cast(sums[row]);
        for lane in lanes {
            totals[row] += lane;
        }
        for (a, b) in rows[row][done..].iter().zip(query_rest) {
            totals[row] += i32::from(*a) * i32::from(*b);
        }
    }
    totals
}

#[cfg(test)]
mod tests {
    use super::{dots, plain};

    /// Streams, and rows that are left over.
    const ROWS: usize = 11;

    #[test]
    fn products_are_whole_for_every_length() {
        for dim in (1..140_usize).chain([511, 512, 2_048]) {
            let codes: Vec<i8> = (0..ROWS * dim).map(|i| (i * 37 % 255) as i8).collect();
            let numbers = (0..16_383_i32).cycle().step_by(7_919).take(dim);
            let query: Vec<i16> = numbers.map(|i| (i - 8_191) as i16).collect();
            let (mut found, mut expected) = (Vec::new(), Vec::new());
            dots(&codes, &query, |row, product| found.push((row, product)));
            plain(&codes, &query, |row, product| expected.push((row, product)));
            found.sort_unstable();
            assert_eq!(found, expected, "{dim}");
            assert_eq!(found.len(), ROWS);
        }
    }

    #[test]
    fn the_largest_products_fit() {
        let mut found = 0;
        dots(&[-128; 2_048], &[-8_191; 2_048], |_, product| found = product);
        assert_eq!(found, 128 * 8_191 * 2_048);
    }
}
