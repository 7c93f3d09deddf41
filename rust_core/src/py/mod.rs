//! Python bindings, one file per topic: extract under the GIL, work without it, wrap.

mod activation;
mod array;
mod fusion;
mod ids;
mod keyword;
mod quant;
mod scoring;
mod text;
mod vector;

use pyo3::prelude::*;

/// Kernels of `memu_py`; `_core.pyi` documents them.
#[pymodule(gil_used = false)]
mod _core {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::activation::activation;
    #[pymodule_export]
    use super::fusion::{fuse_rrf, fuse_weighted};
    #[pymodule_export]
    use super::ids::RowIds;
    #[pymodule_export]
    use super::keyword::KeywordIndex;
    #[pymodule_export]
    use super::quant::{joined_top_k, quantize};
    #[pymodule_export]
    use super::scoring::{cosine_rank_top_k, decay, rank_top_k};
    #[pymodule_export]
    use super::text::{bytes_hash, content_hash, content_words, normalize_text, tokenize};
    #[pymodule_export]
    use super::vector::{cosine_scores, cosine_top_k, normalize};

    #[pymodule_export]
    const TOKENIZER_ID: &str = crate::token::TOKENIZER_ID;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
