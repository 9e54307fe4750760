//! What every store must pass. Each property is given a store that holds nothing.

mod answers;
mod experiences;
mod history;
mod libraries;
mod search;
mod sessions;
mod transactions;

use docet_core::error::Error;
use docet_core::library::LibraryName;
use docet_core::ports::{Snapshot, Store, Transaction};

use crate::sample;

/// Lists the properties, and makes of the list the macro that adapters call.
macro_rules! properties {
    ($dollar:tt; $($module:ident: $($property:ident),+;)+) => {
        $(pub use $module::{$($property),+};)+

        /// One test for each property, given an expression that makes an empty store: `|| Box<dyn Store>`.
        #[macro_export]
        macro_rules! store_tests {
            ($dollar make:expr) => {
                $($(
                    #[test]
                    fn $property() {
                        let make: &dyn Fn() -> Box<dyn docet_core::ports::Store> = &$dollar make;
                        $crate::store::$property(&*make());
                    }
                )+)+
            };
        }
    };
}

properties! { $;
    libraries:
        an_empty_store_holds_nothing,
        a_library_comes_back_as_it_was_put,
        settings_come_back_bit_for_bit,
        libraries_are_listed_by_name,
        nothing_crosses_between_libraries;
    experiences:
        entries_come_back_bit_for_bit,
        entries_come_by_id,
        an_entry_is_replaced_as_a_whole,
        a_removed_entry_is_gone;
    sessions:
        sessions_come_back_whole,
        a_session_is_replaced_as_a_whole,
        a_session_is_found_by_its_id_alone,
        the_newest_sessions_come_first,
        open_sessions_are_those_open_at_that_moment,
        rewards_are_those_of_the_group_latest_first,
        a_reward_is_replaced_and_taken_away,
        forgotten_are_the_sessions_that_were_over_before,
        rewards_outlive_their_sessions;
    history:
        revisions_come_back_whole,
        what_an_entry_was_is_what_it_last_became,
        revisions_are_found_by_entry_actor_and_number,
        later_changes_of_an_entry_are_named,
        archived_are_the_entries_that_left_and_did_not_come_back,
        traces_are_the_highest_numbers_of_all_rows,
        erased_records_have_neither_text_nor_source,
        a_scrub_leaves_everything_readable;
    answers:
        answers_come_back_whole,
        answers_are_replaced_and_forgotten;
    search:
        search_equals_rank_and_the_oracle;
    transactions:
        a_change_that_fails_leaves_nothing,
        a_change_that_fails_at_any_call_leaves_nothing,
        a_change_that_panics_leaves_nothing,
        a_change_made_again_changes_nothing,
        a_change_sees_itself,
        a_read_sees_one_state_though_a_change_is_committed,
        readers_never_see_half_a_change,
        no_concurrent_change_is_lost;
}

/// The library that a property uses unless it needs another.
fn library_name() -> LibraryName {
    sample::name("default")
}

/// Commits a change of the usual library.
fn write(store: &dyn Store, change: impl FnMut(&mut dyn Transaction) -> Result<(), Error>) {
    write_in(store, &library_name(), change);
}

fn write_in(
    store: &dyn Store,
    library: &LibraryName,
    mut change: impl FnMut(&mut dyn Transaction) -> Result<(), Error>,
) {
    store.write(library, &mut change).unwrap();
}

/// Looks something up in the usual library.
fn read<T>(store: &dyn Store, look: impl FnMut(&dyn Snapshot) -> Result<T, Error>) -> T {
    read_in(store, &library_name(), look)
}

fn read_in<T>(store: &dyn Store, library: &LibraryName, mut look: impl FnMut(&dyn Snapshot) -> Result<T, Error>) -> T {
    let mut found = None;
    store
        .read(library, &mut |snapshot| {
            found = Some(look(snapshot)?);
            Ok(())
        })
        .unwrap();
    found.unwrap()
}
