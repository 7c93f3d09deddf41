//! Base-level activation, `ln sum of age ** -d` over all presentations of a memory, of which the newest are known.
//!
//! Anderson & Schooler (1991) gave the sum. The older presentations are taken as spread evenly over their time, as in
//! Petrov, "Computationally efficient approximation of the base-level learning equation in ACT-R" (ICCM 2006), so that
//! a memory needs room for a few moments only, however often it is used.

/// An age counts as a minute at least: what was used this instant would be infinitely active.
const YOUNGEST_DAYS: f64 = 1.0 / 1440.0;

/// The activation of one memory.
///
/// `ages_days` are the ages of its newest presentations, newest first, up to the first that is not a number; `count` is
/// how many there were in all, and `first_days` the age of the first. Nothing presented is minus infinity.
#[must_use]
pub fn activation(ages_days: &[f64], count: u32, first_days: f64, decay: f64) -> f64 {
    let known = ages_days.iter().take_while(|age| !age.is_nan()).take(count as usize);
    let (mut sum, mut last, mut seen) = (0.0_f64, YOUNGEST_DAYS, 0_u32);
    for age in known {
        last = age.max(YOUNGEST_DAYS);
        sum += last.powf(-decay);
        seen += 1;
    }
    let rest = f64::from(count - seen);
    (sum + rest * mean_strength(last, first_days.max(last), decay)).ln()
}

/// The mean of `age ** -d` over the ages from one to another.
fn mean_strength(from: f64, to: f64, decay: f64) -> f64 {
    let power = 1.0 - decay;
    // Ages so close give a quotient of rounding errors.
    if to - from <= from * 1e-9 {
        return from.powf(-decay);
    }
    (to.powf(power) - from.powf(power)) / (power * (to - from))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(left: f64, right: f64) {
        assert!((left - right).abs() < 1e-9, "{left} is not {right}");
    }

    #[test]
    fn one_presentation_a_day_ago_is_zero() {
        near(activation(&[1.0], 1, 1.0, 0.5), 0.0);
    }

    #[test]
    fn all_known_is_the_plain_sum() {
        let ages = [1.0_f64, 4.0, 9.0];
        near(activation(&ages, 3, 9.0, 0.5), (1.0_f64 + 0.5 + 1.0 / 3.0).ln());
    }

    #[test]
    fn the_end_of_a_row_is_marked() {
        near(activation(&[1.0, f64::NAN, 2.0], 1, 1.0, 0.5), 0.0);
    }

    #[test]
    fn what_is_not_known_lies_between_the_ends() {
        let some = activation(&[1.0], 3, 9.0, 0.5);
        assert!(some > activation(&[1.0, 9.0, 9.0], 3, 9.0, 0.5));
        assert!(some < activation(&[1.0, 1.0, 1.0], 3, 1.0, 0.5));
    }

    #[test]
    fn the_moment_itself_is_a_minute_old() {
        near(activation(&[-5.0], 1, -5.0, 0.5), activation(&[YOUNGEST_DAYS], 1, YOUNGEST_DAYS, 0.5));
        assert!(activation(&[0.0], 1, 0.0, 0.5).is_finite());
    }

    #[test]
    fn nothing_presented_is_minus_infinity() {
        let nothing = activation(&[], 0, 1.0, 0.5);
        assert!(nothing.is_infinite() && nothing.is_sign_negative());
    }
}
