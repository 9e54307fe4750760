//! Progress on standard error, only on a terminal, and only once it is clear that a person has to wait.

use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use docet::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

/// What is over sooner than this shows no bar.
const PATIENCE: Duration = Duration::from_millis(600);

const TEMPLATE: &str = "encoding {bar:30} {pos} of {len} texts, {rate} a second, {eta} left";

/// Shows how many texts are encoded, at which rate, and when the rest will be.
pub(crate) fn bar() -> Arc<Progress> {
    let state: Mutex<Option<(Instant, ProgressBar)>> = Mutex::new(None);
    Arc::new(move |done, total| {
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        let (started, bar) = state.get_or_insert_with(|| (Instant::now(), hidden(total)));
        if done == total {
            bar.finish_and_clear();
            *state = None;
        } else if done > 0 && started.elapsed() > PATIENCE {
            if bar.is_hidden() {
                bar.set_draw_target(ProgressDrawTarget::stderr());
            }
            bar.set_position(done as u64);
        }
    })
}

fn hidden(total: usize) -> ProgressBar {
    let style = ProgressStyle::with_template(TEMPLATE).expect("a sound template").with_key("rate", rate);
    ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::hidden()).with_style(style)
}

fn rate(state: &ProgressState, line: &mut dyn Write) {
    // A line of a terminal can always be written to.
    let _ = write!(line, "{:.0}", state.per_sec());
}
