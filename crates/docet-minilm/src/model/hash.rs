//! SHA-256 of what streams by.

use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Bytes read at once.
const BUFFER: usize = 1 << 18;

/// The SHA-256 of a file, in hexadecimal.
pub(crate) fn sha256(path: &Path) -> io::Result<String> {
    let mut hashing = Hashing::new(File::open(path)?);
    io::copy(&mut io::BufReader::with_capacity(BUFFER, &mut hashing), &mut io::sink())?;
    Ok(hashing.finish())
}

/// Hashes what is read through it.
pub(crate) struct Hashing<Inner> {
    inner: Inner,
    hasher: Sha256,
}

impl<Inner: Read> Hashing<Inner> {
    /// Nothing read yet.
    pub(crate) fn new(inner: Inner) -> Self {
        Self { inner, hasher: Sha256::new() }
    }

    /// The hash of all that was read, in hexadecimal.
    pub(crate) fn finish(self) -> String {
        let mut text = String::new();
        for byte in self.hasher.finalize() {
            let _ = write!(text, "{byte:02x}");
        }
        text
    }
}

impl<Inner: Read> Read for Hashing<Inner> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.hasher.update(&buffer[..count]);
        Ok(count)
    }
}
