# Every target sets itself up in .venv; only Python 3.11+ with pip is needed beforehand.
#   make test PYTHON=python3.12       another interpreter (run `make clean` first)
#   make test ARGS="-m slow"          more arguments for pytest
#   make bench ARGS="peers batch"     some of the benchmarks

PYTHON ?= python3
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
# -qq hides everything but errors.
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check
TYPED := $(wildcard src tests/peers benchmarks)

export MPLBACKEND ?= Agg

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: demo test thorough bounds check docs pages pictures bench freeze reproduce clean help

demo: $(VENV)/.run ## run the demonstration
	$(BIN)/python examples/demo.py

test: $(VENV)/.test ## run the tests, without those marked thorough or slow
	$(BIN)/python -m pytest -n 2 $(ARGS)

thorough: $(VENV)/.test ## run the tests that take many seconds each: reproductions, kills, random robots
	$(BIN)/python -m pytest -n 2 -m "thorough and not slow" $(ARGS)

bounds: $(VENV)/.test ## run the tests of kernels, laws and control with the bounds of arrays checked
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -n 2 tests/kernels tests/control tests/laws $(ARGS)

check: $(VENV)/.check ## lint, format, types, import contracts, documentation in a browser
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy $(TYPED)
	$(BIN)/lint-imports
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html
	$(BIN)/python -m pytest -q tests/docs/built_site.py

docs: $(VENV)/.check ## build the documentation
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html
	@echo "open docs/_build/html/index.html"

pages: $(VENV)/.check ## renew the tables on the pages that come from the code
	$(BIN)/python -m docs._pages

pictures: $(VENV)/.check ## draw the pictures of runs anew that the pages show, and renew the pages
	$(BIN)/python -m docs._pages pictures

bench: $(VENV)/.test ## compare with the peer engines
	$(BIN)/python -m benchmarks $(ARGS)

freeze: $(VENV)/.test ## freeze the results of the engine as they are now
	$(BIN)/python -m tests.frozen.freeze

reproduce: $(VENV)/.check ## renew the reproductions that the documentation shows; takes an hour
	$(BIN)/serpenoid reproduce all --out docs/reproductions
	$(BIN)/python -m docs._pages shrink

clean: ## remove .venv, caches of the tools and build results (compiled kernels are the user's)
	rm -rf $(VENV) build dist docs/_build docs/generated out .pytest_cache .ruff_cache .mypy_cache .import_linter_cache .hypothesis
	find src tests benchmarks examples -type d -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

help: ## show this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' $(firstword $(MAKEFILE_LIST))

# One stamp per set of extras, renewed when pyproject.toml changes; a larger set covers the smaller.
$(VENV)/.run:   extras :=
$(VENV)/.test:  extras := [test]
$(VENV)/.test:  covers := $(VENV)/.run
$(VENV)/.check: extras := [test,dev]
$(VENV)/.check: covers := $(VENV)/.run $(VENV)/.test

$(VENV)/.run $(VENV)/.test $(VENV)/.check: pyproject.toml | $(BIN)/python
	@echo "Installing serpenoid$(extras) into $(VENV) ..."
	@$(PIP) --editable '.$(extras)'
	@touch $@ $(covers)

# Some systems ship Python and pip without ensurepip; there pip installs itself into the new .venv.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("serpenoid needs Python 3.11 or newer, $(PYTHON) is " + sys.version.split()[0] + "; name another: make PYTHON=python3.12")'
	@echo "Creating $(VENV) ..."
	@$(PYTHON) -m venv --clear $(VENV) >/dev/null 2>&1 || { \
	  $(PYTHON) -m venv --clear --without-pip $(VENV) && \
	  $(PYTHON) -m pip --python $(BIN)/python install -qq --disable-pip-version-check pip; \
	} || { rm -rf $(VENV); echo "could not create $(VENV) with $(PYTHON)" >&2; exit 1; }
