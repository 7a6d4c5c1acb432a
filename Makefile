# The commands that always hold; each sets up what it needs. PYTHON names a Python 3.11 or newer to build .venv from.

PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
export OMP_NUM_THREADS ?= 1

TABLES := runs/tables
FAST_AGENTS ?= random heuristic mc:64 pretrained
SLOW_AGENTS ?= mc:400 mc:16:4 mc:32:pretrained
PROCESSES ?= 2
PORT ?= 8000
SLOW ?= slow

.PHONY: help setup train play tables benchmark pictures test test-slow test-browser test-integrations test-versions \
	test-wheel lint format clean

help:
	@echo "make train      set up, train a small agent (minutes), compare it with the baselines, export it;"
	@echo "                goes on where an earlier one was interrupted; begin anew: rm -r runs/quick"
	@echo "make play       set up and serve the page on which ECK and Gongor Whist are played (PORT=8000); scripts/play.py is for terminals"
	@echo "make tables     let all agents play all variants (hours, PROCESSES=2) and write table and report to runs/tables;"
	@echo "                goes on where an earlier one was interrupted; begin anew: rm -r runs/tables"
	@echo "make benchmark  set up other simulators in .benchmark (2 GB) and measure them and this one (10 minutes)"
	@echo "make pictures   make the pictures of table and page that the README shows (needs Chromium)"
	@echo "make test       set up and run the quick tests"
	@echo "make test-slow  the statistical and exhaustive tests (minutes)"
	@echo "make test-browser  the tests of the page, in headless Chromium (Debian: apt-get install chromium)"
	@echo "make test-integrations  set up other libraries in .integrations (8 GB) and test against them (an hour on one core)"
	@echo "make test-versions  the library's own tests with the lowest and the highest Gymnasium and NumPy it supports"
	@echo "make test-wheel  build the wheel, and install and try it alone on each Python there is"
	@echo "make lint       ruff and mypy"
	@echo "make format     let ruff format the code"
	@echo "make clean      remove .venv, runs and caches"

setup: $(VENV)/.complete

$(VENV)/.complete: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade-strategy only-if-needed -c constraints.txt -e '.[train,report,video,play,browser,test]'
	touch $@

train: setup
	$(BIN)/python scripts/train.py configs/quick.yaml --resume

play: setup
	$(BIN)/python scripts/serve.py --port $(PORT)

tables: setup
	mkdir -p $(TABLES)
	$(BIN)/python scripts/evaluate.py $(FAST_AGENTS) --env all --games 10000 --processes $(PROCESSES) \
		--against heuristic --json $(TABLES)/fast.json --resume
	$(BIN)/python scripts/evaluate.py $(SLOW_AGENTS) --env all --games 1000 --processes $(PROCESSES) \
		--json $(TABLES)/slow.json --resume
	$(BIN)/python scripts/report.py $(TABLES)/fast.json $(TABLES)/slow.json --out $(TABLES)/report --markdown $(TABLES)/table.md

benchmark: setup
	$(BIN)/python -m agents.benchmark.peers
	$(BIN)/python scripts/benchmark.py --json runs/benchmark/benchmark.json \
		--markdown docs/benchmark.md --picture docs/benchmark.png

pictures: setup
	$(BIN)/python scripts/pictures.py --out docs/pictures

test: setup
	$(BIN)/python -m pytest -n 2 --dist loadfile

test-slow: setup
	$(BIN)/python -m pytest -m "$(SLOW)" -n 2 --dist loadfile

test-browser: setup
	$(BIN)/python -m pytest -m browser

test-integrations: setup
	$(BIN)/python tests/integration/run.py

test-versions: setup
	$(BIN)/python tests/integration/run.py lowest highest

test-wheel: setup
	$(BIN)/python -m pytest -m integration tests/integration/test_wheel.py

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) .benchmark .integrations runs build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
