"""Families of language models, told from their names: a judge may prefer the style of its own."""

from __future__ import annotations

from collections.abc import Mapping

import regex

__all__ = ["answering_model", "family_of"]

_FAMILIES: Mapping[str, str] = {
    "gpt": r"chatgpt|gpt(?!4all|q)|o[134](?=$|[^a-z0-9])|davinci|codex",
    "claude": r"claude",
    "gemini": r"gemini|gemma|palm(?=$|[^a-z])|bison",
    "llama": r"(?:tiny|code)?llama(?![.-]?cpp|index)|vicuna|alpaca",
    "qwen": r"qwen|qwq|qvq",
    "mistral": r"mi[sx]tral|ministral|codestral|magistral|devstral|zephyr",
    "deepseek": r"deepseek",
    "phi": r"phi(?=$|[^a-z])",
    "command": r"command(?=$|[^a-z])|aya(?=$|[^a-z])|c4ai",
    "grok": r"grok",
    "smollm": r"smollm",
    "granite": r"granite",
    "olmo": r"olmo|tulu",
    "falcon": r"falcon",
    "glm": r"(?:chat)?glm",
    "kimi": r"kimi|moonshot",
    "yi": r"yi(?=$|[^a-z])",
    "nova": r"nova(?=$|[^a-z])",
    "jamba": r"jamba",
    "nemotron": r"nemotron",
    "gigachat": r"gigachat",
    "yandexgpt": r"yandexgpt",
    "t-lite": r"t-(?:lite|pro)(?=$|[^a-z])",
}
_NAMED = regex.compile("(?<![a-z])(?:" + "|".join(f"({pattern})" for pattern in _FAMILIES.values()) + ")")
_ROLES = ("generator", "generation", "answer", "llm", "chat")
_SERVED = ("_served", ".served", "-served")


def family_of(name: str | None) -> str | None:
    """Return the family that a model's name speaks of first; None for a name that speaks of none.

    >>> family_of("openai/gpt-4o-mini"), family_of("Qwen/Qwen3-8B-Instruct"), family_of("yandexgpt-lite")
    ('gpt', 'qwen', 'yandexgpt')
    >>> family_of("deepseek-r1-distill-llama-8b"), family_of("our-own-model"), family_of(None)
    ('deepseek', None, None)
    """
    lowered = (name or "").casefold()
    # An endpoint's kind stands before the model: `openai/` is how it is spoken to, not who answers.
    found = _NAMED.search(lowered.removeprefix("openai/"))
    if found is None:
        return None
    return next(family for family, group in zip(_FAMILIES, found.groups(), strict=True) if group is not None)


def answering_model(models: Mapping[str, str] | None) -> str | None:
    """Return the model that wrote an answer, as its trace names it; rather the one that really answered.

    >>> answering_model({"embedder": "e5", "generator": "small", "generator_served": "small-2026"})
    'small-2026'
    >>> answering_model({"embedder": "e5"}), answering_model(None)
    (None, None)
    """
    named = models or {}
    writes = [role for role in named if role.casefold().startswith(_ROLES)]
    served = [role for role in writes if role.casefold().endswith(_SERVED)]
    return named[(served or writes)[0]] if writes else None
