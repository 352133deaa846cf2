# `make demo` and `make test` are all that a fresh machine needs: each first makes .venv and installs what is missing.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# On two cores: one of three is waiting, for a browser or for a process that it has started.
WORKERS ?= 3
# The workers share the cores: more threads of each would only wait for each other. Each begins with a part of the tests and
# then takes from the others', so that what a file's tests share is mostly made once; and of what they start, processes find
# bytecode, whatever the shell says of it.
HERE := OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=
PYTEST := $(HERE) $(BIN)/pytest -n $(WORKERS) --dist worksteal
STAMP := $(VENV)/.installed
# Of what is installed, modules that nobody imports here: half of all. One that is imported nevertheless is compiled then.
UNCALLED := '/(tests|testing|pip|setuptools|mypy|mypyc|fontTools|graphql|torchgen|grpc|pygments/lexers|numba/cuda|numpy/distutils|$\
	onnx/(backend|reference)|onnxruntime/(transformers|quantization|tools)|playwright/async_api|pydantic/v1|gymnasium/envs|$\
	scipy/(signal|io)|sympy/(physics|combinatorics|stats|parsing|polys/benchmarks)|tensorboard/_vendor|$\
	torch/(_inductor|_vendor|sparse|distributed/(checkpoint|elastic|pipelining)))/'
# A release's tools, and an environment with nothing in it but vnla and what it needs.
TOOLS := build/tools
RUNTIME := build/runtime

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help install try demo test fast test-slow torture lint format pictures times docs web dist package sbom audit licences clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: $(STAMP) ## make .venv and install vnla with its tools into it (PYTHON=python3.12 to choose one)

# The stamp is newer than what it was made from, so nothing is installed twice.
$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "vnla needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1 | head -n 1). Try: make PYTHON=python3.11" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing into $(VENV); the first time this takes a few minutes."
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-compile 'pip>=25.1'  # older ones need twice as long
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-compile -c constraints.txt -e '.[dev]'
	@$(BIN)/python -m compileall -qq -j 0 -x $(UNCALLED) $(VENV)/lib src || true  # on all cores, where pip has one
	@touch $@

try: install ## open the page in the browser: watch an agent, help it, beat it
	@$(BIN)/vnla serve

demo: install ## houses, agents under five help policies, and a report on them: demo/report.html
	@$(BIN)/vnla demo

test: install ## lint, types and the fast tests
	@$(MAKE) --no-print-directory -j 2 lint fast

fast: install  # beside the types, which take one core for a minute
	$(HERE) PYTHONPATH=tests $(BIN)/python tests/compiling.py
	$(PYTEST)

test-slow: install ## the tests that take minutes
	$(PYTEST) -m slow || test $$? -eq 5  # 5: there are none

torture: install ## faults of the disk, kills, bit flips, fuzzing, mutants: hours; MOST=20 for a part of each (docs/reliability.md)
	@mkdir -p build/torture
	@status=0; for part in flips faults kills fuzz mutants; do \
		OMP_NUM_THREADS=1 PYTHONPATH=src:tests:. $(BIN)/python -m torture $$part --seed $(or $(SEED),0) $(if $(MOST),--most $(MOST)) \
			--out build/torture/$$part.json || status=1; \
	done; exit $$status

lint: install ## style, formatting and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: install ## put the code into shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

pictures: install ## the pictures in docs/images
	$(BIN)/python benchmarks/experiments/pictures.py
	$(BIN)/python benchmarks/experiments/screens.py

times: install dist ## time the commands of the front page, and write docs/times.md: minutes, on a quiet machine
	$(BIN)/python benchmarks/experiments/times.py

docs: install $(VENV)/.docs licences ## the documentation as a site: build/site/index.html
	$(BIN)/python docs/commands.py
	$(BIN)/sphinx-build -W --keep-going -E -a -j auto -c docs -d build/doctrees . build/site
	@echo "build/site/index.html"

$(VENV)/.docs: pyproject.toml docs/constraints.txt $(STAMP)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt -c docs/constraints.txt -e '.[docs]'
	@touch $@

web: install ## the page of `vnla serve`, from its sources in web; needs Node 20
	$(BIN)/python web/events.py
	cd web && npm ci && npm run check && npm test && npm run build

dist: $(TOOLS)/.installed ## wheel and sdist, in dist
	rm -rf dist
	$(TOOLS)/bin/python -m build
	$(TOOLS)/bin/twine check --strict dist/*

package: dist ## both built, and the wheel tried in an empty environment from another folder
	$(PYTHON) release/try_wheel.py dist/*.whl

sbom: $(RUNTIME)/.installed ## all that is installed with vnla, as a bill of materials: build/sbom.json
	$(TOOLS)/bin/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible -o build/sbom.json $(RUNTIME)/bin/python
	$(TOOLS)/bin/python release/page_parts.py build/sbom.json

audit: $(RUNTIME)/.installed ## known vulnerabilities of all that is installed with vnla
	$(RUNTIME)/bin/python -m pip freeze --exclude vnla > build/runtime.txt
	$(TOOLS)/bin/pip-audit --strict --disable-pip --no-deps -r build/runtime.txt

licences: install ## the licences of all that is installed with vnla: docs/licences.md
	$(BIN)/python release/licences.py

$(TOOLS)/.installed: release/requirements.txt
	$(PYTHON) -m venv $(TOOLS)
	$(TOOLS)/bin/python -m pip install -qq --disable-pip-version-check -r release/requirements.txt
	@touch $@

$(RUNTIME)/.installed: pyproject.toml constraints.txt $(TOOLS)/.installed
	$(PYTHON) -m venv --clear $(RUNTIME)
	$(RUNTIME)/bin/python -m pip install -qq --disable-pip-version-check -c constraints.txt '.[serve,hdf5,minari,parquet]'
	@touch $@

clean: ## remove .venv and every cache
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
