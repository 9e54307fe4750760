//! Whatever comes in: the bodies of the fuzz targets, with random input.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

#[expect(unreachable_pub, reason = "the fuzz targets call them from their own crates")]
#[path = "../../../../fuzz/src/lib.rs"]
mod bodies;

use proptest::prelude::*;

/// Pieces that mean something to one of the doors, between any characters.
fn awkward() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => any::<char>().prop_map(String::from),
        3 => "[a-z]{1,8}",
        4 => prop::sample::select(vec![
            "[G0]", "[ G1 ]", "[CLS]", "[MASK]", "##", "\u{200d}", "\u{fe0f}", "\u{202e}", "\u{ad}", "\u{feff}", "\r\n",
            "\n", "\t", "- ", "## ", " | ", "ADD | | ", "helpful=1 harmful=0 :: ", "{\"op\":\"add\",\"text\":\"", "\"}",
            "[", "]", "{", "}", ",", ":", "\"", "\\u0000", "1e400", "null", "bullets:\n", "&a", "*a", "<!-- docet:begin -->",
            "\u{0e01}", "\u{4e00}", "e\u{301}", "\u{1f468}\u{200d}\u{1f469}", "```", "---",
        ]).prop_map(String::from),
        2 => Just(" ".to_owned()),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn a_text_that_passes_stays_as_it_is(raw in awkward()) {
        bodies::texts(raw.as_bytes());
    }

    #[test]
    fn operations_are_read_again_as_they_were_written(raw in awkward(), number in any::<u64>()) {
        bodies::operations(raw.as_bytes());
        let text = serde_json::Value::from(raw);
        bodies::operations(format!(r#"[{{"op":"add","text":{text},"confidence":{number}e-19}}]"#).as_bytes());
        bodies::operations(format!(r#"[{{"op":"merge","ids":[1,{number}],"text":{text}}}]"#).as_bytes());
    }

    #[test]
    fn every_source_ends_in_an_answer(raw in awkward(), bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        bodies::imports(raw.as_bytes());
        bodies::imports(&bytes);
    }

    #[test]
    fn tokens_are_within_what_the_model_reads(raw in awkward()) {
        bodies::tokens(raw.as_bytes());
        bodies::tokens(raw.repeat(20).as_bytes());
    }

    #[test]
    fn no_lesson_fakes_a_label(raw in awkward()) {
        bodies::guidelines(raw.as_bytes());
    }
}
