# make check is what .ci/run does; make check-long runs every promise at full size.
GO ?= go
LINT ?= golangci-lint
GORELEASER ?= goreleaser
comma := ,

.PHONY: build full dist test race lint fuzz bench bench-peers peers pages docs check check-engines check-long check-long-full check-long-main check-long-bench \
	check-python check-airflow man figures mutants

build:
	CGO_ENABLED=0 $(GO) build -trimpath -o release ./cmd/release

# release with object stores, DuckDB, Spark, Trino and Beam. Without a C compiler: CGO_ENABLED=0, and it has no DuckDB.
full:
	cd full && $(GO) build -trimpath -o ../release-full ./release-full

# What is published of a version: archives, bills of materials and checksums, in dist; SIGN=KEY signs the checksums. See docs/dev/releasing.md.
dist:
	DPRELEASE_SIGN_KEY="$(SIGN)" $(GORELEASER) release --clean --skip=publish,announce$(if $(SIGN),,$(comma)sign)

# The wheels for Python, one for each platform, in dist/wheels. They need uv.
wheels:
	@for os in linux darwin windows; do for arch in amd64 arm64; do \
	  GOOS=$$os GOARCH=$$arch uv build -q --wheel -o dist/wheels python || exit 1; done; done

test:
	$(GO) test ./...

race:
	$(GO) test -tags check -race -short ./...

lint:
	$(LINT) run ./...

# One minute for each fuzz target.
fuzz:
	@for p in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list '^Fuzz' $$p | grep '^Fuzz'); do \
	    $(GO) test $$p -run '^$$' -fuzz "^$$f$$" -fuzztime 60s || exit 1; done; done

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...

# Ours and DuckDB on the same files, in turns: one JSON line a query. BENCH_ROWS=1000000 makes it short.
bench-peers:
	cd bench && CGO_ENABLED=1 $(GO) run . -picture peers.svg

# Other tools for differential privacy on the same tasks, with the tables and the picture of bench/peers; under two hours.
# PEERS="-short" takes about ten minutes on an idle machine.
peers:
	cd bench && $(GO) run ./peers $(PEERS) -page peers/README.md > peers/results.jsonl

# The pages of releases in Chromium; pictures of them go to PAGETEST_OUT.
pages:
	cd pagetest && PAGETEST_OUT=$(or $(PAGETEST_OUT),$(CURDIR)/pagetest/out) $(GO) test -timeout 20m ./...

# Generated files: the schema, the pages of the job file and the command line, the sampler's table.
docs:
	$(GO) generate ./...

# What CI runs.
check:
	bash .ci/run

man:
	mkdir -p man && $(GO) run ./cmd/release man man

# The engines that take minutes to test: Spark, alone and with Iceberg and Delta, and Beam on Flink and on Spark, which are
# installed from PyPI and Maven Central and need Java 17; and Trino, which is installed from Maven Central and needs Java 24.
check-engines:
	cd full && DPRELEASE_ENGINES=1 $(GO) test -timeout 120m ./spark/... ./trino/...
	cd full && DPRELEASE_ENGINES=1 $(GO) test -timeout 60m ./beam/verb -run 'TestKilled(TaskManager|Executor)'

# Every promise at full size, for hours; make -j2 -k check-long runs two parts at once and the others if one fails.
check-long: check-long-full check-long-main check-long-bench check-python check-airflow

check-long-full:
	cd full && DPRELEASE_LONG=1 $(GO) test -timeout 300m ./...

check-long-main:
	DPRELEASE_LONG=1 $(GO) test -tags check -timeout 180m ./...

check-long-bench:
	cd bench && DPRELEASE_LONG=1 CGO_ENABLED=1 $(GO) test -timeout 60m ./...

# The wheel under the Pythons of this machine, with pandas 2 and 3.
check-python:
	python/check 3.10 'pandas<3'
	python/check 3.11 'pandas>=3'
	python/check 3.12 'pandas>=3' mbi
	python/check 3.13 'pandas<3'

# The example under a real Airflow 3, whose workers are killed; takes some minutes and a gigabyte of packages.
check-airflow:
	@w=$$(mktemp -d) && python3 -m venv $$w/uv && $$w/uv/bin/pip install -q uv && $$w/uv/bin/uv build -q --wheel -o $$w/dist python && \
	  $$w/uv/bin/uv venv -q $$w/env && VIRTUAL_ENV=$$w/env $$w/uv/bin/uv pip install -q $$w/dist/*.whl 'apache-airflow>=3,<4' \
	  apache-airflow-providers-openlineage && $$w/env/bin/python python/tests/check_airflow.py && rm -rf $$w

# The papers' figures in full, into examples/*/out; under 30 minutes on two cores.
figures:
	@for e in calibration mean-estimation synthetic-histogram composition nyc-taxi adult; do $(GO) run ./examples/$$e || exit 1; done

# Seeds bugs one at a time and says which tests notice them; takes an hour or more. MUTANTS="-only ledger" tries some.
mutants:
	nice $(GO) run ./internal/mutants $(MUTANTS)
