//! The Rust core of `memu_py`: pure kernels here, their Python bindings in `py`.

pub mod activation;
pub mod bytedot;
pub mod fold;
pub mod fuse;
pub mod hash;
pub mod ids;
pub mod irregular;
pub mod keyword;
pub mod neighbours;
pub mod parallel;
pub mod profile;
pub mod quant;
pub mod stop;
pub mod token;
pub mod topk;
pub mod vector;

#[cfg(feature = "python")]
mod py;
