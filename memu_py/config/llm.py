"""`llm`: model profiles by name. `default` is the one that is used when nobody names another."""

from pydantic import Field

from memu_py.config.secret import Secret
from memu_py.config.section import Address, Section


class ModelProfile(Section):
    """A chat model behind an OpenAI-compatible address."""

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
