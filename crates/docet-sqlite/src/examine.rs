//! What `docet doctor` asks the store: whether all of it is as Docet would have written it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use docet_core::library::LibraryName;
use docet_core::ports::{StoreError, Traces};
use rusqlite::{Connection, Params, Row, params};

use crate::failure::{Failure, Result};
use crate::store::SqliteStore;
use crate::view::{View, all, orphans};
use crate::{rows, schema};

/// Something in a store that Docet would not have written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// What kind, as a code.
    pub name: &'static str,
    /// What was found, and where.
    pub what: String,
    /// What to do about it.
    pub remedy: String,
}

const BACKUP: &str = "put a backup in its place, or save what can be read with `sqlite3 FILE .recover`";
const RAISE: &str = "`docet doctor --fix` raises it, and nothing is lost";

impl SqliteStore {
    /// Reads everything: the file's own structure, the schema, every row of every library, and what the rows say of
    /// each other. It goes on where other calls refuse the store.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// use docet_sqlite::SqliteStore;
    ///
    /// let store = SqliteStore::open(&folder.path().join("docet.db"))?;
    /// assert_eq!(store.examine()?, []);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`StoreError`] where reading cannot even begin.
    pub fn examine(&self) -> std::result::Result<Vec<Damage>, StoreError> {
        self.lend(|connection| {
            let state = connection.unchecked_transaction().map_err(|error| self.failed(error))?;
            self.location.check_version(&state)?;
            let mut examination = Examination { connection: &state, file: self.path(), found: Vec::new() };
            examination.file();
            examination.schema();
            examination.libraries();
            Ok(examination.found)
        })
    }
}

/// What SQLite says of the file's structure.
pub(crate) fn integrity(connection: &Connection) -> Result<Vec<String>> {
    let mut faults = all(connection, "PRAGMA integrity_check", (), |row| Ok(row.get::<_, String>(0)?))?;
    faults.retain(|fault| fault != "ok");
    Ok(faults)
}

/// Rows that name a row of another table that is not there, but for libraries.
pub(crate) fn dangling(connection: &Connection) -> Result<Vec<String>> {
    let sql =
        "SELECT \"table\", parent, count(*) FROM pragma_foreign_key_check WHERE parent <> 'libraries' GROUP BY 1, 2";
    all(connection, sql, (), |row| {
        let (table, parent, count): (String, String, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok(format!("{count} rows of {table} name rows of {parent} that are not there"))
    })
}

struct Examination<'a> {
    connection: &'a Connection,
    file: &'a Path,
    found: Vec<Damage>,
}

impl Examination<'_> {
    fn add(&mut self, name: &'static str, what: String, remedy: &str) {
        let remedy = remedy.replace("FILE", &self.file.display().to_string());
        self.found.push(Damage { name, what, remedy });
    }

    /// What cannot be asked is damage itself.
    fn asked<T: Default>(&mut self, answer: Result<T>) -> T {
        answer.unwrap_or_else(|failure| {
            self.add("file_damaged", failure.to_string(), BACKUP);
            T::default()
        })
    }

    fn file(&mut self) {
        for fault in self.asked(integrity(self.connection)) {
            self.add("file_damaged", fault, BACKUP);
        }
        for fault in self.asked(dangling(self.connection)) {
            self.add("row_missing", fault, BACKUP);
        }
    }

    /// Tables and indexes must be those that this build makes. What else there is does no harm, triggers apart.
    fn schema(&mut self) {
        let expected = self.asked(Connection::open_in_memory().map_err(Failure::from).and_then(|blank| {
            schema::bring_up(&blank, 0)?;
            objects(&blank)
        }));
        let mut objects = self.asked(objects(self.connection));
        for (name, sql) in expected {
            match objects.remove(&name) {
                Some(found) if found == sql => {}
                Some(_) => self.add("schema_differs", format!("{name} is not as Docet makes it"), BACKUP),
                None => self.add("schema_differs", format!("{name} is missing"), BACKUP),
            }
        }
        for name in objects.keys().filter(|name| name.starts_with("trigger")) {
            let what = format!("{name} is none of Docet's, and changes what others write");
            self.add("schema_differs", what, "remove it with `sqlite3 FILE`, unless it is yours and harmless");
        }
    }

    fn libraries(&mut self) {
        let sql = "SELECT library FROM libraries ORDER BY library";
        let mut names: BTreeSet<String> =
            self.asked(all(self.connection, sql, (), |row| Ok(row.get(0)?))).into_iter().collect();
        for (table, library) in self.asked(orphans(self.connection)) {
            if names.insert(library.clone()) {
                self.add("library_damaged", format!("library {library} has no row of its own, but {table}"), BACKUP);
            }
        }
        for name in names {
            match LibraryName::parse(&name) {
                Ok(library) => self.library(&library),
                Err(refusal) => self.add("library_damaged", refusal.message, BACKUP),
            }
        }
    }

    fn library(&mut self, name: &LibraryName) {
        let view = View::new(self.connection, name, self.file);
        let library = name.as_str();
        let of = |columns: &str, table: &str, order: &str| {
            format!("SELECT {columns} FROM {table} WHERE library = ?1 ORDER BY {order}")
        };
        self.each(&of(rows::LIBRARY, "libraries", "library"), [library], |row| rows::library(row, library));
        self.each(&of(rows::EXPERIENCE, "experiences", "id"), [library], |row| rows::experience(row, library));
        self.each(&of(rows::SESSION, "sessions", "epoch"), [library], |row| view.read_session(row));
        self.each(&of(rows::REWARD, "rewards", "session_epoch"), [library], |row| rows::reward(row, library));
        self.each(&of(rows::REVISION, "revisions", "revision"), [library], |row| rows::revision(row, library));
        self.each(&of(rows::VERSION, "versions", "id, revision"), [library], |row| rows::version(row, library));
        self.each(&of(rows::REMEMBERED, "answers", "key"), [library], |row| rows::remembered(row, library));
        self.counters(library, &view);
        self.revisions(library);
        self.versions(library);
    }

    /// Reads every row of a query, and names each that cannot be read.
    fn each<T>(&mut self, sql: &str, params: impl Params, read: impl Fn(&Row<'_>) -> Result<T>) {
        let failures = all(self.connection, sql, params, |row| Ok(read(row).err()));
        for failure in self.asked(failures).into_iter().flatten() {
            self.add("row_damaged", failure.to_string(), BACKUP);
        }
    }

    fn counters(&mut self, library: &str, view: &View<'_>) {
        let traces = self.asked(view.read_traces());
        for (column, stands, needed) in self.asked(low_counters(self.connection, library, traces)) {
            let what = format!("{column} of library {library} is {stands}, and its rows reach {needed}");
            self.add("counter_low", what, RAISE);
        }
    }

    /// From where history began, revisions follow each other up to the library's own number. Where it began with
    /// entries, they have versions of that number.
    fn revisions(&mut self, library: &str) {
        let sql = "WITH known (revision) AS (SELECT revision FROM revisions WHERE library = ?1 UNION ALL \
                   SELECT max(revision) FROM versions WHERE library = ?1 \
                   AND revision < (SELECT min(revision) FROM revisions WHERE library = ?1)) \
                   SELECT revision + 1, following - 1 FROM (SELECT revision, lead(revision, 1, \
                   (SELECT libraries.revision + 1 FROM libraries WHERE library = ?1)) OVER (ORDER BY revision) \
                   AS following FROM known WHERE revision IS NOT NULL) WHERE following > revision + 1";
        let gaps = all(self.connection, sql, [library], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)));
        for (from, to) in self.asked(gaps) {
            let what = format!("the history of library {library} lacks revisions {from} to {to}");
            self.add("history_damaged", what, "what is there stays right; a backup may hold the others");
        }
    }

    /// An entry is what it last became.
    fn versions(&mut self, library: &str) {
        let last = "(SELECT max(revision) FROM versions WHERE versions.library = ?1 AND versions.id = entry.id)";
        let same = [
            "text",
            "domain",
            "confidence",
            "usage_count",
            "epoch",
            "successes",
            "failures",
            "last_improved",
            "pinned",
            "source",
            "created_at",
            "updated_at",
        ]
        .map(|column| format!("entry.{column} IS version.{column}"))
        .join(" AND ");
        let changed = format!(
            "SELECT entry.id FROM experiences AS entry LEFT JOIN versions AS version ON version.library = ?1 \
             AND version.id = entry.id AND version.revision = {last} WHERE entry.library = ?1 AND NOT ({same}) ORDER BY 1"
        );
        let vanished = format!(
            "SELECT entry.id FROM versions AS entry WHERE library = ?1 AND gone = 0 AND revision = {last} \
             AND NOT EXISTS (SELECT 1 FROM experiences WHERE experiences.library = ?1 AND experiences.id = entry.id) \
             ORDER BY 1"
        );
        let ids = |sql: &str| all(self.connection, sql, params![library], |row| Ok(row.get::<_, i64>(0)?));
        let (changed, vanished) = (ids(&changed), ids(&vanished));
        for id in self.asked(changed) {
            let what = format!("entry {id} of library {library} was changed without the history");
            self.add(
                "history_damaged",
                what,
                "`docet modify`, `docet pin` or `docet unpin` writes down what it is now",
            );
        }
        for id in self.asked(vanished) {
            let what = format!("entry {id} of library {library} was removed without the history");
            self.add("history_damaged", what, BACKUP);
        }
    }
}

/// Every table, index, view and trigger, with the statement that makes it.
fn objects(connection: &Connection) -> Result<BTreeMap<String, String>> {
    let sql = "SELECT type || ' ' || name, sql FROM sqlite_schema WHERE sql IS NOT NULL";
    Ok(all(connection, sql, (), |row| Ok((row.get(0)?, row.get(1)?)))?.into_iter().collect())
}

/// Counters of a library that are below what its rows need: the column, what stands there, and what must.
pub(crate) fn low_counters(
    connection: &Connection,
    library: &str,
    traces: Traces,
) -> Result<Vec<(&'static str, i64, i64)>> {
    let needed = [("next_id", traces.id + 1), ("epoch", traces.epoch), ("revision", traces.revision)];
    let mut low = Vec::new();
    for (column, needed) in needed {
        let sql = format!("SELECT {column} FROM libraries WHERE library = ?1 AND {column} < ?2");
        let needed = rows::to_sql(needed)?;
        low.extend(all(connection, &sql, params![library, needed], |row| Ok((column, row.get(0)?, needed)))?);
    }
    Ok(low)
}
