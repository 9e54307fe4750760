//! Copies of a whole store: of one state of it, flushed to the disk, and never in the place of another file.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use docet_core::ports::StoreError;
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags, ffi};

use crate::failure::{self, Failure};

/// The end of the name of a copy that is being written.
pub(crate) const PARTIAL: &str = ".partial";

/// A copy that is being written. It goes when it is dropped, unless it was put in its place.
#[derive(Debug)]
pub(crate) struct Partial {
    path: PathBuf,
    is_placed: bool,
}

impl Partial {
    /// Writes all that `source` sees in its open transaction to the new file `path`, with the rights of `original`.
    pub(crate) fn write(source: &Connection, original: &Path, path: PathBuf) -> Result<Self, StoreError> {
        let file = create(&path, original).map_err(|error| cannot_write(&path, error))?;
        let partial = Self { path, is_placed: false };
        copy_pages(source, &partial.path).map_err(|failure| failure.at(&partial.path))?;
        file.sync_all().map_err(|error| cannot_write(&partial.path, error))?;
        Ok(partial)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the copy its name, for good. A file of that name stays as it is, and the answer is false.
    pub(crate) fn place(mut self, target: &Path) -> Result<bool, StoreError> {
        self.try_place(target)
    }

    /// Gives the copy that name or the first of `NAME-2`, `NAME-3` ... that no file has, and says which.
    pub(crate) fn place_beside(mut self, name: &Path) -> Result<PathBuf, StoreError> {
        let mut target = name.to_owned();
        let mut number = 1;
        while !self.try_place(&target)? {
            number += 1;
            target = with_ending(name, &format!("-{number}"));
        }
        Ok(target)
    }

    fn try_place(&mut self, target: &Path) -> Result<bool, StoreError> {
        match rename_where_nothing_is(&self.path, target) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
            outcome => outcome.map_err(|error| cannot_write(target, error))?,
        }
        self.is_placed = true;
        flush_folder_of(target).map_err(|error| cannot_write(target, error))?;
        Ok(true)
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if !self.is_placed {
            // A copy that cannot be removed either is named as what it is by its name.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// `path` with an ending.
pub(crate) fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    name.into()
}

/// A new file that nobody may read who may not read `original`.
fn create(path: &Path, original: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
        options.mode(original.metadata()?.mode() & 0o777 | 0o600);
    }
    options.open(path)
}

fn copy_pages(source: &Connection, path: &Path) -> failure::Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut target = Connection::open_with_flags(path, flags)?;
    // Half a copy is thrown away, so it needs no journal beside it.
    target.pragma_update(None, "journal_mode", "OFF")?;
    // All in one step, so that nothing can come between.
    match Backup::new(source, &mut target)?.step(-1)? {
        StepResult::Done => Ok(()),
        _ => Err(Failure::Sqlite(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_BUSY), None))),
    }
}

/// Renames without ever replacing. A second name first, which the system refuses where there is a file; where a disk
/// knows no second names, what is there is asked beforehand.
fn rename_where_nothing_is(from: &Path, to: &Path) -> io::Result<()> {
    match std::fs::hard_link(from, to) {
        Ok(()) => std::fs::remove_file(from),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        Err(_) if to.symlink_metadata().is_ok() => Err(io::ErrorKind::AlreadyExists.into()),
        Err(_) => std::fs::rename(from, to),
    }
}

/// Until its folder is flushed, a power cut can take a file's name.
fn flush_folder_of(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) if cfg!(unix) => File::open(folder)?.sync_all(),
        _ => Ok(()),
    }
}

fn cannot_write(path: &Path, error: io::Error) -> StoreError {
    failure::io(format!("{} cannot be written, so nothing was changed", path.display()), error)
}
