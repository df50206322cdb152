"""The how-to's metric, taken from the page, works as a plugin package that is found through its entry point."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.docs.walks import Page

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "how-to" / "add-a-metric.md"


def ragtriage(*arguments: str, plugins: Path) -> str:
    program = "from ragtriage.cli.main import main; main()"
    environment = {**os.environ, "PYTHONPATH": f"{plugins}{os.pathsep}{ROOT / 'src'}"}
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def shown() -> list[str]:
    """The commands of the page."""
    return [line for block in Page(PAGE).blocks for line, _ in block.commands()]


@pytest.fixture
def plugins(tmp_path: Path) -> Path:
    """A package on the path with the code and the entry point that the page shows, as pip would install it."""
    page = PAGE.read_text(encoding="utf-8")
    code = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)[0]
    group, name, target = re.findall(r'entry-points\."(.*?)"\]\n"(.*?)" = "(.*?)"', page)[0]
    package = tmp_path / "my_package"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "hit_depth.py").write_text(code, encoding="utf-8")
    meta = tmp_path / "my_package-0.1.dist-info"
    meta.mkdir()
    (meta / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 0.1\n")
    (meta / "entry_points.txt").write_text(f"[{group}]\n{name} = {target}\n")
    return tmp_path


def test_the_plugin_is_listed_with_the_others(plugins: Path) -> None:
    listed = ragtriage("metrics", "--format", "plain", plugins=plugins).split()
    assert "retrieval.hit_depth" in listed
    assert "retrieval.recall" in listed


def test_the_plugin_measures(plugins: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq1 0 b 1\nq2 0 c 1\n")
    (tmp_path / "run.txt").write_text("q1 Q0 a 1 9 r\nq1 Q0 x 2 8 r\nq1 Q0 b 3 7 r\nq2 Q0 x 1 9 r\n")
    monkeypatch.chdir(tmp_path)
    card, ranked = (ragtriage(*command.split()[1:], plugins=plugins) for command in shown())
    assert card.startswith("retrieval.hit_depth: Depth of the last relevant result")
    found = json.loads(ranked)
    assert found["questions"]["q1"]["retrieval.hit_depth"] == 3.0
    assert found["questions"]["q2"]["retrieval.hit_depth"] == {"undefined": "no result is relevant"}
    assert found["metrics"]["retrieval.hit_depth"]["scored"] == 1
    assert found["metrics"]["retrieval.hit_depth"]["undefined"] == 1
