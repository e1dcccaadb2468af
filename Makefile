# `make run` and `make test` are all a newcomer needs; both build what they need.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

.PHONY: help run test lint bench docs lock clean
.DEFAULT_GOAL := help

help:
	@echo "make run    serve GitHub, or try the sample pull request when no App is configured"
	@echo "make test   lint, types, contracts and all tests"
	@echo "make lint   ruff, mypy, import-linter"
	@echo "make bench  speed and memory against stated peers"
	@echo "make docs   write the generated pages and catalogs again"
	@echo "make lock   resolve the dependencies again (needs uv)"

$(VENV)/.installed: requirements-dev.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("Referee needs Python 3.11 or newer.") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

run: $(VENV)/.installed
	@$(BIN)/referee run

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: lint
	$(BIN)/python -m pytest

bench: $(VENV)/.installed
	$(BIN)/python -m tests.benchmarks

CATALOG := checks/locale/zh/LC_MESSAGES/referee.po

docs: $(VENV)/.installed
	$(BIN)/referee docs --write
	$(BIN)/pybabel --quiet extract --no-default-keywords --keyword text --sort-output --no-location \
	  --project Referee --output-file .messages.pot checks bot
	$(BIN)/pybabel --quiet update --no-fuzzy-matching --ignore-obsolete --omit-header --width 96 \
	  --locale zh --input-file .messages.pot --output-file $(CATALOG)
	@rm .messages.pot

lock:
	uv pip compile pyproject.toml --extra sandbox --universal --python-version 3.11 --generate-hashes --no-header --output-file requirements.lock
	uv pip compile pyproject.toml --extra sandbox --group dev --universal --python-version 3.11 --generate-hashes --no-header --output-file requirements-dev.lock

clean:
	rm -rf $(VENV) var build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
