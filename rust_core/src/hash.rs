//! Content hashes.

use crate::parallel;

/// BLAKE3 of bytes, as 64 hex digits; of many bytes on all threads.
#[must_use]
pub fn hex(data: &[u8]) -> String {
    let mut hasher = blake3::Hasher::new();
    if parallel::worth_it(data.len()) {
        hasher.update_rayon(data);
    } else {
        hasher.update(data);
    }
    hasher.finalize().to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::hex;

    #[test]
    fn of_nothing_is_the_published_value() {
        assert_eq!(hex(b""), "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262");
    }

    #[test]
    fn differs_by_one_bit() {
        assert_ne!(hex(b"a"), hex(b"c"));
    }
}
