# `make demo` and `make test` are all that a fresh machine needs: each first makes .venv and installs what is missing.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= 2
# The workers share the cores: more threads of each would only wait for each other.
PYTEST := OMP_NUM_THREADS=1 $(BIN)/pytest -n $(WORKERS)
STAMP := $(VENV)/.installed

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help install demo test test-slow lint format pictures web clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: $(STAMP) ## make .venv and install vnla with its tools into it (PYTHON=python3.12 to choose one)

# The stamp is newer than what it was made from, so nothing is installed twice.
$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "vnla needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1 | head -n 1). Try: make PYTHON=python3.11" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing into $(VENV); the first time this takes a few minutes."
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

demo: install ## houses, agents under five help policies, and a report on them: demo/report.html
	@$(BIN)/vnla demo

test: lint ## lint, types and the fast tests
	$(PYTEST)

test-slow: install ## the tests that take minutes
	$(PYTEST) -m slow || test $$? -eq 5  # 5: there are none

lint: install ## style, formatting and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: install ## put the code into shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

pictures: install ## the pictures in docs/images
	$(BIN)/python docs/pictures.py

web: install ## the page of `vnla serve`, from its sources in web; needs Node 20
	$(BIN)/python web/events.py
	cd web && npm ci && npm run check && npm test && npm run build

clean: ## remove .venv and every cache
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
