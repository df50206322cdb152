"""Where a model answers, and the key it asks for: the key shows its name, never its value."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from ragtriage.core.errors import BadInput

__all__ = ["Address", "ApiKey"]

_NAMED = re.compile(r"env:([A-Za-z_][A-Za-z0-9_]*)")
_USABLE = re.compile(r"[\x21-\x7e]+")
_SHORTEST = 8


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key taken from the environment by name; in texts its value is replaced by `env:NAME`."""

    name: str
    value: str = field(repr=False)

    @staticmethod
    def from_environment(reference: str, environment: Mapping[str, str]) -> ApiKey:
        """Look a key up that a configuration names as `env:NAME`; raises BadInput, which never shows a value.

        >>> ApiKey.from_environment("env:JUDGE_KEY", {"JUDGE_KEY": "sk-123456789"})
        ApiKey(name='JUDGE_KEY')
        """
        named = _NAMED.fullmatch(reference)
        if named is None:
            raise BadInput("'api_key' must name an environment variable as 'env:NAME', so that no key lies in a file")
        value = environment.get(named[1], "")
        if not value:
            raise BadInput(f"'api_key' names the environment variable {named[1]}, which is not set")
        if not _USABLE.fullmatch(value):
            raise BadInput(f"the environment variable {named[1]} holds white space or characters that no key has")
        return ApiKey(named[1], value)

    def scrub(self, text: str) -> str:
        """Put `env:NAME` in place of the value, plain or as JSON writes it; values under 8 characters stay."""
        if len(self.value) < _SHORTEST:
            return text
        for form in {self.value, json.dumps(self.value)[1:-1], self.value.replace("/", "\\/")}:
            text = text.replace(form, f"env:{self.name}")
        return text


@dataclass(frozen=True, slots=True)
class Address:
    """The base address of an endpoint (`https://api.example.com/v1`), its key and the header that carries the key.

    Raises BadInput for an address that is no http or https address, or that holds a password.
    """

    base_url: str
    key: ApiKey | None = None
    key_header: str = "Authorization"

    def __post_init__(self) -> None:
        """Check the address."""
        try:
            parts = urlsplit(self.base_url)
            port = parts.port
        except ValueError as error:
            raise BadInput(f"'base_url' is no address: {error}") from None
        if parts.username is not None or parts.password is not None:
            raise BadInput("'base_url' holds a user or password; name a key as api_key = 'env:NAME' instead")
        if parts.scheme not in {"http", "https"} or not parts.hostname or port == 0:
            shown = self.base_url if self.key is None else self.key.scrub(self.base_url)
            raise BadInput(f"'base_url' must be an http or https address. Got {shown!r} instead")

    @property
    def host(self) -> str:
        """Host and port, as shown in messages and looked up in the price list."""
        return urlsplit(self.base_url).netloc

    @property
    def identity(self) -> str:
        """The address without its query, which some providers put credentials into."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"

    def url(self, path: str) -> str:
        """Return the address of a route; a query of the base address is kept.

        >>> Address("http://localhost:8080/v1/?version=2").url("chat/completions")
        'http://localhost:8080/v1/chat/completions?version=2'
        """
        parts = urlsplit(self.base_url)
        return parts._replace(path=f"{parts.path.rstrip('/')}/{path}", fragment="").geturl()

    def headers(self) -> dict[str, str]:
        """Return the headers that carry the key."""
        if self.key is None:
            return {}
        bearer = self.key_header.lower() == "authorization"
        return {self.key_header: f"Bearer {self.key.value}" if bearer else self.key.value}

    def scrub(self, text: str) -> str:
        """Remove the key's value from a text."""
        return text if self.key is None else self.key.scrub(text)
