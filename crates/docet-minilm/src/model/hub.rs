//! Downloads from the model's hub, resumed where they stopped.

use super::event::Event;
use super::install::{Report, put, unwritable};
use super::{Pinned, REVISION, sha256};
use docet_core::ports::EncoderError;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use ureq::Agent;
use ureq::http::StatusCode;

/// How long to wait for a connection, and then for the first answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long one request may last. A download that needs longer goes on with another request; one that has come to a
/// stand ends here.
const REQUEST: Duration = Duration::from_secs(60);

/// Why a download ended early.
enum Failure {
    /// The other side's fault: another source may do better.
    Source(String),
    /// Our own disk's.
    Disk(io::Error),
}

/// Downloads the files into the folder. The inner error is the reason for which to try another source.
pub(super) fn fetch(
    endpoint: &str,
    files: &[Pinned],
    folder: &Path,
    report: Report<'_>,
) -> Result<Result<(), String>, EncoderError> {
    for &file in files {
        let download = Download::new(endpoint, file, folder);
        match download.run(report) {
            Ok(()) => {}
            Err(Failure::Source(reason)) => return Ok(Err(format!("{}: {reason}", download.url))),
            Err(Failure::Disk(error)) => return Err(unwritable(folder, error)),
        }
    }
    Ok(Ok(()))
}

struct Download<'a> {
    file: Pinned,
    url: String,
    folder: &'a Path,
    /// What has come so far; kept when the download is interrupted.
    part: PathBuf,
    agent: Agent,
}

impl<'a> Download<'a> {
    fn new(endpoint: &str, file: Pinned, folder: &'a Path) -> Self {
        let endpoint = endpoint.trim_end_matches('/');
        Self {
            file,
            url: format!("{endpoint}/sentence-transformers/all-MiniLM-L6-v2/resolve/{REVISION}/{}", file.name),
            folder,
            part: folder.join(format!("{}.part", file.name)),
            agent: agent(),
        }
    }

    /// Resumes what an earlier run left; where that turns out to be no part of the file, starts over.
    fn run(&self, report: Report<'_>) -> Result<(), Failure> {
        report(Event::Fetching { file: self.file, url: self.url.clone() });
        let resumed = self.done() > 0;
        match self.complete(report) {
            Err(Failure::Source(_)) if resumed && self.done() == 0 => self.complete(report),
            finished => finished,
        }
    }

    /// Asks again as long as each request brings something, then verifies.
    fn complete(&self, report: Report<'_>) -> Result<(), Failure> {
        while self.done() < self.file.bytes {
            let before = self.done();
            let asked = self.request(before, report);
            if self.done() <= before {
                asked?;
                return Err(Failure::Source("the answer was empty".to_owned()));
            }
        }
        let found = sha256(&self.part).map_err(Failure::Disk)?;
        if found == self.file.sha256 {
            return put(&self.part, self.file, self.folder, report).map_err(Failure::Disk);
        }
        fs::remove_file(&self.part).map_err(Failure::Disk)?;
        Err(Failure::Source(format!("what came has the SHA-256 {found} instead of {}", self.file.sha256)))
    }

    /// Asks for what lies behind the first `start` bytes and appends what comes.
    fn request(&self, start: u64, report: Report<'_>) -> Result<(), Failure> {
        let mut request = self.agent.get(&self.url);
        if start > 0 {
            request = request.header("Range", format!("bytes={start}-"));
        }
        let mut response = request.call().map_err(|error| Failure::Source(error.to_string()))?;
        let start = match response.status() {
            StatusCode::PARTIAL_CONTENT => start,
            StatusCode::OK => 0,
            StatusCode::RANGE_NOT_SATISFIABLE => return self.open(0).map(drop).map_err(Failure::Disk),
            status => return Err(Failure::Source(format!("the answer was {status}"))),
        };
        let part = self.open(start).map_err(Failure::Disk)?;
        self.append(start, response.body_mut().as_reader(), part, report)
    }

    /// The part, shortened to `length`.
    fn open(&self, length: u64) -> io::Result<File> {
        let part = File::options().create(true).append(true).open(&self.part)?;
        part.set_len(length)?;
        Ok(part)
    }

    fn append(&self, start: u64, body: impl Read, mut part: File, report: Report<'_>) -> Result<(), Failure> {
        let mut body = body.take(self.file.bytes - start);
        let mut buffer = vec![0; 1 << 18];
        let mut done = start;
        loop {
            let count = body.read(&mut buffer).map_err(|error| Failure::Source(error.to_string()))?;
            if count == 0 {
                return Ok(());
            }
            part.write_all(&buffer[..count]).map_err(Failure::Disk)?;
            done += count as u64;
            report(Event::Progress { file: self.file, done });
        }
    }

    /// Bytes that have come so far; a part longer than the file is none of it.
    fn done(&self) -> u64 {
        fs::metadata(&self.part).map_or(0, |metadata| metadata.len())
    }
}

/// Takes proxies from the environment.
fn agent() -> Agent {
    let config = Agent::config_builder()
        .timeout_resolve(Some(PATIENCE))
        .timeout_connect(Some(PATIENCE))
        .timeout_recv_response(Some(PATIENCE))
        .timeout_recv_body(Some(REQUEST))
        .http_status_as_error(false)
        .user_agent(concat!("docet/", env!("CARGO_PKG_VERSION")));
    config.build().into()
}
