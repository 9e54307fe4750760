//! The default store: one SQLite file in WAL mode, which any number of threads and processes may use at once.
//!
//! `docs/storage.md` describes the file for people, `docs/decisions/0002-store.md` says why it is as it is. The schema
//! stands in `schema/`, every SQL statement that reads or writes a row in `view/`.
//!
//! ```
//! # let folder = tempfile::tempdir()?;
//! use docet_core::ports::Store;
//! use docet_sqlite::SqliteStore;
//!
//! let store = SqliteStore::open(&folder.path().join("docet.db"))?;
//! assert!(store.libraries()?.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod backup;
mod connection;
mod copy;
mod examine;
mod failure;
mod mend;
mod migration;
mod rows;
mod schema;
mod scrub;
mod store;
mod view;

pub use backup::Backup;
pub use examine::Damage;
pub use store::SqliteStore;
