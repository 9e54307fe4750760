//! What every encoder must pass.

use std::thread;

use docet_core::ports::{Embedder, Encoded};

/// One test for each property, given an expression that is a `&dyn Embedder`.
#[macro_export]
macro_rules! encoder_tests {
    ($embedder:expr) => {
        $crate::encoder_tests! { @each $embedder;
            the_identity_stays
            there_is_one_answer_a_text_in_order
            no_text_is_no_answer
            every_text_has_unit_length
            a_text_has_the_same_bits_alone_and_in_a_batch
            a_text_has_the_same_bits_on_every_thread
            an_empty_text_is_encoded
            a_long_text_says_that_it_was_cut
        }
    };
    (@each $embedder:expr; $($property:ident)+) => {
        $(
            #[test]
            fn $property() {
                $crate::encoder::$property($embedder);
            }
        )+
    };
}

const TEXTS: [&str; 6] = [
    "Run the tests before you commit.",
    "x",
    "Run the tests before you commit.",
    "Ask for the booking number first, then look the customer up; never guess which of two bookings is meant.",
    "\u{8bf7}\u{5148}\u{8fd0}\u{884c}\u{6d4b}\u{8bd5} caf\u{e9} \u{1f980}",
    "[CLS] [SEP] ~~~ 1e400 <|end|>",
];

fn embed(embedder: &dyn Embedder, texts: &[&str]) -> Vec<Encoded> {
    let encoded = embedder.embed(texts).unwrap();
    assert_eq!(encoded.len(), texts.len());
    encoded
}

/// Bits, since 0 equals -0.
fn bits(encoded: &Encoded) -> Vec<u32> {
    encoded.embedding.as_slice().iter().map(|value| value.to_bits()).collect()
}

/// An encoder says the same of itself before and after its work, and says something.
pub fn the_identity_stays(embedder: &dyn Embedder) {
    let before = embedder.encoder();
    embed(embedder, &TEXTS);
    assert_eq!(embedder.encoder(), before);
    assert!(!before.0.trim().is_empty());
}

/// Each text has its answer, at its own place: equal texts an equal one, different texts a different one.
pub fn there_is_one_answer_a_text_in_order(embedder: &dyn Embedder) {
    let encoded = embed(embedder, &TEXTS);
    for (a, first) in TEXTS.iter().enumerate() {
        for (b, second) in TEXTS.iter().enumerate() {
            assert_eq!(bits(&encoded[a]) == bits(&encoded[b]), first == second, "{first:?} and {second:?}");
        }
    }
    let turned: Vec<&str> = TEXTS.iter().rev().copied().collect();
    let forth: Vec<_> = encoded.iter().map(bits).collect();
    let back: Vec<_> = embed(embedder, &turned).iter().rev().map(bits).collect();
    assert_eq!(forth, back);
}

/// An empty batch has an empty answer.
pub fn no_text_is_no_answer(embedder: &dyn Embedder) {
    assert!(embed(embedder, &[]).is_empty());
}

/// Vectors are finite and have length 1; at least the two marks of the model are read, and short texts as a whole.
pub fn every_text_has_unit_length(embedder: &dyn Embedder) {
    for (text, encoded) in TEXTS.iter().zip(embed(embedder, &TEXTS)) {
        let squares: f64 = encoded.embedding.as_slice().iter().map(|value| f64::from(*value).powi(2)).sum();
        assert!((squares.sqrt() - 1.0).abs() < 1e-5, "{text:?} has length {}", squares.sqrt());
        assert!(encoded.tokens > 2, "{text:?} has {} tokens", encoded.tokens);
        assert!(!encoded.truncated, "{text:?}");
    }
}

/// Who else is in the batch, and how many, changes no bit and no count.
pub fn a_text_has_the_same_bits_alone_and_in_a_batch(embedder: &dyn Embedder) {
    let many: Vec<String> = (0..70).map(|i| format!("{} {}", TEXTS[i % TEXTS.len()], "and ".repeat(i % 40))).collect();
    let texts: Vec<&str> = many.iter().map(String::as_str).collect();
    for (text, together) in texts.iter().zip(embed(embedder, &texts)) {
        let alone = embed(embedder, &[text]).remove(0);
        assert_eq!(bits(&alone), bits(&together), "{text:?}");
        assert_eq!((alone.tokens, alone.truncated), (together.tokens, together.truncated), "{text:?}");
    }
}

/// Several threads may ask at once, and all are answered alike.
pub fn a_text_has_the_same_bits_on_every_thread(embedder: &dyn Embedder) {
    let expected: Vec<_> = embed(embedder, &TEXTS).iter().map(bits).collect();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(embed(embedder, &TEXTS).iter().map(bits).collect::<Vec<_>>(), expected));
        }
    });
}

/// Nothing and white space alone are texts too.
pub fn an_empty_text_is_encoded(embedder: &dyn Embedder) {
    let encoded = embed(embedder, &["", " \n\t", "x"]);
    assert!(encoded.iter().all(|encoded| !encoded.truncated));
    assert_ne!(bits(&encoded[0]), bits(&encoded[2]));
}

/// Beyond what the model reads, nothing counts, and the answer says so.
pub fn a_long_text_says_that_it_was_cut(embedder: &dyn Embedder) {
    let long = "test ".repeat(2_000);
    let longer = "test ".repeat(4_000);
    let encoded = embed(embedder, &["test", &long, &longer]);
    assert_eq!([false, true, true], [encoded[0].truncated, encoded[1].truncated, encoded[2].truncated]);
    assert_eq!(encoded[1].tokens, encoded[2].tokens);
    assert_eq!(bits(&encoded[1]), bits(&encoded[2]));
}
