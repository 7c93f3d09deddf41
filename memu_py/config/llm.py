"""`llm`: model profiles by name. `default` is the one that is used when nobody names another."""

from typing import Any, Literal

from pydantic import Field

from memu_py.config.secret import Secret
from memu_py.config.section import Address, Section


class ModelProfile(Section):
    """A chat model, behind an OpenAI-compatible address or brought by a plug-in."""

    backend: str = Field(
        default="openai", min_length=1, description="openai (any compatible server), or a plug-in's"
    )
    provider: str = Field(default="openai", description="whose models: openai, deepseek, ollama …")
    model: str = Field(min_length=1, description="the model's name at the provider")
    api_key: Secret | None = Field(
        default=None, description="the key; the provider's usual variable when left out"
    )
    base_url: Address | None = Field(
        default=None, description="where the API is; the provider's own when left out"
    )
    timeout_s: float = Field(default=60.0, gt=0, description="how long one call may take, in seconds")
    max_retries: int = Field(default=3, ge=0, le=20, description="how often a failed call is repeated")
    concurrency: int = Field(default=8, ge=1, description="calls under way at the same time")
    temperature: float | None = Field(
        default=None, ge=0, le=2, description="randomness of answers; the model's own when left out"
    )
    max_tokens: int | None = Field(
        default=None,
        ge=1,
        description="length of an answer at most, in tokens; the model's own when left out",
    )
    requests_per_minute: int | None = Field(
        default=None, ge=1, description="calls begun within a minute at most; no limit when left out"
    )
    structured: Literal["auto", "schema", "json", "text"] = Field(
        default="auto",
        description="how answers are held to a form: by JSON schema, JSON mode, or words; auto takes the best",
    )
    stream: bool = Field(
        default=False, description="receive answers piece by piece: `timeout_s` then holds between two pieces"
    )
    cache: bool = Field(default=True, description="keep answers, so that the same question is not paid twice")
    extra: dict[str, Any] = Field(
        default_factory=dict, description="parameters of this server that are sent along, such as `top_p`"
    )
