//! The approximations against slow and sure ones in double precision.

use super::{LANES, error_function, exponential, exponentials, gelu};

/// erf(z) by its power series, which converges everywhere.
fn series(z: f64) -> f64 {
    let mut term = z;
    let mut sum = z;
    for n in 1..200 {
        term *= -z * z / f64::from(n);
        sum += term / f64::from(2 * n + 1);
    }
    sum * std::f64::consts::FRAC_2_SQRT_PI
}

#[test]
fn the_error_function_is_exact_to_six_digits_everywhere() {
    for step in -5_000..=5_000_i16 {
        let z = f32::from(step) / 1000.0;
        let error = f64::from(error_function(z)) - series(f64::from(z));
        assert!(error.abs() < 5e-7, "erf({z}) is off by {error}");
    }
}

#[test]
fn gelu_keeps_what_is_large_and_drops_what_is_far_below_zero() {
    let mut values = [-30.0, -1.0, 0.0, 1.0, 30.0];
    gelu(&mut values);
    for (found, expected) in values.iter().zip([0.0, -0.158_655_25, 0.0, 0.841_344_8, 30.0]) {
        assert!((found - expected).abs() < 1e-6, "{found} is not {expected}");
    }
}

#[test]
fn the_exponential_is_exact_to_six_digits() {
    for step in -8_700..=0_i16 {
        let x = f32::from(step) / 100.0;
        let ratio = f64::from(exponential(x)) / f64::from(x).exp();
        assert!((ratio - 1.0).abs() < 3e-7, "e^{x} is off by {}", ratio - 1.0);
    }
    assert_eq!([exponential(-88.0), exponential(f32::NEG_INFINITY)], [0.0, 0.0]);
}

#[test]
fn shares_of_scores_do_not_overflow() {
    let mut scores = [f32::NEG_INFINITY; LANES];
    scores[..3].copy_from_slice(&[1000.0, 1000.0, -1000.0]);
    assert_eq!(exponentials(&mut scores), 2.0);
    assert_eq!(scores[..4], [1.0, 1.0, 0.0, 0.0]);
}
