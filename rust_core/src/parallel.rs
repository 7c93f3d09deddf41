//! When work is spread over threads.

use std::process;
use std::sync::OnceLock;

/// Multiply-adds (or steps of like cost) below which one thread is faster.
pub const MIN_PARALLEL_WORK: usize = 1 << 18;

static POOL_OWNER: OnceLock<u32> = OnceLock::new();

/// Tells whether work of this size should use the thread pool.
///
/// The pool's threads do not survive a fork: a child process that waited for them would wait for ever, so it works alone.
#[must_use]
pub fn worth_it(work: usize) -> bool {
    if work < MIN_PARALLEL_WORK {
        return false;
    }
    let here = process::id();
    *POOL_OWNER.get_or_init(|| here) == here && rayon::current_num_threads() > 1
}

#[cfg(test)]
mod tests {
    use super::{MIN_PARALLEL_WORK, worth_it};

    #[test]
    fn small_work_stays_on_one_thread() {
        assert!(!worth_it(MIN_PARALLEL_WORK - 1));
    }
}
