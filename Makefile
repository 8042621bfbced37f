# One command does the work, one runs the tests; both set everything up first.
# Needs Python >= 3.11, make and a package index.

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
EXAMPLES := .venv-examples
WORLDS := .worlds
PACKAGES := deployments/runtime/examples/requirements.txt
PYTHON ?=
ENVIRONMENT ?= sqldesk
MODEL ?= simulated:weak
SEED ?= 7

.PHONY: help setup cycle test lint types contracts slow ui examples worlds clean

help:
	@echo "make cycle   one evolution cycle (ENVIRONMENT=$(ENVIRONMENT) MODEL=$(MODEL) SEED=$(SEED))"
	@echo "make test    the tests"
	@echo "make setup   install only"
	@echo "make lint types contracts slow ui examples worlds   what CI runs besides"

setup: $(STAMP)

$(STAMP): requirements.lock pyproject.toml
	@PYTHON="$(PYTHON)" VENV="$(VENV)" sh deployments/setup.sh
	@touch $(STAMP)

cycle: setup
	$(BIN)/tackroom cycle --environment $(ENVIRONMENT) --model $(MODEL) --seed $(SEED)

test: setup
	$(BIN)/python -m pytest -n 2

slow: setup
	$(BIN)/python -m pytest -m slow -n 2 --dist loadgroup

ui: setup
	$(BIN)/python -m pytest -m live_ui

# Packages of other people, in a place of their own: nothing else needs them.
$(EXAMPLES)/.installed: $(PACKAGES) deployments/runtime/pyproject.toml | setup
	@$(BIN)/python -m venv $(EXAMPLES)
	@$(EXAMPLES)/bin/python -m pip install --quiet --disable-pip-version-check \
		--requirement $(PACKAGES) ./deployments/runtime skills-ref pytest pytest-timeout pytest-xdist hypothesis
	@touch $@

examples: $(EXAMPLES)/.installed
	$(EXAMPLES)/bin/python -m pytest -m "slow or not slow" \
		tests/deployments/test_runtime_examples.py tests/harness/test_agent_skills.py

# Worlds of other people, each in an interpreter of its own.
$(WORLDS)/.installed: tasks/environments/catalogue.py tasks/environments/installation.py | setup
	@for world in bfcl tau2 agentdojo; do \
		TACKROOM_HOME=$(WORLDS) $(BIN)/tackroom env install $$world || exit 1; done
	@if command -v java >/dev/null; then \
		TACKROOM_HOME=$(WORLDS) $(BIN)/tackroom env install scienceworld; \
	else echo "make: ScienceWorld needs Java, which is not here; its tests are skipped" >&2; fi
	@touch $@

worlds: $(WORLDS)/.installed
	$(BIN)/python -m pytest -m "slow or not slow" tests/environments/test_installed_worlds.py \
		tests/environments/test_declared_tiers.py tests/environments/test_worlds_of_shells_and_games.py

lint: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: setup
	$(BIN)/pyright

contracts: setup
	$(BIN)/lint-imports

clean:
	rm -rf $(VENV) $(EXAMPLES) $(WORLDS) dist build
