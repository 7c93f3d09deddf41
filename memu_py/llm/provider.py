"""Providers with an OpenAI-compatible API: where they are, and which variable usually holds their key."""

import dataclasses


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Provider:
    """Who serves models.

    Attributes:
        name: as in the configuration.
        base_url: where the API is.
        key_variable: the environment variable that usually holds the key; None for servers of one's own, which
            need none.
    """

    name: str
    base_url: str
    key_variable: str | None = None


def _hosted(name: str, base_url: str) -> Provider:
    return Provider(name=name, base_url=base_url, key_variable=f"{name.upper()}_API_KEY")


PROVIDERS = {
    provider.name: provider
    for provider in (
        _hosted("openai", "https://api.openai.com/v1"),
        _hosted("deepseek", "https://api.deepseek.com/v1"),
        _hosted("openrouter", "https://openrouter.ai/api/v1"),
        _hosted("mistral", "https://api.mistral.ai/v1"),
        _hosted("groq", "https://api.groq.com/openai/v1"),
        _hosted("together", "https://api.together.xyz/v1"),
        _hosted("dashscope", "https://dashscope.aliyuncs.com/compatible-mode/v1"),
        _hosted("moonshot", "https://api.moonshot.cn/v1"),
        _hosted("siliconflow", "https://api.siliconflow.cn/v1"),
        Provider(name="ollama", base_url="http://localhost:11434/v1"),
        Provider(name="vllm", base_url="http://localhost:8000/v1"),
        Provider(name="llamacpp", base_url="http://localhost:8080/v1"),
        Provider(name="lmstudio", base_url="http://localhost:1234/v1"),
    )
}
