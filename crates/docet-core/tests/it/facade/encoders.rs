//! Encoders that are another, or missing.

use std::sync::Arc;

use docet_core::error::Code;
use docet_core::in_memory::HashEmbedder;
use docet_core::memory::{Begin, End, Memory, Recall, Update};
use docet_core::ports::{Embedder, Encoded, EncoderError, EncoderId};
use docet_core::session::SessionId;
use serde_json::{Value, json};

use super::{code, with_lessons};
use crate::world::{World, operations, worded};

/// Of another name, and slow: nobody should wait for it only to be refused.
struct Other;

impl Embedder for Other {
    fn encoder(&self) -> EncoderId {
        EncoderId("another".to_owned())
    }

    fn embed(&self, _: &[&str]) -> Result<Vec<Encoded>, EncoderError> {
        panic!("asked for vectors that have no place")
    }
}

/// An encoder that has no weights.
struct Missing;

impl Embedder for Missing {
    fn encoder(&self) -> EncoderId {
        HashEmbedder.encoder()
    }

    fn embed(&self, _: &[&str]) -> Result<Vec<Encoded>, EncoderError> {
        Err(EncoderError::Missing("no weights".to_owned()))
    }
}

fn asks(world: &World, embedder: Arc<dyn Embedder>) -> Vec<(&'static str, Option<Code>)> {
    let memory = Memory::new(Arc::clone(&world.store), embedder);
    let (name, session) = (&world.library, SessionId("s1".to_owned()));
    let update = |list: Value| code(memory.update(name, &Update::of(operations(list)), &world.call()));
    let recall = Recall::of("read the error");
    let begin = Begin { recall: recall.clone(), ..Begin::default() };
    let end = End { outcome: worded(true), operations: Vec::new() };
    vec![
        ("add", update(json!([{"op": "add", "text": "New."}]))),
        ("pin", update(json!([{"op": "modify", "id": 1, "pinned": true}]))),
        ("delete", update(json!([{"op": "delete", "id": 2}]))),
        ("recall", code(memory.recall(name, &recall))),
        ("begin", code(memory.begin(name, &begin, &SessionId("s9".to_owned()), &world.call()))),
        ("recall within", code(memory.recall_in(&session, None, &recall, world.tick()))),
        ("end", code(memory.end(&session, None, &end, &world.call()))),
    ]
}

#[test]
fn another_encoder_is_refused_wherever_vectors_meet() {
    for (embedder, refusal) in
        [(Arc::new(Other) as Arc<dyn Embedder>, Code::EncoderDiffers), (Arc::new(Missing), Code::EncoderMissing)]
    {
        let world = with_lessons(&[]);
        world.begin("read the error");
        let expected = [
            ("add", Some(refusal)),
            ("pin", None),
            ("delete", None),
            ("recall", Some(refusal)),
            ("begin", Some(refusal)),
            ("recall within", Some(refusal)),
            ("end", None),
        ];
        assert_eq!(asks(&world, embedder), expected);
    }
}
