//! `docet quickstart`: the memory at work, from a lesson to a better next session, in a throw-away store.

use clap::Args;
use clap::builder::styling::Style;
use docet::wire::{
    BeginRequest, Code, CompressRequest, EndRequest, Failure, Labels, LookUp, OnInvalid, RecallAnswer, SettingsRequest,
    UpdateRequest, parse_operations,
};
use docet::{Config, Local, Refusal, Service, StorePlace, Target, model};
use serde::Serialize;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::model::Steps;
use super::{compress, end, recall, update};
use crate::context::Context;
use crate::output::Output;

/// Lessons for agents that code, browse and use tools; two of them are too long, to show what happens then.
const LESSONS: &str = include_str!("../quickstart/lessons.json");
const TASK: &str = "Fix the failing test in the payment service and open a pull request";
const CAPACITY: usize = 40;

const EXAMPLES: &str = "\
Examples:
  docet quickstart
  docet quickstart --json";

const NEXT: [&str; 3] = [
    "docet add \"When CI fails, read the first error, not the last.\" --domain coding",
    "docet begin \"your agent's next task\"",
    "docet end SESSION --reward 1 --baseline 0.5",
];

/// Watch the memory at work: lessons, a task, a reward, a better next session, compression
///
/// Everything happens in a throw-away store with the real encoder, whose weights are fetched where they are not there
/// yet. Each step shows the command that does it.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Quickstart;

impl Quickstart {
    pub(crate) fn run(self, context: &Context) -> Result<(), Failure> {
        let mut tour = Tour::new(context)?;
        tour.find_weights(context)?;
        tour.teach()?;
        let first = tour.begin("A task comes in. The five lessons that matter go in front of the agent's prompt")?;
        tour.end(&first)?;
        let second = tour.begin("The same task, the next day: what helped stands higher")?;
        tour.say(&moves(&first, &second))?;
        tour.compress()?;
        tour.close()
    }
}

/// The steps so far, in a store that goes with this.
struct Tour {
    service: Local,
    target: Target,
    output: Output,
    steps: Vec<Step>,
    _store: TempDir,
}

/// One step for a program.
#[derive(Serialize)]
struct Step {
    title: String,
    command: String,
    answer: Value,
}

impl Tour {
    fn new(context: &Context) -> Result<Self, Failure> {
        let store = tempfile::tempdir().map_err(|error| {
            Refusal::new(Code::Io, format!("no temporary folder for the throw-away store: {error}"))
        })?;
        let place = StorePlace::Sqlite(store.path().join("docet.db"));
        let service = Local::new(&Config { store: place, ..context.config.clone() });
        Ok(Self {
            service,
            target: context.target.in_default(),
            output: context.output,
            steps: Vec::new(),
            _store: store,
        })
    }

    fn find_weights(&mut self, context: &Context) -> Result<(), Failure> {
        let mut progress = Steps::default();
        let answer = model::pull(&context.config.places, &mut |event| progress.show(&event))?;
        let page = format!("{} ({}): both files are sound\n", answer.path, answer.source);
        self.step(
            "The encoder's weights are on this machine; nothing else is ever fetched",
            "model pull",
            &answer,
            page,
        )
    }

    fn teach(&mut self) -> Result<(), Failure> {
        let operations = parse_operations(LESSONS.as_bytes())?;
        let request = UpdateRequest { operations, on_invalid: OnInvalid::Skip, ..UpdateRequest::default() };
        let answer = self.service.update(&self.target, &request)?;
        let page = update::page(&answer);
        let title = "Lessons go in. Those of over 32 words are reported, and so are those that say almost the same";
        self.step(title, "update lessons.json --on-invalid skip", &answer, page)
    }

    fn begin(&mut self, title: &str) -> Result<RecallAnswer, Failure> {
        let look_up = LookUp { task: TASK.to_owned(), ..LookUp::default() };
        let request = BeginRequest { look_up, ..BeginRequest::default() };
        let answer = self.service.begin(&self.target, &request)?;
        let session = answer.session.clone().unwrap_or_default();
        let page = format!("{}session: {session}\n", recall::block(&answer.context));
        self.step(title, &format!("begin \"{TASK}\""), &answer, page)?;
        Ok(answer)
    }

    /// The task went well, but the fourth lesson was of no use.
    fn end(&mut self, begun: &RecallAnswer) -> Result<(), Failure> {
        let session = begun.session.clone().unwrap_or_default();
        let request = EndRequest {
            reward: Some(1.0),
            baseline: Some(0.5),
            not_improved: Some(Labels::Named(vec!["G3".to_owned()])),
            ..EndRequest::default()
        };
        let answer = self.service.end(&self.target, &session, &request)?;
        let page = end::page(&answer);
        let command = format!("end {session} --reward 1 --baseline 0.5 --not-improved=G3");
        let title = "The tests pass: a reward comes back, and confidence moves. One lesson was of no use";
        self.step(title, &command, &answer, page)
    }

    fn compress(&mut self) -> Result<(), Failure> {
        let request = CompressRequest { to: Some(CAPACITY as f64), dry_run: true, ..CompressRequest::default() };
        let answer = self.service.compress(&self.target, &request)?;
        let title = "A library is small. Who would leave if it held 40, by the hybrid strategy, and why";
        let page = compress::page(&answer);
        self.step(title, &format!("compress --to {CAPACITY} --dry-run"), &answer, page)?;

        let set = vec![("capacity".to_owned(), CAPACITY.to_string())];
        let request = SettingsRequest { set, evict: true, ..SettingsRequest::default() };
        let answer = self.service.settings(&self.target, &request)?;
        let page = format!(
            "{} lessons left the library, {CAPACITY} stay, revision {}\n",
            answer.evicted.len(),
            answer.revision
        );
        self.step("So they leave", &format!("settings capacity={CAPACITY} --evict"), &answer, page)
    }

    /// Shows a step at once to a person, and keeps it for a program.
    fn step(&mut self, title: &str, command: &str, answer: &impl Serialize, page: String) -> Result<(), Failure> {
        let (title, command) = (title.to_owned(), format!("docet {command}"));
        if !self.output.is_json() {
            let bold = Style::new().bold();
            let number = self.steps.len() + 1;
            self.output.styled(&format!("{bold}{number}. {title}{bold:#}\n\n$ {command}\n{page}\n"))?;
        }
        self.steps.push(Step { title, command, answer: json!(answer) });
        Ok(())
    }

    fn say(&self, words: &str) -> Result<(), Failure> {
        if self.output.is_json() { Ok(()) } else { self.output.styled(&format!("{words}\n\n")) }
    }

    fn close(self) -> Result<(), Failure> {
        let next = NEXT.map(|command| format!("  {command}\n")).concat();
        let page = format!("The throw-away store is gone. Three commands to use Docet for real:\n\n{next}");
        self.output.answer(&json!({"steps": self.steps, "next": NEXT}), |_| page)
    }
}

/// Which lessons changed places between two answers.
fn moves(first: &RecallAnswer, second: &RecallAnswer) -> String {
    let place = |id: u64| first.guidelines.iter().find(|guideline| guideline.id == id);
    let moved = second.guidelines.iter().filter_map(|guideline| match place(guideline.id) {
        Some(earlier) if earlier.label == guideline.label => None,
        Some(earlier) => Some(format!("lesson {} went from {} to {}", guideline.id, earlier.label, guideline.label)),
        None => Some(format!("lesson {} came in as {}", guideline.id, guideline.label)),
    });
    let moved: Vec<String> = moved.collect();
    if moved.is_empty() { "The order stayed as it was.".to_owned() } else { format!("{}.", moved.join(", ")) }
}
