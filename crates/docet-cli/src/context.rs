//! What every command has: where things are, the service, the library that is meant, and where to print.

use docet::wire::Failure;
use docet::{Config, Local, Service, Target};

use crate::arguments::{CallerFlags, Global};
use crate::output::Output;
use crate::progress;

/// Resolved from the global flags and the environment.
pub(crate) struct Context {
    /// Carries requests out.
    pub(crate) service: Box<dyn Service>,
    /// The library that is meant.
    pub(crate) target: Target,
    /// Where answers go.
    pub(crate) output: Output,
    /// Where things are.
    pub(crate) config: Config,
}

impl Context {
    /// Nothing is opened yet.
    pub(crate) fn new(global: &Global, output: Output) -> Result<Self, Failure> {
        let target = Target::from_env(global.library.as_deref())?;
        let config = Config::from_env(global.store.as_deref())?;
        let service = Box::new(Local::new(&config).with_progress(progress::bar()));
        Ok(Self { service, target, output, config })
    }

    /// The memory on this machine, for what concerns the machine itself.
    pub(crate) fn local(&self) -> Local {
        Local::new(&self.config).with_progress(progress::bar())
    }

    /// The library that is meant, and who changes it.
    pub(crate) fn target_for(&self, flags: &CallerFlags) -> Result<Target, Failure> {
        Ok(Target { caller: flags.caller()?, ..self.target.clone() })
    }
}
