//! One command a file: its flags become a request, the service carries it out, the answer is printed.

mod add;
mod backup;
mod begin;
mod completions;
mod compress;
mod delete;
mod doctor;
mod embed;
mod end;
mod export;
mod history;
mod import;
mod init;
mod libraries;
mod list;
mod merge;
mod model;
mod modify;
mod pin;
mod purge;
mod quickstart;
mod recall;
mod reembed;
mod restore;
mod sessions;
mod settings;
mod show;
mod undo;
mod unpin;
mod update;

use clap::Subcommand;
use docet::wire::Failure;

use crate::context::Context;

/// Every command, in the order in which a person meets them.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Init(init::Init),
    Libraries(libraries::Libraries),
    Add(add::Add),
    Modify(modify::Modify),
    Delete(delete::Delete),
    Merge(merge::Merge),
    Update(update::Update),
    Recall(recall::Recall),
    Begin(begin::Begin),
    End(end::End),
    Sessions(sessions::Sessions),
    List(list::List),
    Show(show::Show),
    Pin(pin::Pin),
    Unpin(unpin::Unpin),
    Compress(compress::Compress),
    History(history::History),
    Undo(undo::Undo),
    Restore(restore::Restore),
    Purge(purge::Purge),
    Export(export::Export),
    Import(import::Import),
    Embed(embed::Embed),
    Settings(settings::Settings),
    Doctor(doctor::Doctor),
    Backup(backup::Backup),
    Reembed(reembed::Reembed),
    Model(model::Model),
    Quickstart(quickstart::Quickstart),
    Completions(completions::Completions),
}

impl Command {
    /// Carries the command out and prints its answer.
    pub(crate) fn run(self, context: &Context) -> Result<(), Failure> {
        match self {
            Self::Init(init) => init.run(context),
            Self::Libraries(libraries) => libraries.run(context),
            Self::Add(add) => add.run(context),
            Self::Modify(modify) => modify.run(context),
            Self::Delete(delete) => delete.run(context),
            Self::Merge(merge) => merge.run(context),
            Self::Update(update) => update.run(context),
            Self::Recall(recall) => recall.run(context),
            Self::Begin(begin) => begin.run(context),
            Self::End(end) => end.run(context),
            Self::Sessions(sessions) => sessions.run(context),
            Self::List(list) => list.run(context),
            Self::Show(show) => show.run(context),
            Self::Pin(pin) => pin.run(context),
            Self::Unpin(unpin) => unpin.run(context),
            Self::Compress(compress) => compress.run(context),
            Self::History(history) => history.run(context),
            Self::Undo(undo) => undo.run(context),
            Self::Restore(restore) => restore.run(context),
            Self::Purge(purge) => purge.run(context),
            Self::Export(export) => export.run(context),
            Self::Import(import) => import.run(context),
            Self::Embed(embed) => embed.run(context),
            Self::Settings(settings) => settings.run(context),
            Self::Doctor(doctor) => doctor.run(context).map(|_| ()),
            Self::Backup(backup) => backup.run(context),
            Self::Reembed(reembed) => reembed.run(context),
            Self::Model(model) => model.run(context),
            Self::Quickstart(quickstart) => quickstart.run(context),
            Self::Completions(completions) => completions.run(context.output),
        }
    }
}
