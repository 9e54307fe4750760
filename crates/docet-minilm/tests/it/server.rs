//! A hub on this machine: HTTP with ranges, and with the faults that a test asks for.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// Answers every address with the file of the same name out of one folder.
pub(crate) struct Server {
    pub(crate) endpoint: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

/// What was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) file: String,
    /// From which byte on.
    pub(crate) start: usize,
}

/// How the server treats each request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    /// The connection breaks after half of what was asked for, as long as that is more than a megabyte.
    BreaksHalfWay,
    /// One byte in the middle of each file is another.
    FlippedByte,
    /// It answers 200 and the whole file, whatever range was asked for.
    IgnoresRanges,
}

impl Server {
    /// Serves the files of the model that the tests use.
    pub(crate) fn start(fault: Fault) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        let endpoint = format!("http://{}", listener.local_addr().expect("a bound listener has an address"));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let seen = Arc::clone(&seen);
                thread::spawn(move || answer(stream, fault, &seen));
            }
        });
        Self { endpoint, requests }
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().expect("no request panics").clone()
    }
}

fn answer(mut stream: TcpStream, fault: Fault, seen: &Mutex<Vec<Request>>) {
    let Some(request) = read_request(&stream) else { return };
    seen.lock().expect("no request panics").push(request.clone());
    let path = crate::support::model().folder().join(&request.file);
    let mut bytes = std::fs::read(path).expect("the hub is asked for files of the model alone");
    if fault == Fault::FlippedByte {
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
    }
    let start = if fault == Fault::IgnoresRanges { 0 } else { request.start };
    let asked = &bytes[start..];
    let sent = if fault == Fault::BreaksHalfWay && asked.len() > 1 << 20 { asked.len() / 2 } else { asked.len() };
    let status = if start > 0 { "206 Partial Content" } else { "200 OK" };
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", asked.len());
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&asked[..sent]));
}

fn read_request(stream: &TcpStream) -> Option<Request> {
    let mut lines = BufReader::new(stream.take(1 << 16)).lines().map_while(Result::ok);
    let first = lines.next()?;
    let address = first.split(' ').nth(1)?.to_owned();
    let headers = lines.take_while(|line| !line.is_empty()).map(|line| line.to_ascii_lowercase());
    let range = headers.filter_map(|line| Some(line.strip_prefix("range: bytes=")?.trim_end_matches('-').to_owned()));
    let start = range.last().map_or(Some(0), |start| start.parse().ok())?;
    Some(Request { file: address.rsplit('/').next()?.to_owned(), start })
}
