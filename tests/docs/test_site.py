"""The site is built without a warning."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.docs.walks import ROOT


def test_the_site_is_built_without_a_warning(tmp_path: Path, capability: Callable[[str], None]) -> None:
    capability("mkdocs")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")],
        cwd=ROOT, capture_output=True, encoding="utf-8", check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    page = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert 'src="http' not in page
    assert 'rel="stylesheet" href="http' not in page
