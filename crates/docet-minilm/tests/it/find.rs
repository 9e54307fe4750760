//! Where the model is looked for, and what is said of a damaged one.

use crate::support::{empty_places, model};
use docet_core::ports::EncoderError;
use docet_minilm::model::{Places, REVISION, Source, TOKENIZER, WEIGHTS, find, verify};
use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

/// Copies the tests' model.
fn place_model(folder: &Path) {
    fs::create_dir_all(folder).expect("writable");
    for file in [model().weights(), model().tokenizer()] {
        let there = folder.join(file.file_name().expect("a file has a name"));
        fs::copy(&file, there).expect("copied");
    }
}

fn snapshot(cache: &Path) -> std::path::PathBuf {
    cache.join("models--sentence-transformers--all-MiniLM-L6-v2/snapshots").join(REVISION)
}

#[test]
fn the_first_place_that_holds_both_files_counts() {
    let (folder, mut places) = empty_places();
    let cache = folder.path().join("hub");
    places.hub_cache = Some(cache.clone());
    place_model(&snapshot(&cache));
    assert_eq!(find(&places).expect("in the cache").source(), Source::HubCache);
    place_model(&places.data_dir.join("models/all-MiniLM-L6-v2"));
    assert_eq!(find(&places).expect("in the data folder").source(), Source::DataDir);
    places.model_dir = Some(model().folder().to_path_buf());
    assert_eq!(find(&places).expect("where the user says").source(), Source::ModelDir);
}

#[test]
fn nothing_found_lists_every_place_and_what_mends_it() {
    let (folder, mut places) = empty_places();
    places.hub_cache = Some(folder.path().join("hub"));
    let Err(EncoderError::Missing(message)) = find(&places) else { panic!("nothing is there") };
    for part in ["models/all-MiniLM-L6-v2", REVISION, "docet model pull", "docet model import PATH"] {
        assert!(message.contains(part), "{part} in {message}");
    }
}

#[test]
fn a_named_folder_without_the_model_is_an_error() {
    let (folder, mut places) = empty_places();
    place_model(&places.data_dir.join("models/all-MiniLM-L6-v2"));
    places.model_dir = Some(folder.path().join("elsewhere"));
    let Err(EncoderError::Missing(message)) = find(&places) else { panic!("no silent fall-back") };
    assert!(message.contains("elsewhere") && message.contains("DOCET_MODEL_DIR"), "{message}");
}

#[test]
fn a_flipped_byte_is_named_with_both_hashes() {
    for pinned in [WEIGHTS, TOKENIZER] {
        let (_folder, places) = empty_places();
        let target = places.data_dir.join("models/all-MiniLM-L6-v2");
        place_model(&target);
        let sound = find(&places).expect("it is sound so far");
        flip_last_byte(&target.join(pinned.name));
        let Err(EncoderError::Damaged(message)) = find(&places) else { panic!("{} differs", pinned.name) };
        assert!(message.contains(pinned.name) && message.contains(pinned.sha256), "{message}");
        assert!(message.contains("docet model pull"), "{message}");
        assert!(matches!(sound.verify(), Err(EncoderError::Damaged(_))));
    }
}

#[test]
fn a_hash_is_remembered_and_verify_reads_all_the_same() {
    let (_folder, places) = empty_places();
    let target = places.data_dir.join("models/all-MiniLM-L6-v2");
    place_model(&target);
    let model = find(&places).expect("it is sound");
    model.verify().expect("it is sound");
    let modified = fs::metadata(model.weights()).and_then(|metadata| metadata.modified()).expect("it is there");
    flip_last_byte(&model.weights());
    File::options().append(true).open(model.weights()).and_then(|file| file.set_modified(modified)).expect("ours");
    find(&places).expect("path, size, time and inode are the same");
    assert!(matches!(verify(&places), Err(EncoderError::Damaged(_))), "verify always reads");
    assert!(matches!(find(&places), Err(EncoderError::Damaged(_))), "what is damaged is not remembered as sound");
}

#[test]
fn a_memo_that_cannot_be_read_or_written_only_costs_time() {
    let (folder, mut places) = empty_places();
    places.model_dir = Some(model().folder().to_path_buf());
    fs::create_dir_all(places.data_dir.join("models")).expect("writable");
    fs::write(places.data_dir.join("models/verified.json"), "not JSON").expect("writable");
    find(&places).expect("it is hashed again");
    let file = folder.path().join("a-file");
    fs::write(&file, "").expect("writable");
    find(&Places { data_dir: file, ..places }).expect("a file cannot hold a memo");
}

fn flip_last_byte(path: &Path) {
    let bytes = fs::read(path).expect("readable");
    let mut file = File::options().write(true).open(path).expect("writable");
    file.seek(SeekFrom::End(-1)).expect("it is not empty");
    file.write_all(&[bytes[bytes.len() - 1] ^ 1]).expect("writable");
}
