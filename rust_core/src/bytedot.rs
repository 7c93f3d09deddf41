//! Products of byte vectors with a query of sixteen-bit numbers, in whole numbers.

#[cfg(target_arch = "x86_64")]
use pulp::x86::V3;

/// The product of each row with the query; rows follow one another in `codes`.
///
/// The sums must fit 32 bits: that is the caller's to see to.
pub fn dots(codes: &[i8], query: &[i16], visit: impl FnMut(i32)) {
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = V3::try_new() {
        simd.vectorize(Avx2 { simd, codes, query, visit });
        return;
    }
    plain(codes, query, visit);
}

fn plain(codes: &[i8], query: &[i16], visit: impl FnMut(i32)) {
    let product = |row: &[i8]| row.iter().zip(query).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
    codes.chunks_exact(query.len().max(1)).map(product).for_each(visit);
}

#[cfg(target_arch = "x86_64")]
struct Avx2<'a, F> {
    simd: V3,
    codes: &'a [i8],
    query: &'a [i16],
    visit: F,
}

#[cfg(target_arch = "x86_64")]
impl<F: FnMut(i32)> pulp::NullaryFnOnce for Avx2<'_, F> {
    type Output = ();

    #[expect(clippy::inline_always, reason = "the instruction set is chosen in the caller")]
    #[inline(always)]
    fn call(self) {
        let Self { simd, codes, query, mut visit } = self;
        // A loop, not a chain of closures: those would not be compiled for the instruction set.
        for row in codes.chunks_exact(query.len().max(1)) {
            visit(dot(simd, row, query));
        }
    }
}

/// Pairs of products are added at once.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn dot(simd: V3, codes: &[i8], query: &[i16]) -> i32 {
    use pulp::bytemuck::cast;

    let avx2 = simd.avx2;
    let mut sum = simd.avx._mm256_setzero_si256();
    let (blocks, rest) = codes.as_chunks::<16>();
    let (query_blocks, query_rest) = query.as_chunks::<16>();
    for (block, wanted) in blocks.iter().zip(query_blocks) {
        let products = avx2._mm256_madd_epi16(avx2._mm256_cvtepi8_epi16(cast(*block)), cast(*wanted));
        sum = avx2._mm256_add_epi32(sum, products);
    }
    let lanes: [i32; 8] = cast(sum);
    let mut total = 0;
    for lane in lanes {
        total += lane;
    }
    for (a, b) in rest.iter().zip(query_rest) {
        total += i32::from(*a) * i32::from(*b);
    }
    total
}

#[cfg(test)]
mod tests {
    use super::{dots, plain};

    #[test]
    fn products_are_whole_for_every_length() {
        for dim in (1..140).chain([511, 512, 2_048]) {
            let codes: Vec<i8> = (0..3 * dim).map(|i| (i * 37 % 255) as i8).collect();
            let query: Vec<i16> = (0..dim).map(|i| (i * 7_919 % 16_383) as i16 - 8_191).collect();
            let (mut found, mut expected) = (Vec::new(), Vec::new());
            dots(&codes, &query, |product| found.push(product));
            plain(&codes, &query, |product| expected.push(product));
            assert_eq!(found, expected, "{dim}");
            assert_eq!(found.len(), 3);
        }
    }

    #[test]
    fn the_largest_products_fit() {
        let mut found = 0;
        dots(&[-128; 2_048], &[-8_191; 2_048], |product| found = product);
        assert_eq!(found, 128 * 8_191 * 2_048);
    }
}
