//! Against the tokenizers library, whose answers `tests/make_reference.py` wrote down.

use super::{LIMIT, Tokenizer};
use crate::model::{Places, find};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

#[derive(Deserialize)]
struct Row {
    text: String,
    ids: Vec<u32>,
    truncated: bool,
}

static TOKENIZER: LazyLock<Tokenizer> = LazyLock::new(|| {
    let data = std::env::var_os("DOCET_DATA_DIR").map_or_else(std::env::temp_dir, PathBuf::from);
    let model = find(&Places::from_env(&data));
    let model =
        model.unwrap_or_else(|error| panic!("the tests need the weights, `cargo xtask test` brings them: {error}"));
    Tokenizer::open(&model.tokenizer()).expect("the tokenizer was verified")
});

fn expected(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(file);
    std::fs::read_to_string(path).expect("the file belongs to the crate")
}

#[test]
fn random_strings_of_awkward_parts() {
    for line in expected("tokens.jsonl").lines() {
        let row: Row = serde_json::from_str(line).expect("a row is JSON");
        let tokens = TOKENIZER.encode(&row.text);
        assert_eq!((tokens.ids, tokens.truncated), (row.ids, row.truncated), "{:?}", row.text);
    }
}

#[test]
fn every_character_inside_a_word_and_alone() {
    for (block, line) in (0_u32..).zip(expected("characters.txt").lines()) {
        let letters = (256 * block..256 * (block + 1)).filter_map(char::from_u32);
        let ids = letters.flat_map(|letter| TOKENIZER.encode(&format!("a{letter}b {letter}")).ids);
        let fingerprint = ids.fold(0xCBF2_9CE4_8422_2325_u64, |fingerprint, id| {
            (fingerprint ^ u64::from(id)).wrapping_mul(0x100_0000_01B3)
        });
        assert_eq!(format!("{fingerprint:016x}"), line, "code points from {:x}", 256 * block);
    }
}

#[test]
fn only_the_beginning_of_an_endless_text_counts() {
    for part in ["word ", "中", "!", "[CLS]", "[", "a b"] {
        let long = TOKENIZER.encode(&part.repeat(1 << 20));
        assert_eq!(long, TOKENIZER.encode(&part.repeat(300)), "{part:?}");
        assert!(long.truncated && long.ids.len() == LIMIT, "{part:?}");
    }
}

#[test]
fn an_endless_word_or_nothing_at_all_is_read_to_its_end() {
    for (part, tokens) in [("a", 3), ("é", 3), (" ", 2), ("\u{0}", 2), ("\u{301}", 2), ("\u{200B}", 2)] {
        let long = TOKENIZER.encode(&part.repeat(1 << 20));
        assert!(!long.truncated && long.ids.len() == tokens, "{part:?}");
    }
}
