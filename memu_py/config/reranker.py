"""`reranker`: which model reads questions and texts together, if any."""

from pydantic import Field

from memu_py.config.section import ConfigPath, Section

ONNX = "onnx"


class RerankerSettings(Section):
    """The reranker. It is asked only where a workflow names the step `rerank`."""

    backend: str = Field(
        default=ONNX, min_length=1, description="onnx (by `path` or `model`), or a plug-in's"
    )
    path: ConfigPath | None = Field(
        default=None, description="with onnx: a folder with model.onnx and tokenizer.json of a cross-encoder"
    )
    model: str | None = Field(
        default=None,
        min_length=1,
        description="with onnx and no path: a name, such as Xenova/ms-marco-MiniLM-L-6-v2; fetched at its first use",
    )
    threads: int | None = Field(
        default=None, ge=1, le=256, description="threads of the model; up to four if unset"
    )
    batch_size: int = Field(default=16, ge=1, le=2048, description="texts that are read at a time")
    max_tokens: int | None = Field(
        default=None,
        ge=16,
        le=8192,
        description="with a path: tokens of a question and a text that are read; the model's own window if unset",
    )

    @property
    def configured(self) -> bool:
        """Whether there is a reranker: a model for onnx, or a plug-in's."""
        return self.backend != ONNX or self.path is not None or self.model is not None
