//! Medians of opening the encoder, of one text of 29 tokens and of a batch of lessons: `cargo bench -p docet-minilm`.
//! The weights are found as everywhere, through `DOCET_MODEL_DIR` for one.
#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

use docet_core::ports::{Embedder, EncoderError};
use docet_minilm::{MiniLm, Threads, model};
use std::hint::black_box;
use std::num::NonZeroUsize;
use std::time::Instant;

/// 29 tokens, the length that the speed target names.
const ONE_TEXT: &str = "Before changing a failing test, reproduce the failure locally, read the full stack trace and name \
    the cause of it in one short sentence.";

const LESSONS: [&str; 8] = [
    "Run the failing test before you change the code.",
    "Read the whole error message, not only its first line.",
    "When a selector matches nothing, take a fresh snapshot of the page before you try another one.",
    "Never retry a payment call without an idempotency key.",
    "Quote paths that may hold spaces.",
    "Name the stash before you switch branches.",
    "Check a tool's arguments against its schema before you call it, and its result afterwards.",
    "Prefer the smallest change that makes the test pass.",
];

/// Lessons in a batch.
const BATCH: usize = 32;

fn main() -> Result<(), EncoderError> {
    let places = model::Places::from_env(&std::env::temp_dir());
    let model = model::find(&places)?;
    let batch: Vec<&str> = LESSONS.into_iter().cycle().take(BATCH).collect();
    report("find, remembered", 50, || model::find(&places));
    report("open", 20, || MiniLm::open(&model, Threads::Automatic));
    for threads in [1, 2] {
        let encoder = MiniLm::open(&model, Threads::Fixed(NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN)))?;
        report(&format!("one text, {threads} threads"), 200, || encoder.embed(&[ONE_TEXT]));
        report(&format!("{BATCH} lessons, {threads} threads"), 40, || encoder.embed(&batch));
    }
    Ok(())
}

fn report<Answer>(name: &str, rounds: usize, mut run: impl FnMut() -> Answer) {
    let mut times: Vec<f64> = (0..=rounds).map(|_| milliseconds(&mut run)).skip(1).collect();
    times.sort_by(f64::total_cmp);
    println!("{name}: {:.3} ms (best {:.3})", times[rounds / 2], times[0]);
}

fn milliseconds<Answer>(run: &mut impl FnMut() -> Answer) -> f64 {
    let start = Instant::now();
    black_box(run());
    start.elapsed().as_secs_f64() * 1e3
}
