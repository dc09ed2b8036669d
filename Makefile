# Each verb says what it does: `make` lists them.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
SHELL := /bin/bash

.DEFAULT_GOAL := help
.PHONY: help setup demo test check spec versions sim explore bench

help: ## List the verbs
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

setup: $(VENV)/ready ## Make the virtual environment with locked dependencies

$(VENV)/ready: requirements.lock pyproject.toml
	@command -v $(PYTHON) >/dev/null 2>&1 && $(PYTHON) -m venv $(VENV) || python3 -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: setup ## Run the main job: a cluster, load, a plan from Spark, moves, a broken disk, an audit
	$(BIN)/spindle demo

define lint
	$(BIN)/ruff check src tests bench tools
	$(BIN)/ruff format --check src tests bench tools
	$(BIN)/mypy
endef

test: setup ## Lint, types and all tests, with Apache Kafka as the other party (half an hour on two cores)
	$(lint)
	$(BIN)/python -m tests.suite

check: setup ## Lint, types, house rules and unit tests (two minutes)
	$(lint)
	$(BIN)/python -m tests.suite --quick

spec: setup ## Print which rows of docs/behaviours.md have tests
	$(BIN)/python -m tests.spec_table

versions: setup ## Try every release of Apache Kafka from 2.4 on (half an hour); writes the table of the docs
	$(BIN)/python -m tests.versions

sim: setup ## Simulate many more seeds than the tests do (SEEDS=2000)
	$(BIN)/spindle sim --seeds $(or $(SEEDS),2000)

explore: setup ## Every interleaving of one replica's events, and many more made-up cases (two hours)
	SPINDLE_MANY_CASES=1 $(BIN)/pytest -q -n 2 --dist worksteal --timeout 3600 -m hypothesis tests/unit tests/conformance
	SPINDLE_MANY_CASES=1 $(BIN)/pytest -q --timeout 3600 tests/interop/test_client_suites.py tests/interop/test_kafkas_own_tests.py
	SPINDLE_MANY_CASES=1 $(BIN)/pytest -q --timeout 3600 tests/pipeline/test_plans_of_many_clusters.py
	SPINDLE_MANY_CASES=1 $(BIN)/pytest -q --timeout 3600 tests/sim tests/crash/test_move_matrix.py
	$(BIN)/spindle explore --failures 1 --restarts 1 --losses 1
	$(BIN)/spindle explore --failures 1 --restarts 1 --elections 1
	$(BIN)/spindle explore --failures 1 --restarts 1 --cancels 1
	$(BIN)/spindle explore --failures 1 --restarts 0 --losses 1 --elections 1 --cancels 1
	$(BIN)/spindle explore --failures 0 --restarts 1 --losses 1 --elections 1 --cancels 1
	$(BIN)/spindle explore --failures 1 --restarts 0 --losses 0 --moves 2 --cancels 1
	$(BIN)/spindle explore --failures 2 --restarts 0 --losses 0 --directories 3
	$(BIN)/spindle explore-groups --losses 1 --coordinators 1
	$(BIN)/spindle explore-groups --leaves 1 --coordinators 1
	$(BIN)/spindle explore-groups --losses 1 --leaves 1 --growths 1
	$(BIN)/spindle explore-groups --members 3 --partitions 3
	$(BIN)/spindle explore-transactions --losses 1 --leaders 1 --waits 1
	$(BIN)/spindle explore-transactions --losses 1 --coordinators 1 --level 0 --waits 1
	$(BIN)/spindle explore-transactions --zombies 1 --losses 1 --waits 1
	$(BIN)/spindle explore-transactions --zombies 1 --offsets 1
	$(BIN)/spindle explore-transactions --zombies 1 --coordinators 1 --leaders 1 --losses 1 --waits 0 --aborts 0
	$(BIN)/spindle explore-transactions --zombies 1 --coordinators 1 --strays 1 --level 0 --waits 0 --aborts 0
	$(BIN)/spindle explore-transactions --coordinators 1 --strays 1 --losses 1 --waits 0
	$(BIN)/spindle explore-transactions --others 1 --leaders 1 --waits 0 --aborts 0

bench: setup ## Measure beside Apache Kafka on this machine and print the ratios
	$(BIN)/python -m bench
