//! Docet's encoder: all-MiniLM-L6-v2, from a text to 384 numbers of unit length.
//!
//! [`model`] finds, verifies, fetches and imports the weights; [`MiniLm`] runs them: tokenise, six transformer layers,
//! mean over the tokens, unit length. A text has the same bits alone and in any batch, on one thread or many.
//!
//! ```no_run
//! use docet_core::ports::Embedder;
//! use docet_minilm::{MiniLm, Threads, model};
//!
//! let places = model::Places::from_env("/home/me/.local/share/docet".as_ref());
//! let encoder = MiniLm::open(&model::find(&places)?, Threads::Automatic)?;
//! let encoded = encoder.embed(&["Run the failing test before you change the code."])?;
//! assert_eq!(encoded[0].tokens, 12);
//! # Ok::<(), docet_core::ports::EncoderError>(())
//! ```

mod activation;
mod attention;
mod layer;
mod linear;
mod minilm;
pub mod model;
mod on_demand;
mod tokenizer;
mod weights;

pub use linear::KERNEL;
pub use minilm::{MiniLm, Threads, encoder_id};
pub use on_demand::OnDemand;
pub use tokenizer::{LIMIT as MAX_TOKENS, Tokenizer, Tokens};
