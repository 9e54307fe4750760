use crate::folder::Temporary;

docet_conformance::store_tests!(|| Box::new(Temporary::new()));

docet_conformance::memory_tests!(|| Box::new(Temporary::new()));
