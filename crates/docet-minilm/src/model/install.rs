//! Putting a file into its place: whole, verified, in one step.

use super::event::Event;
use super::hash::Hashing;
use super::{Pinned, sha256};
use docet_core::ports::EncoderError;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read};
use std::path::Path;

/// Receives the events.
pub(super) type Report<'a> = &'a mut dyn FnMut(Event);

/// Makes the folder and keeps other processes from working in it until the answer is dropped.
pub(super) fn lock(folder: &Path, report: Report<'_>) -> Result<File, EncoderError> {
    take_lock(folder, report).map_err(|source| unwritable(folder, source))
}

fn take_lock(folder: &Path, report: Report<'_>) -> io::Result<File> {
    fs::create_dir_all(folder)?;
    let file = File::create(folder.join(".lock"))?;
    match file.try_lock() {
        Ok(()) => return Ok(file),
        Err(TryLockError::WouldBlock) => report(Event::Waiting),
        Err(TryLockError::Error(error)) => return Err(error),
    }
    file.lock()?;
    Ok(file)
}

/// Whether the folder holds the file with its pinned hash.
pub(super) fn holds(folder: &Path, pinned: Pinned) -> bool {
    let path = folder.join(pinned.name);
    path.metadata().is_ok_and(|metadata| metadata.len() == pinned.bytes)
        && sha256(&path).is_ok_and(|hash| hash == pinned.sha256)
}

/// Copies `source` into the folder if it has the pinned hash; answers the hash found.
pub(super) fn copy(source: impl Read, pinned: Pinned, folder: &Path, report: Report<'_>) -> io::Result<String> {
    let unfinished = folder.join(format!("{}.copy", pinned.name));
    let mut hashing = Hashing::new(source);
    let mut target = File::create(&unfinished)?;
    let copied = io::copy(&mut io::BufReader::with_capacity(1 << 18, &mut hashing), &mut target);
    copied.inspect_err(|_| drop(fs::remove_file(&unfinished)))?;
    let found = hashing.finish();
    if found == pinned.sha256 {
        put(&unfinished, pinned, folder, report)?;
    } else {
        fs::remove_file(&unfinished)?;
    }
    Ok(found)
}

/// Gives a finished and verified file its name.
pub(super) fn put(finished: &Path, pinned: Pinned, folder: &Path, report: Report<'_>) -> io::Result<()> {
    let path = folder.join(pinned.name);
    File::options().write(true).open(finished)?.sync_all()?;
    fs::rename(finished, &path)?;
    report(Event::Installed { path });
    Ok(())
}

/// The folder cannot be written.
pub(super) fn unwritable(folder: &Path, source: io::Error) -> EncoderError {
    let context =
        format!("cannot write the model to {}; make the folder writable or set DOCET_DATA_DIR", folder.display());
    EncoderError::Io { context, source }
}
