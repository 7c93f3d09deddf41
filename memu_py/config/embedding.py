"""`embedding`: which embedder turns texts into vectors."""

from pydantic import Field, model_validator

from memu_py.config.secret import Secret
from memu_py.config.section import Address, ConfigPath, Section, subsection


class CalibrationSettings(Section):
    """How the embedder's cosines are read; what is left out is the embedder's own."""

    low: float | None = Field(default=None, ge=-1, le=1, description="cosine of unrelated texts")
    high: float | None = Field(default=None, ge=-1, le=1, description="cosine of texts that say the same")
    same: float | None = Field(
        default=None, ge=-1, le=1, description="cosine from which texts may be duplicates"
    )
    topic: float | None = Field(
        default=None, ge=-1, le=1, description="cosine from which a text may belong to a category"
    )

    @model_validator(mode="after")
    def _ordered(self) -> "CalibrationSettings":
        if self.low is not None and self.high is not None and self.low >= self.high:
            msg = "`low` must be below `high`"
            raise ValueError(msg)
        return self


class EmbeddingSettings(Section):
    """The embedder. A store belongs to one: changing it needs `memu reindex`."""

    backend: str = Field(
        default="bundled",
        min_length=1,
        description="bundled (no key, no network), onnx, openai (any compatible server), or a plug-in's",
    )
    provider: str = Field(
        default="openai",
        description="with openai: whose server, for its address and its key: openai, ollama …",
    )
    model: str | None = Field(
        default=None, min_length=1, description="the model's name; the backend's own if unset"
    )
    path: ConfigPath | None = Field(
        default=None, description="with onnx: a folder with model.onnx and tokenizer.json"
    )
    api_key: Secret | None = Field(
        default=None,
        description="the key; else that of llm.default for the same provider, else the usual variable's",
    )
    base_url: Address | None = Field(
        default=None, description="where the API is; the provider's own if unset"
    )
    dimensions: int | None = Field(
        default=None,
        ge=1,
        le=16384,
        description="length of the vectors to ask for, where the model can choose",
    )
    batch_size: int | None = Field(
        default=None, ge=1, le=2048, description="texts in one call; the backend's own if unset"
    )
    timeout_s: float = Field(default=30.0, gt=0, description="how long one call may take, in seconds")
    max_retries: int = Field(default=3, ge=0, le=20, description="how often a failed call is repeated")
    concurrency: int = Field(default=4, ge=1, description="calls under way at the same time")
    query_prefix: str | None = Field(
        default=None, description="put before questions, as E5 models want it; the model's own if unset"
    )
    passage_prefix: str | None = Field(
        default=None, description="put before what is searched; the model's own if unset"
    )
    query_cache: int = Field(default=1024, ge=0, description="questions whose vectors are kept in memory")
    calibration: CalibrationSettings = subsection(
        "how its cosines are read, if the built-in figures do not fit"
    )
