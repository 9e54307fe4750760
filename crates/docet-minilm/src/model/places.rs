//! The folders in which a model is looked for.

use super::{Model, REVISION, Source};
use std::env;
use std::path::{Path, PathBuf};

/// Where to look, in order: the folder that the user names, Docet's own, the hub's cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// `DOCET_MODEL_DIR`. Where it is set, no other place is looked at.
    pub model_dir: Option<PathBuf>,
    /// Docet's data folder. Downloads and imports go to `models/all-MiniLM-L6-v2` in it.
    pub data_dir: PathBuf,
    /// The cache of the Hugging Face hub.
    pub hub_cache: Option<PathBuf>,
}

impl Places {
    /// As `DOCET_MODEL_DIR`, `HF_HUB_CACHE` and `HF_HOME` say; an empty variable counts as none.
    pub fn from_env(data_dir: &Path) -> Self {
        Self { model_dir: folder("DOCET_MODEL_DIR"), data_dir: data_dir.to_path_buf(), hub_cache: hub_cache() }
    }

    /// The folders to try, in order.
    pub(super) fn candidates(&self) -> Vec<Model> {
        if let Some(folder) = &self.model_dir {
            return vec![Model { folder: folder.clone(), source: Source::ModelDir }];
        }
        let own = Model { folder: self.data_folder(), source: Source::DataDir };
        let cached = self.hub_cache.iter().map(|cache| Model { folder: snapshot(cache), source: Source::HubCache });
        std::iter::once(own).chain(cached).collect()
    }

    /// Where downloads and imports go.
    pub(super) fn target(&self) -> Model {
        self.candidates().remove(0)
    }

    /// Where verified files are remembered.
    pub(super) fn memo(&self) -> PathBuf {
        self.data_dir.join("models").join("verified.json")
    }

    fn data_folder(&self) -> PathBuf {
        self.data_dir.join("models").join("all-MiniLM-L6-v2")
    }
}

/// The folder of the pinned revision in the hub's cache.
fn snapshot(cache: &Path) -> PathBuf {
    cache.join("models--sentence-transformers--all-MiniLM-L6-v2").join("snapshots").join(REVISION)
}

/// As the hub's own library finds it.
fn hub_cache() -> Option<PathBuf> {
    let caches = || folder("XDG_CACHE_HOME").or_else(|| Some(env::home_dir()?.join(".cache")));
    let home = || folder("HF_HOME").or_else(|| Some(caches()?.join("huggingface")));
    folder("HF_HUB_CACHE").or_else(|| Some(home()?.join("hub")))
}

fn folder(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}
