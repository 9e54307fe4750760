//! Opening a connection: which file, with which rights and pragmas, and what that file turns out to be.

use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use docet_core::ports::StoreError;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use crate::copy::with_ending;
use crate::failure::{self, Failure, Result};
use crate::migration;
use crate::schema::{self, Identity};

/// How long a lock is waited for.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// How long a writer sleeps before it asks for the lock again.
const TURN: Duration = Duration::from_millis(1);

/// Prepared statements kept by each connection; more than there are.
const STATEMENTS: usize = 64;

/// What a connection may do to its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Read and write, and make the file where there is none.
    Create,
    /// Read and write what is there.
    Write,
    /// Read alone.
    Read,
    /// Read a file that nobody can change, without a lock and without any file beside it.
    ReadImmutable,
}

/// A file, how it is opened, and how long its locks are waited for.
#[derive(Clone, Debug)]
pub(crate) struct Location {
    pub(crate) file: PathBuf,
    pub(crate) access: Access,
    pub(crate) patience: Duration,
}

impl Location {
    /// An absolute path, because SQLite gives `:memory:`, `file:` and the empty name a meaning of their own.
    pub(crate) fn new(path: &Path, access: Access) -> std::result::Result<Self, StoreError> {
        let failed = |source| failure::io(format!("no path of a store: {}", path.display()), source);
        let file = std::path::absolute(path).map_err(failed)?;
        Ok(Self { file, access, patience: PATIENCE })
    }

    /// The first connection, which finds out what the file is, makes or migrates the store where it may, and may turn
    /// `access` into [`Access::ReadImmutable`].
    pub(crate) fn first(&mut self) -> std::result::Result<Connection, StoreError> {
        self.check_kind()?;
        let failed = |failure: Failure| failure.at(&self.file);
        match self.access {
            Access::Create | Access::Write => self.first_writer(),
            Access::Read | Access::ReadImmutable => {
                let (connection, identity) = match self.connect_and_identify() {
                    Err(failure) if self.is_sealed(&failure) => {
                        self.access = Access::ReadImmutable;
                        self.connect_and_identify()
                    }
                    other => other,
                }
                .map_err(failed)?;
                if matches!(identity, Identity::Store(version) if version < schema::VERSION) {
                    drop(connection);
                    return self.first_after_migration();
                }
                self.accept(&identity)?;
                Ok(connection)
            }
        }
    }

    /// Reading, too, brings an older store up to date, where it can be written.
    fn first_after_migration(&self) -> std::result::Result<Connection, StoreError> {
        match (Self { access: Access::Write, ..self.clone() }).first_writer() {
            Ok(_) => self.connect().map_err(|failure| failure.at(&self.file)),
            Err(error @ StoreError::Io { .. }) => Err(self.outdated(error)),
            Err(error) => Err(error),
        }
    }

    /// Another connection to a file that [`Self::first`] has accepted.
    pub(crate) fn connect(&self) -> Result<Connection> {
        let flags = match self.access {
            Access::Create => OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
            Access::Write => OpenFlags::SQLITE_OPEN_READ_WRITE,
            Access::Read => OpenFlags::SQLITE_OPEN_READ_ONLY,
            Access::ReadImmutable => OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI,
        };
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = match self.access {
            Access::ReadImmutable => Connection::open_with_flags(immutable_uri(&self.file), flags)?,
            _ => Connection::open_with_flags(&self.file, flags)?,
        };
        connection.busy_timeout(self.patience)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, true)?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        Ok(connection)
    }

    /// Takes the lock of the one writer. SQLite's own way to wait sleeps for up to a tenth of a second at a time, which
    /// lets a busy process pass all who wait; asking every millisecond gives each its turn.
    pub(crate) fn begin_writing<'a>(&self, connection: &'a Connection) -> rusqlite::Result<Transaction<'a>> {
        let until = Instant::now() + self.patience;
        connection.busy_timeout(Duration::ZERO)?;
        let begun = loop {
            match Transaction::new_unchecked(connection, TransactionBehavior::Immediate) {
                Err(error) if is_busy(&error) && Instant::now() < until => thread::sleep(TURN),
                outcome => break outcome,
            }
        };
        connection.busy_timeout(self.patience)?;
        begun
    }

    /// Commits `transaction` of `connection`.
    ///
    /// A commit that fails when the log is flushed stands in the log all the same: whoever reads the log anew, after a
    /// kill, would find it whole. So the log is written over from there at once, by a change that changes nothing. On
    /// a disk that goes on failing that one fails as well, and has done by then what it is for.
    pub(crate) fn commit(&self, transaction: Transaction<'_>, connection: &Connection) -> rusqlite::Result<()> {
        let committed = transaction.commit();
        if committed.is_err()
            && let Ok(nothing) = self.begin_writing(connection)
        {
            let _ = schema::confirm(&nothing).and_then(|()| Ok(nothing.commit()?));
        }
        committed
    }

    /// What can be told from the outside, before SQLite touches anything.
    fn check_kind(&self) -> std::result::Result<(), StoreError> {
        let file = self.file.display();
        match self.file.metadata() {
            Ok(metadata) if metadata.is_dir() => Err(failure::foreign(&self.file, "a folder")),
            Ok(metadata) if metadata.len() == 0 && self.access != Access::Create => Err(missing(&self.file)),
            // SQLite takes a file of one byte for an empty one.
            Ok(metadata) if metadata.len() == 1 => Err(failure::foreign(&self.file, "a file of another kind")),
            Ok(_) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => match self.access {
                Access::Create => make_folder(&self.file),
                _ => Err(missing(&self.file)),
            },
            Err(error) => Err(failure::io(format!("{file} cannot be looked at"), error)),
        }
    }

    fn first_writer(&self) -> std::result::Result<Connection, StoreError> {
        let failed = |failure: Failure| failure.at(&self.file);
        let (connection, identity) = self.connect_and_identify().map_err(failed)?;
        let migrates = match &identity {
            Identity::Blank => self.access == Access::Create,
            Identity::Store(version) => *version < schema::VERSION,
            Identity::Foreign => false,
        };
        if migrates {
            migration::migrate(&connection, self)?;
            self.accept(&schema::identify(&connection).map_err(failed)?)?;
        } else {
            self.accept(&identity)?;
        }
        self.settle(&connection).map_err(failed)?;
        Ok(connection)
    }

    /// Connects and identifies the file. Until it is known to be ours, closing must not tidy a WAL into it.
    fn connect_and_identify(&self) -> Result<(Connection, Identity)> {
        let connection = self.connect()?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        // One transaction, lest another process make the store between two looks at it.
        let identity = schema::identify(&*connection.unchecked_transaction()?)?;
        match identity {
            Identity::Store(_) if self.is_cut_short(&connection)? => {
                Err(Failure::Row("it was cut short within a page".to_owned()))
            }
            _ => Ok((connection, identity)),
        }
    }

    /// Whether the file ends within a page, which SQLite would read as zeros. While a log lies beside it, that is no
    /// damage yet: a full disk leaves a file so, and the log still has the page.
    fn is_cut_short(&self, connection: &Connection) -> Result<bool> {
        let page: u32 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
        let is_cut = self.file.metadata().is_ok_and(|file| file.len() % u64::from(page) != 0);
        Ok(is_cut && !has_content(&self.file, "-wal"))
    }

    fn accept(&self, identity: &Identity) -> std::result::Result<(), StoreError> {
        let file = self.file.display();
        match identity {
            Identity::Store(schema::VERSION) => Ok(()),
            Identity::Store(version) if *version > schema::VERSION => Err(StoreError::Newer(format!(
                "the store {file} was written by a newer Docet (its schema is {version}, this one's {}), so it was left \
                 alone; update Docet",
                schema::VERSION
            ))),
            Identity::Store(version) => {
                Err(self.outdated(format!("its schema is {version}, this Docet's {}", schema::VERSION)))
            }
            Identity::Blank => Err(missing(&self.file)),
            Identity::Foreign => Err(failure::foreign(&self.file, "a database of another program")),
        }
    }

    fn outdated(&self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> StoreError {
        let file = self.file.display();
        let context = format!(
            "{file} was written by an older Docet and must be brought up to date first, by a command that may write it \
             and its folder, such as `docet init`"
        );
        failure::io(context, source)
    }

    /// Refuses where another process has brought the store to a newer schema since it was opened.
    pub(crate) fn check_version(&self, connection: &Connection) -> std::result::Result<(), StoreError> {
        match schema::version(connection).map_err(|failure| failure.at(&self.file))? {
            schema::VERSION => Ok(()),
            version => self.accept(&Identity::Store(version)),
        }
    }

    /// The file is a store: from now on it is treated as one. WAL mode is kept in the file, so this mostly just asks.
    fn settle(&self, connection: &Connection) -> Result<()> {
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
        if connection.is_readonly("main")? {
            return Ok(());
        }
        // SQLite doesn't wait for the lock that a change of mode needs, and a store just made has several suitors.
        let until = Instant::now() + self.patience;
        loop {
            match connection.pragma_update(None, "journal_mode", "WAL") {
                Err(error) if is_busy(&error) && Instant::now() < until => thread::sleep(TURN),
                outcome => return Ok(outcome?),
            }
        }
    }

    /// Whether reading failed only because no file could be made beside this one, and none is needed.
    fn is_sealed(&self, failure: &Failure) -> bool {
        let Failure::Sqlite(error) = failure else { return false };
        let refused = matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly));
        refused && !has_content(&self.file, "-wal") && !has_content(&self.file, "-journal")
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
}

fn missing(file: &Path) -> StoreError {
    let file = file.display();
    StoreError::Missing(format!("there is no store at {file} yet; `docet add` or `docet init` makes one"))
}

fn make_folder(file: &Path) -> std::result::Result<(), StoreError> {
    let Some(folder) = file.parent() else { return Ok(()) };
    let failed = |error| failure::io(format!("the folder {} cannot be made", folder.display()), error);
    std::fs::create_dir_all(folder).map_err(failed)
}

/// Whether the file of that ending, which SQLite keeps beside its own, holds anything.
pub(crate) fn has_content(file: &Path, ending: &str) -> bool {
    with_ending(file, ending).metadata().is_ok_and(|beside| beside.len() > 0)
}

/// `file` as a URI that promises that nobody changes it.
fn immutable_uri(file: &Path) -> String {
    let path = file.to_string_lossy().replace('\\', "/");
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-:".contains(byte);
    let escape = |byte: u8| if plain(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    let slash = if path.starts_with('/') { "" } else { "/" };
    format!("file:{slash}{}?immutable=1", path.bytes().map(escape).collect::<String>())
}
