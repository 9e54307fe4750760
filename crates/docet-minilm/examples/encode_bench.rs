//! Encodes on command, for `benches/compare_ort.py`, which interleaves this with another engine.
//!
//! Reads lines `BATCH FILE` and answers each with the milliseconds that the texts of FILE, one a line, took in batches
//! of BATCH in the order given, tokenising included. The first argument is the number of threads.

use docet_core::ports::Embedder;
use docet_minilm::{MiniLm, Threads, model};
use std::error::Error;
use std::io::{BufRead, Write};
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let threads = std::env::args().nth(1).ok_or("the number of threads is missing")?;
    let places = model::Places::from_env(&std::env::temp_dir().join("docet-encode-bench"));
    let encoder = MiniLm::open(&model::find(&places)?, Threads::Fixed(threads.parse()?))?;
    let mut answers = std::io::stdout();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let (batch, path) = line.split_once(' ').ok_or("a line is BATCH FILE")?;
        let file = std::fs::read_to_string(path)?;
        let texts: Vec<&str> = file.lines().collect();
        writeln!(answers, "{}", milliseconds(&encoder, &texts, batch.parse()?)?)?;
        answers.flush()?;
    }
    Ok(())
}

fn milliseconds(encoder: &MiniLm, texts: &[&str], batch: usize) -> Result<f64, Box<dyn Error>> {
    let start = Instant::now();
    for texts in texts.chunks(batch) {
        std::hint::black_box(encoder.embed(texts)?);
    }
    Ok(start.elapsed().as_secs_f64() * 1e3)
}
