//! What concerns the machine itself: examining the store and its surroundings, copying it, making vectors anew.

use std::path::Path;

use docet_core::error::Code;
use docet_core::experience::Timestamp;
use docet_core::library::LibrarySummary;
use docet_core::memory::{Memory, SAME_TEXT};
use docet_core::session::{Session, SessionState};
use docet_minilm::model;
use docet_sqlite::SqliteStore;

use crate::config::StorePlace;
use crate::local::{Access, Local, call, now};
use crate::service::Target;
use crate::wire::{BackupAnswer, DoctorAnswer, Examined, Failure, Finding, ReembedAnswer, Severity};

/// Entries of each library whose vectors are compared with their texts, unless all are.
const SAMPLE: usize = 32;

/// Free space below this is too little for comfort, as is less than the store's own size twice over.
const FEW_BYTES: u64 = 64 << 20;

/// How far ahead of this machine's clock something may have been written.
const CLOCK_TOLERANCE: i64 = 60_000;

/// Fewer sessions than this that nobody ended say nothing.
const FEW_SESSIONS: usize = 10;

impl Local {
    /// Examines the store, every library's vectors (`all` of them, or a sample), the weights, the clock and the free
    /// space. With `fix` it mends what can be mended without losing anything.
    ///
    /// # Errors
    /// `store_missing`, and `io` where the store cannot be looked at. What is wrong is a finding and no error.
    pub fn examine(&self, all: bool, fix: bool) -> Result<DoctorAnswer, Failure> {
        let StorePlace::Sqlite(path) = self.place();
        let mut examination = Examination { findings: Vec::new(), libraries: Vec::new() };
        let model = examination.model(self);
        match self.memory(Access::Read) {
            Err(failure) if failure.code == Code::StoreMissing => return Err(failure),
            Err(failure) => examination.failure(&failure),
            Ok(_) if fix => examination.mend(path),
            Ok(_) => {}
        }
        examination.file(path);
        if let Ok(memory) = self.memory(Access::Read) {
            examination.libraries(&memory, model.is_some(), all);
        }
        examination.space(path);
        let Examination { findings, libraries } = examination;
        Ok(DoctorAnswer {
            ok: findings.iter().all(|finding| finding.severity != Severity::Error),
            findings,
            store: path.display().to_string(),
            model,
            kernel: docet_minilm::KERNEL,
            libraries,
        })
    }

    /// Copies the whole store to a new file, verified.
    ///
    /// # Errors
    /// `store_missing`, and `io` where the copy cannot be written or a file is there already.
    pub fn back_up(&self, to: &Path) -> Result<BackupAnswer, Failure> {
        let StorePlace::Sqlite(path) = self.place();
        let backup = SqliteStore::open_read_only(path)?.back_up(to)?;
        Ok(BackupAnswer {
            path: to.display().to_string(),
            bytes: backup.bytes,
            libraries: backup.libraries,
            entries: backup.entries,
            verified: true,
        })
    }

    /// Makes all vectors of a library anew.
    ///
    /// # Errors
    /// Those of [`Memory::reembed`].
    pub fn reembed(&self, target: &Target) -> Result<ReembedAnswer, Failure> {
        let call = call(target, "reembed", &())?;
        Ok(self.memory(Access::Change)?.reembed(&target.library, &call)?.into())
    }
}

/// What was found so far.
struct Examination {
    findings: Vec<Finding>,
    libraries: Vec<Examined>,
}

impl Examination {
    fn add(&mut self, code: &str, severity: Severity, message: String, remedy: &str) {
        let (code, remedy) = (code.to_owned(), remedy.to_owned());
        self.findings.push(Finding { code, severity, message, remedy });
    }

    /// A failure says itself what to do.
    fn failure(&mut self, failure: &Failure) {
        let code = serde_json::to_value(failure.code).ok().and_then(|code| code.as_str().map(str::to_owned));
        let (message, remedy) = failure.message.rsplit_once("; ").unwrap_or((&failure.message, "see the message"));
        self.add(&code.unwrap_or_default(), Severity::Error, message.to_owned(), remedy);
    }

    /// Where the weights are; their hashes are read anew.
    fn model(&mut self, local: &Local) -> Option<String> {
        match model::verify(local.places()) {
            Ok(model) => Some(model.folder().to_string_lossy().into_owned()),
            Err(error) => {
                self.failure(&error.into());
                None
            }
        }
    }

    fn file(&mut self, path: &Path) {
        match SqliteStore::open_read_only(path).and_then(|store| store.examine()) {
            Err(error) => {
                let failure = error.into();
                if !self.findings.iter().any(|known| failure_says(&failure, known)) {
                    self.failure(&failure);
                }
            }
            Ok(damages) => {
                for damage in damages {
                    self.add(damage.name, Severity::Error, damage.what, &damage.remedy);
                }
            }
        }
    }

    fn mend(&mut self, path: &Path) {
        match SqliteStore::open_existing(path).and_then(|store| store.mend()) {
            Err(error) => self.failure(&error.into()),
            Ok(mended) => {
                for what in mended {
                    self.add("mended", Severity::Fixed, what, "");
                }
            }
        }
    }

    fn libraries(&mut self, memory: &Memory, has_model: bool, all: bool) {
        // What makes a list of libraries impossible was found in the file.
        for LibrarySummary { name, size, .. } in memory.libraries().unwrap_or_default() {
            let mut examined =
                Examined { name: name.clone(), size, compared: 0, open_sessions: 0, expired_sessions: 0 };
            if has_model {
                match memory.compare_vectors(&name, (!all).then_some(SAMPLE)) {
                    Ok((mismatches, compared)) => {
                        examined.compared = compared;
                        for mismatch in mismatches {
                            let message = format!(
                                "the vector of entry {} of library \"{name}\" does not belong to its text (cosine {:.6}, \
                                 below {SAME_TEXT})",
                                mismatch.id, mismatch.cosine
                            );
                            let remedy = format!("`docet --library {name} reembed` makes its vectors anew");
                            self.add("vector_differs", Severity::Error, message, &remedy);
                        }
                    }
                    Err(error) if error.code() == Code::StoreDamaged => {}
                    Err(error) if error.code() == Code::EncoderDiffers => {
                        let remedy = format!("`docet --library {name} reembed` makes its vectors anew with this one");
                        self.add("encoder_differs", Severity::Error, error.to_string(), &remedy);
                    }
                    Err(error) => self.failure(&error.into()),
                }
            }
            let sessions = memory.sessions(&name, None, usize::MAX).unwrap_or_default();
            self.sessions(&sessions, &mut examined);
            self.clock(memory, &name, &sessions);
            self.libraries.push(examined);
        }
    }

    fn sessions(&mut self, sessions: &[Session], examined: &mut Examined) {
        let now = now();
        let number = |state| sessions.iter().filter(|session| session.state(now) == state).count();
        examined.open_sessions = number(SessionState::Open);
        examined.expired_sessions = number(SessionState::Expired);
        if examined.expired_sessions >= FEW_SESSIONS && examined.expired_sessions > number(SessionState::Ended) {
            let message = format!(
                "{} sessions of library \"{}\" expired without an end, more than were ended: they taught nothing",
                examined.expired_sessions, examined.name
            );
            self.add(
                "sessions_expired",
                Severity::Warning,
                message,
                "end each session: `docet end SESSION --reward R`",
            );
        }
    }

    fn clock(&mut self, memory: &Memory, name: &docet_core::library::LibraryName, sessions: &[Session]) {
        let newest = docet_core::history::RevisionQuery { limit: 1, ..Default::default() };
        let revision = memory.history(name, &newest).unwrap_or_default().first().map(|revision| revision.at);
        let latest = sessions.iter().map(|session| session.begun_at).chain(revision).max();
        if latest.is_some_and(|latest| latest > Timestamp(now().0 + CLOCK_TOLERANCE)) {
            let message =
                format!("library \"{name}\" was written at a time that is still to come by this machine's clock");
            self.add(
                "clock",
                Severity::Warning,
                message,
                "set the clock; sessions expire and keys are forgotten by it",
            );
        }
    }

    fn space(&mut self, path: &Path) {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let (Ok(free), Ok(file)) = (fs4::available_space(folder), path.metadata()) else { return };
        if free < FEW_BYTES.max(2 * file.len()) {
            let message = format!("{} MB are free beside the store, which takes {}", free >> 20, file.len() >> 20);
            self.add(
                "disk_space",
                Severity::Warning,
                message,
                "free some: a purge or a migration needs the store's size again",
            );
        }
    }
}

/// Whether a finding says what a failure says.
fn failure_says(failure: &Failure, known: &Finding) -> bool {
    failure.message.starts_with(&known.message)
}
