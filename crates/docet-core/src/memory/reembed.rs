//! Vectors and the texts they belong to: all made anew, or compared.

use std::collections::HashMap;

use super::plan::Plan;
use super::{Call, Error, Memory, library};
use crate::answers::ReembedReport;
use crate::embedding::Embedding;
use crate::error::StoreError;
use crate::experience::{Experience, ExperienceId};
use crate::history::RevisionKind;
use crate::library::LibraryName;

/// The least cosine of an entry's vector to that of its text. Kernels differ by a hundredth of what is missing to 1.
pub const SAME_TEXT: f64 = 0.9999;

/// How often entries that others wrote meanwhile are encoded too, before it is given up.
const TRIES: usize = 10;

/// An entry whose vector does not belong to its text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mismatch {
    /// The entry.
    pub id: ExperienceId,
    /// The cosine of its vector to that of its text.
    pub cosine: f64,
}

impl Memory {
    /// Makes all vectors of a library anew, in one transaction, and notes the encoder that made them: the only call
    /// that takes a library over from another encoder. Nothing is locked while texts are encoded.
    ///
    /// ```
    /// # use docet_core::{experience::Timestamp, library::LibraryName, operation::Operation, session::SessionId};
    /// # use docet_core::memory::*;
    /// let (memory, library, call) = (Memory::in_memory(), LibraryName::default(), Call::at(Timestamp(0)));
    /// memory.update(&library, &Update::of(vec![Operation::add("Run the tests first.")]), &call)?;
    /// let report = memory.reembed(&library, &call)?;
    /// assert_eq!((report.entries, report.changed), (1, 0));
    /// # Ok::<(), docet_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// `library_missing`, `store_busy` where others write faster than texts are encoded, and failures of store and
    /// encoder.
    pub fn reembed(&self, name: &LibraryName, call: &Call) -> Result<ReembedReport, Error> {
        if let Some(first) = self.first_answer(name, call)? {
            return Ok(first);
        }
        let mut vectors = HashMap::new();
        for _ in 0..TRIES {
            let (seen, entries) =
                self.look(name, |snapshot| Ok((library(snapshot, name)?, snapshot.experiences()?)))?;
            self.encode_new(&entries, &mut vectors)?;
            let report = self.change(name, |transaction| {
                if let Some(first) = call.first_answer(transaction)? {
                    return Ok(Some(first));
                }
                let library = library(transaction, name)?;
                if library.revision != seen.revision {
                    return Ok(None);
                }
                let mut changed = 0;
                for entry in &entries {
                    let embedding = vectors[entry.text.as_str()].clone();
                    if embedding != entry.embedding {
                        transaction.put_experience(&Experience { embedding, ..entry.clone() })?;
                        changed += 1;
                    }
                }
                let encoder = Some(self.embedder.encoder());
                let mut plan = Plan::new(RevisionKind::Reembed, Some(library.clone()), library);
                plan.is_always_a_revision = changed > 0 || plan.library.encoder != encoder;
                plan.library.encoder = encoder;
                plan.commit(transaction, call)?;
                let report = ReembedReport { entries: entries.len(), changed, revision: plan.number() };
                call.remember(transaction, &plan.library.settings, report)?;
                Ok(Some(report))
            })?;
            if let Some(report) = report {
                return Ok(report);
            }
        }
        let message = "others changed the library again and again while its texts were encoded; try when they are done";
        Err(StoreError::Busy(message.to_owned()).into())
    }

    /// Compares vectors with their texts: of all entries, or of about `sample` of them, spread over the library. Names
    /// those whose cosine is below [`SAME_TEXT`], and says how many were compared.
    ///
    /// ```
    /// # use docet_core::{experience::Timestamp, library::LibraryName, operation::Operation, session::SessionId};
    /// # use docet_core::memory::*;
    /// let (memory, library, call) = (Memory::in_memory(), LibraryName::default(), Call::at(Timestamp(0)));
    /// memory.update(&library, &Update::of(vec![Operation::add("Run the tests first.")]), &call)?;
    /// assert_eq!(memory.compare_vectors(&library, None)?, (vec![], 1));
    /// # Ok::<(), docet_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// `library_missing`, `encoder_differs`, and failures of store and encoder.
    pub fn compare_vectors(&self, name: &LibraryName, sample: Option<usize>) -> Result<(Vec<Mismatch>, usize), Error> {
        let (library, mut entries) =
            self.look(name, |snapshot| Ok((library(snapshot, name)?, snapshot.experiences()?)))?;
        self.check_encoder(&library)?;
        if let Some(sample) = sample.filter(|sample| *sample > 0) {
            let every = entries.len().div_ceil(sample).max(1);
            entries = entries.into_iter().step_by(every).collect();
        }
        let mut vectors = HashMap::new();
        self.encode_new(&entries, &mut vectors)?;
        let mismatches = entries.iter().filter_map(|entry| {
            let cosine = entry.embedding.cosine(&vectors[entry.text.as_str()]);
            (cosine < SAME_TEXT).then_some(Mismatch { id: entry.id, cosine })
        });
        Ok((mismatches.collect(), entries.len()))
    }

    /// Encodes the texts whose vectors are not there yet.
    fn encode_new(&self, entries: &[Experience], vectors: &mut HashMap<String, Embedding>) -> Result<(), Error> {
        let mut texts: Vec<&str> = entries.iter().map(|entry| entry.text.as_str()).collect();
        texts.retain(|text| !vectors.contains_key(*text));
        texts.sort_unstable();
        texts.dedup();
        if !texts.is_empty() {
            let encoded = self.embed(&texts)?.into_iter().map(|encoded| encoded.embedding);
            vectors.extend(texts.iter().map(|text| (*text).to_owned()).zip(encoded));
        }
        Ok(())
    }
}
