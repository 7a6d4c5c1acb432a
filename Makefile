# The commands that always hold; each sets up what it needs. PYTHON names a Python 3.11 or newer to build .venv from.

PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
export OMP_NUM_THREADS ?= 1

.PHONY: help setup train test test-slow lint format clean

help:
	@echo "make train      set up, train a small agent (minutes), compare it with the baselines, export it;"
	@echo "                goes on where an earlier one was interrupted; begin anew: rm -r runs/quick"
	@echo "make test       set up and run the quick tests"
	@echo "make test-slow  the statistical and exhaustive tests (minutes)"
	@echo "make lint       ruff and mypy"
	@echo "make format     let ruff format the code"
	@echo "make clean      remove .venv, runs and caches"

setup: $(VENV)/.complete

$(VENV)/.complete: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade-strategy only-if-needed -c constraints.txt -e '.[train,test]'
	touch $@

train: setup
	$(BIN)/python scripts/train.py configs/quick.yaml --resume

test: setup
	$(BIN)/python -m pytest -n 2 --dist loadfile

test-slow: setup
	$(BIN)/python -m pytest -m slow -n 2 --dist loadfile

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) runs build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
