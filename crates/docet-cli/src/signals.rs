//! Signals that would end the program without a word.

/// A file that would outgrow what its process may write (`ulimit -f`) sends SIGXFSZ, which kills. Where that is handled
/// the write fails instead, and is reported as on a full disk.
pub(crate) fn survive_limits_of_files() {
    #[cfg(unix)]
    {
        use signal_hook::{consts::SIGXFSZ, flag};
        // Nobody reads the flag; a handler of any kind is enough. Where none can be set, all is as it was.
        let _ = flag::register(SIGXFSZ, std::sync::Arc::default());
    }
}
