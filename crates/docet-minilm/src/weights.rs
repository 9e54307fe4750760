//! The weights as they lie in `model.safetensors`: a JSON header with the place of each tensor, then the numbers.

use crate::activation::LayerNorm;
use crate::layer::WIDTH;
use crate::linear::Linear;
use docet_core::ports::EncoderError;
use memmap2::Mmap;
use serde::Deserialize;
use std::collections::HashMap;
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A mapped weights file.
pub(crate) struct Weights {
    path: PathBuf,
    map: Mmap,
    places: HashMap<String, Range<usize>>,
}

/// A matrix that stays where it is in the file, read row by row.
pub(crate) struct Table {
    map: Mmap,
    place: Range<usize>,
}

impl Weights {
    /// Maps the file and reads its header.
    pub(crate) fn open(path: &Path) -> Result<Self, EncoderError> {
        let map = map(path).map_err(|source| EncoderError::Io {
            context: format!("cannot read the weights {}", path.display()),
            source,
        })?;
        let places = places(&map).ok_or_else(|| damaged(path, "its header does not list tensors"))?;
        Ok(Self { path: path.to_path_buf(), map, places })
    }

    /// The numbers of the tensor `name`.
    pub(crate) fn tensor(&self, name: &str) -> Result<&[f32], EncoderError> {
        let bytes = self.places.get(name).and_then(|place| self.map.get(place.clone()));
        bytes
            .and_then(|bytes| bytemuck::try_cast_slice(bytes).ok())
            .ok_or_else(|| damaged(&self.path, &format!("it holds no tensor {name}")))
    }

    /// The dense layers of these names, side by side as one.
    pub(crate) fn linear(&self, names: &[String]) -> Result<Linear, EncoderError> {
        let (mut weights, mut bias) = (Vec::new(), Vec::new());
        for name in names {
            weights.extend_from_slice(self.tensor(&format!("{name}.weight"))?);
            bias.extend_from_slice(self.tensor(&format!("{name}.bias"))?);
        }
        let inputs = weights.len() / bias.len();
        Ok(Linear::pack(&weights, bias, inputs))
    }

    /// The layer normalisation of this name.
    pub(crate) fn layer_norm(&self, name: &str) -> Result<LayerNorm, EncoderError> {
        Ok(LayerNorm::new(self.tensor(&format!("{name}.weight"))?, self.tensor(&format!("{name}.bias"))?))
    }

    /// Gives up all but the tensor `name`.
    pub(crate) fn into_table(mut self, name: &str) -> Result<Table, EncoderError> {
        self.tensor(name)?;
        let place = self.places.remove(name).unwrap_or_default();
        Ok(Table { map: self.map, place })
    }
}

impl Table {
    /// The [`WIDTH`] numbers of a row.
    pub(crate) fn row(&self, index: usize) -> &[f32] {
        let table: &[f32] = bytemuck::cast_slice(&self.map[self.place.clone()]);
        &table[index * WIDTH..][..WIDTH]
    }
}

#[derive(Deserialize)]
struct Entry {
    data_offsets: Option<(usize, usize)>,
}

/// Where each tensor lies in the file; none where the header cannot be read.
fn places(file: &[u8]) -> Option<HashMap<String, Range<usize>>> {
    let length = u64::from_le_bytes(*file.first_chunk()?);
    let start = usize::try_from(length).ok()?.checked_add(size_of::<u64>())?;
    let entries: HashMap<String, Entry> = serde_json::from_slice(file.get(size_of::<u64>()..start)?).ok()?;
    let place = |(begin, end)| Some(start.checked_add(begin)?..start.checked_add(end)?);
    Some(entries.into_iter().filter_map(|(name, entry)| Some((name, place(entry.data_offsets?)?))).collect())
}

fn damaged(path: &Path, what: &str) -> EncoderError {
    EncoderError::Damaged(format!("{}: {what}; `docet model pull` fetches sound weights", path.display()))
}

#[expect(unsafe_code, reason = "a file can only be mapped so")]
fn map(path: &Path) -> std::io::Result<Mmap> {
    let file = File::open(path)?;
    // SAFETY: the weights are never written in place: fetching and importing write another file and rename it, which
    // leaves this mapping as it is. Whoever else truncates the file under a running program ends that program.
    unsafe { Mmap::map(&file) }
}
