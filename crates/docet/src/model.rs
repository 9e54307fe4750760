//! The encoder's weights as the faces see them.

pub use docet_minilm::model::Places;
