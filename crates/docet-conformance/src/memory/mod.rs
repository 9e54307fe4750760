//! What the facade must do over every store: nothing lost, nothing by half, every change told and taken back. Each
//! property is given a store that holds nothing.

mod command;
mod failing;
mod history;
mod import;
mod keys;
mod model;
mod purge;
mod undo;
mod world;

use std::sync::Arc;

use docet_core::ports::Store;

pub use command::Command;
pub use world::{State, World};

/// Lists the properties, and makes of the list the macro that adapters call.
macro_rules! properties {
    ($dollar:tt; $($module:ident: $($property:ident),+;)+) => {
        $(pub use $module::{$($property),+};)+

        /// One test for each property, given an expression that makes an empty store: `|| Box<dyn Store>`.
        #[macro_export]
        macro_rules! memory_tests {
            ($dollar make:expr) => {
                $($(
                    #[test]
                    fn $property() {
                        let make: &dyn Fn() -> Box<dyn docet_core::ports::Store> = &$dollar make;
                        $crate::memory::$property(&|| $crate::memory::shared(make()));
                    }
                )+)+
            };
        }
    };
}

/// What makes an empty store.
pub type Make<'a> = &'a dyn Fn() -> Arc<dyn Store>;

/// A store that several may hold.
pub fn shared(store: Box<dyn Store>) -> Arc<dyn Store> {
    Arc::from(store)
}

properties! { $;
    history:
        every_change_is_a_revision_with_its_actor_and_reason,
        what_changes_nothing_is_no_revision,
        an_entry_shows_its_own_history,
        entries_that_left_are_in_the_archive;
    undo:
        the_newest_revision_of_each_kind_is_undone,
        an_older_revision_changes_back_exactly_what_it_touched,
        an_undo_of_what_was_touched_again_names_who_touched_it,
        an_undone_end_takes_its_reward_along_and_stays_ended,
        what_comes_back_has_its_id_and_must_fit;
    keys:
        a_repeated_call_returns_the_first_answer,
        a_key_is_not_for_another_call_and_is_forgotten,
        a_refused_call_is_not_remembered;
    purge:
        what_is_purged_stands_nowhere,
        what_was_purged_does_not_come_back,
        what_left_lately_may_be_kept;
    import:
        a_library_comes_back_as_it_was_exported,
        equal_lessons_become_one_with_the_larger_counts,
        an_import_beyond_the_capacity_is_refused_with_the_number;
    failing:
        a_call_that_fails_at_any_step_leaves_nothing;
    model:
        what_threads_did_at_once_is_what_they_would_have_done_in_turn;
}
