//! Stores that may be read but not written.

use std::fs;
use std::path::Path;

use docet_core::error::Code;
use docet_core::library::LibraryName;
use docet_core::ports::Store;
use docet_sqlite::SqliteStore;

use crate::folder::{filled, size};

#[test]
fn a_store_opened_for_reading_refuses_to_write() {
    let folder = tempfile::tempdir().unwrap();
    let path = filled(&folder);
    let store = SqliteStore::open_read_only(&path).unwrap();
    let error = store.write(&LibraryName::default(), &mut |change| Ok(change.remove_experience(1)?)).unwrap_err();
    assert_eq!(error.code(), Code::Io);
    let message = error.to_string();
    assert!(message.contains(&path.display().to_string()) && message.contains("read-only"), "{message}");
    assert_eq!(size(&store), 3);
}

#[test]
fn a_reader_sees_what_a_writer_commits_meanwhile() {
    let folder = tempfile::tempdir().unwrap();
    let path = filled(&folder);
    let reader = SqliteStore::open_read_only(&path).unwrap();
    let writer = SqliteStore::open_existing(&path).unwrap();
    writer.write(&LibraryName::default(), &mut |change| Ok(change.remove_experience(1)?)).unwrap();
    assert_eq!(size(&reader), 2);
}

#[cfg(unix)]
mod rights {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    use super::*;
    use crate::child;

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    /// A child that has no more rights than the modes say: root is above them, so there it becomes somebody else.
    fn without_privilege(task: &str, path: &Path) -> String {
        const NOBODY: u32 = 65_534;
        let mut command = child::command(task, path);
        let is_root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout.starts_with(b"0\n"));
        if is_root {
            // Reached through its open file, since the folder of the build may be closed to others.
            let mut other = Command::new("/proc/self/exe");
            other.args(command.get_args()).stdout(std::process::Stdio::piped()).uid(NOBODY).gid(NOBODY);
            other.envs(command.get_envs().filter_map(|(key, value)| Some((key, value?))));
            command = other;
        }
        child::answers(command).join("\n")
    }

    /// Runs `task` on a filled store of those modes.
    fn outcome(task: &str, folder_mode: u32, file_mode: u32, prepare: impl Fn(&Path)) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = filled(&folder);
        prepare(&path);
        let before = fs::read(&path).unwrap();
        set_mode(&path, file_mode);
        set_mode(folder.path(), folder_mode);
        let outcome = without_privilege(task, &path).replace(&path.display().to_string(), "FILE");
        set_mode(folder.path(), 0o755);
        assert!(fs::read(&path).unwrap() == before);
        outcome
    }

    fn nothing(_: &Path) {}

    /// What a reader of a folder that it may write leaves behind.
    fn empty_side_files(path: &Path) {
        drop(SqliteStore::open_read_only(path).unwrap());
        assert!(path.with_extension("db-wal").exists());
    }

    /// What a killed writer leaves behind: a log that is not yet in the file.
    fn full_log(path: &Path) {
        let writer = SqliteStore::open(path).unwrap();
        writer.write(&LibraryName::default(), &mut |change| Ok(change.remove_experience(1)?)).unwrap();
        let log = path.with_extension("db-wal");
        let content = fs::read(&log).unwrap();
        let file = fs::read(path).unwrap();
        drop(writer);
        fs::write(path, file).unwrap();
        fs::write(log, content).unwrap();
    }

    #[test]
    fn a_read_only_file_can_be_read_wherever_it_lies() {
        for folder in [0o777, 0o555] {
            for prepare in [nothing, empty_side_files] {
                assert_eq!(outcome("count", folder, 0o444, prepare), "3", "{folder:o}");
            }
        }
        assert_eq!(outcome("count", 0o777, 0o444, full_log), "2");
    }

    #[test]
    fn a_log_that_cannot_be_read_is_not_passed_over() {
        let outcome = outcome("count", 0o555, 0o444, full_log);
        assert!(outcome.starts_with("FILE"), "{outcome}");
    }

    #[test]
    fn writing_what_is_read_only_names_the_file() {
        for (folder, file) in [(0o777, 0o444), (0o555, 0o666), (0o555, 0o444)] {
            let outcome = outcome("write", folder, file, nothing);
            assert!(outcome.starts_with("FILE"), "{folder:o} {file:o}: {outcome}");
        }
    }

    #[test]
    fn what_must_not_be_read_names_the_file() {
        for task in ["count", "write", "create"] {
            let outcome = outcome(task, 0o755, 0o000, nothing);
            assert!(outcome.starts_with("FILE"), "{task}: {outcome}");
        }
    }
}
