//! The reference adapters pass what they are the reference of.

mod store {
    use docet_core::in_memory::InMemoryStore;

    docet_conformance::store_tests!(|| Box::new(InMemoryStore::new()));
    docet_conformance::memory_tests!(|| Box::new(InMemoryStore::new()));
}

mod encoder {
    use docet_core::in_memory::HashEmbedder;

    docet_conformance::encoder_tests!(&HashEmbedder);
}
