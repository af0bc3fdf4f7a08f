# An index of verbs. `make help` says what each does.
.PHONY: nightly codec damaged mutants speed arm64 vulnerabilities help quick build demo test check conformance bench audit sizes pictures generate wasm www stick testdata race soak fuzz browsers
.PHONY: bench-slide release installs workflows-check wheels python-versions python-exporters python-notebooks python-test cohort cohort-test wasm-gpu test-gpu bench-go go-check go-test generated npm-check npm-test www-check www-test examples examples-check examples-test

STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK = golang.org/x/vuln/cmd/govulncheck@v1.9.0
GOTESTSUM   = gotest.tools/gotestsum@v1.13.0
NPM_READY   = wasm/npm/node_modules/.package-lock.json
WWW_READY   = www/node_modules/.package-lock.json
BENCH_READY = tools/dev/bench/node_modules/.package-lock.json
EXAMPLES_READY = examples/node_modules/.package-lock.json
SITES_READY = examples/sites/node_modules/.package-lock.json
PYTHON_READY = tools/python/.venv/ready
EXPORTERS_READY = tools/python/.venv-exporters/ready
KERAS_READY = tools/python/.venv-keras/ready
NOTEBOOKS_READY = tools/python/.venv-notebooks/ready
AUDIT_READY = tools/dev/audit/node_modules/.package-lock.json

help: ## say what each verb does
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile

build: ## build the command line, bagscope and bagscope-train, into build/
	go build -o build/ ./tools/cmd/...

demo: www ## build everything, serve the page on this machine, open it on a bundled example
	@cd www && npx vite preview --open

quick: ## build, and run the short Go tests that a change may have broken, for at most a minute
	@tools/dev/quick $(ARGS)

# What is generated comes first, because it writes files that tests read. The suites share two
# processors: those in Node and in the browser often wait.
test: generated testdata ## all checks, the tests in Go and Node, the essential ones of the page
	@tools/dev/need chromium >/dev/null
	@$(MAKE) --no-print-directory -j 2 $(if $(filter output-sync,$(.FEATURES)),--output-sync=target) \
	  $(CHECKS) go-test npm-test www-test

nightly: ## run what .ci/run leaves out, after failures too, and write testdata/nightly.md
	tools/dev/nightly

race: ## run tests with the race detector
	@test "$$(go env CGO_ENABLED)" = 1 && command -v $$(go env CC) >/dev/null || \
	  { echo "the race detector needs a C compiler; install one, such as gcc, and set CGO_ENABLED=1"; exit 1; }
	go test -race -timeout 1h -short ./core ./core/methods ./core/whatif ./onnxbackend ./onnxbackend/signature ./onnxbackend/internal/suffix \
		./onnxbackend/internal/prefix ./onnxbackend/internal/auxinput ./onnxbackend/internal/offload
	go test -race -timeout 1h -run '^TestEvaluate' ./tools/cmd/bagscope

soak: ## try more broken files and random models, open and close more often, kill servers and resume more often
	go test -count 1 -timeout 30m -run 'Broken|Hostile|Leak|Clos|Mutants|RandomModels' ./onnxbackend ./core/bagio ./core/slide ./core/geojson -args -thorough 10
	go test -count 1 -timeout 30m -run '^TestBroken' ./core/codec ./core/dicom ./core/internal/jpegframe -args -thorough 20
	go test -count 1 -timeout 30m -run '^TestSentencesOfMadeFiles$$' ./onnxbackend/ask -args -thorough 100
	go test -count 1 -timeout 30m -run '^TestConceptsRule$$' ./core/whatif -args -thorough 20
	go test -count 1 -timeout 30m -run '^TestOddOperators$$' ./onnxbackend/internal/ops -args -thorough 10
	go test -count 1 -timeout 30m -run '^TestCrowd$$' ./tools/service/server -args -crowd-requests 2000
	go test -count 1 -timeout 30m ./wasm/host -args -rounds 2000
	go test -count 5 -timeout 30m -run 'Killed|Resume|Locked' ./tools/cmd/bagscope ./tools/service/jobs
	go test -C tools/cohort -count 5 -timeout 30m -run 'Resume|Attempts|Loop' ./...

damaged: ## read 1,000,000 damaged files with all readers and codecs of pictures, volumes, slides and bags
	mkdir -p build && rm -f build/damaged
	BAGSCOPE_DAMAGED=$(CURDIR)/build/damaged go test -count 1 -timeout 12h -run 'Broken|Hostile|Mutants' ./core/codec ./core/dicom ./core/bagio ./core/slide ./core/internal/jpegframe ./core/geojson -args -thorough 36
	@read=$$(wc -c <build/damaged) && echo "$$read damaged files were read" && test "$$read" -ge 1000000

mutants: build testdata $(PYTHON_READY) $(WWW_READY) ## change the code, run the tests, and print the changes that no test notices; ARGS are folders
	go run ./tools/dev/mutate $(ARGS)

fuzz: ## run each fuzz test for 15 s; make fuzz ARGS=1m takes longer
	tools/dev/fuzz $(ARGS)

# A browser that cannot be installed is named, and its tests skip: SKIPS fails unless they are listed.
browsers: stick ## run the longer tests of the page in Chromium, and what users do most in Firefox and WebKit
	FIREFOX=$$(tools/dev/need firefox) && export FIREFOX && WEBKIT=$$(tools/dev/need webkit) && export WEBKIT && \
	  CHROMIUM=$$(tools/dev/need chromium) && export CHROMIUM && cd www && \
	  $(call vitest,browsers) --config vitest.browser.config.ts --project long --project everywhere
	$(SKIPS) browsers build/tests/browsers.xml

codec: ## build the module of core/codec from OpenJPEG's sources, and compare it with the committed one
	@tools/dev/need clang >/dev/null
	mkdir -p build && tools/dev/codec/build.sh build/codec.wasm && cmp build/codec.wasm core/codec/codec.wasm

arm64: testdata bin/gotestsum ## run the tests of kernels and operators for 64-bit ARM, under qemu elsewhere
	go test -C tools/gen/kernels/arm64 ./...
	GOOS=linux GOARCH=arm64 go vet ./onnxbackend/...
	@qemu=$$(tools/dev/need qemu) && test -n "$$qemu" || { echo "no qemu: see above"; exit 1; }; \
	  export GOOS=linux GOARCH=arm64 CGO_ENABLED=0; \
	  $(call go_test,arm64) -exec "$$qemu" -vet=off -short ./onnxbackend/kernel ./onnxbackend/internal/compute ./onnxbackend/internal/ops && \
	  $(call go_test,arm64-golden) -exec "$$qemu" -vet=off -short -run '^TestGolden/^(features|mi_)' ./onnxbackend
	$(SKIPS) arm64 build/tests/arm64.xml build/tests/arm64-golden.xml

CHECKS = go-check workflows-check npm-check www-check examples-check

check: generated $(CHECKS) ## formatting, vet, staticcheck, types, workflows, import direction, generated files

conformance: testdata ## run the official ONNX node tests, natively and as WebAssembly, and count them; the kernels in Node and Chromium
	go test ./onnxbackend/internal/ops -run '^TestConformance$$' -count 1 -v
	go test ./wasm/simd -run '$(WASM)' -count 1 -v
	go test ./onnxbackend/onnxgo -run '^TestConformance$$' -count 1

bench: www $(BENCH_READY) ## measure beside ONNX Runtime, for minutes; make bench ARGS=-quick takes one
	go run ./tools/dev/bench $(ARGS)

audit: www $(AUDIT_READY) ## run Lighthouse over the site; all categories except performance have to reach 95
	CHROMIUM=$$(tools/dev/need chromium) && export CHROMIUM && node tools/dev/audit/audit.mjs $(ARGS)

sizes: www $(PYTHON_READY) ## compare built files with their recorded sizes; make sizes ARGS=-update records them
	tools/python/.venv/bin/python tools/python/static.py
	CHROMIUM=$$(tools/dev/need chromium) && export CHROMIUM && node tools/dev/sizes/sizes.mjs $(ARGS)

vulnerabilities: bin/govulncheck ## compare all modules and packages with databases of vulnerabilities; ARGS are programs
	go run ./tools/dev/vulnerabilities $(ARGS)
	cd tools/dev/audit && $(call node_test,vulnerabilities,../../..) vulnerabilities.test.mjs
	$(SKIPS) vulnerabilities build/tests/vulnerabilities.xml

pictures: www ## take the README's pictures of the site again
	CHROMIUM=$$(tools/dev/need chromium) && export CHROMIUM && node www/scripts/pictures.mjs

bench-slide: www ## measure the page with a slide of 100,000 x 80,000 pixels; it needs vips and 5 GB of disk
	CHROMIUM=$$(tools/dev/need chromium) && export CHROMIUM && go run ./tools/dev/bench/slide -dir build/slide -page $(ARGS)

bench-go: ## run the benchmarks in Go; make speed runs those with a bar
	go test -run '^$$' -bench . -benchmem ./...

speed: build www $(PYTHON_READY) ## measure what has a bar, and fail only at three times the bar
	go test -run '^$$' -bench '^BenchmarkCancellation$$' -benchtime 3x ./onnxbackend
	go test -run '^$$' -bench '^BenchmarkCancelled' -benchtime 3x ./tools/service/server ./tools/cmd/bagscope
	go test -C tools/cohort -run '^$$' -bench '^BenchmarkLoop$$' -benchtime 1x .
	cd tools/python && .venv/bin/pytest -s tests/bench
	CHROMIUM=$$(tools/dev/need chromium) && export CHROMIUM && npm --prefix www run test:bench

cohort: build ## build the command line and the program that explains cohorts on Apache Beam into build/
	go build -C tools/cohort -o ../../build/ ./bagscope-cohort

# The ONNX node tests and the files of pydicom and nibabel: packages of PyPI, whose hashes
# testdata/requirements.txt pins.
NODE_TESTS = testdata/fetched/onnx-1.22.0-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl

IMAGE_TESTS = testdata/fetched/pydicom-3.0.2-py3-none-any.whl testdata/fetched/nibabel-5.4.2-py3-none-any.whl

testdata: $(NODE_TESTS) $(IMAGE_TESTS) ## download the official ONNX node tests, DICOM and NIfTI files, 24 MB, by pip

$(NODE_TESTS) $(IMAGE_TESTS) &: testdata/requirements.txt
	python3 -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes --only-binary :all: \
	  --platform manylinux_2_27_x86_64 --python-version 3.11 --implementation cp --abi cp311 \
	  --dest $(@D) --requirement $<
	@touch $(NODE_TESTS) $(IMAGE_TESTS)

generate: ## write the generated files again
	go generate ./...

wasm: $(NPM_READY) ## build the engine for browsers and its npm package
	npm --prefix wasm/npm run build

stick: www ## write the article and the explorer, each as one file for a disk, and examples to build/stick
	rm -rf build/stick && mkdir -p build/stick
	cd www && STICK=learn npx vite build --config vite.stick.config.ts && STICK=look npx vite build --config vite.stick.config.ts
	cp -R www/dist/example www/dist/LICENSES.txt build/stick

www: wasm-gpu $(WWW_READY) ## build the site into www/dist
	npm --prefix www run build
	go run ./tools/dev/bench -page www/dist/bench

# The program for graphics processors, which pages fetch when they ask for one. Its binding is a download of 115 MB.
wasm-gpu: wasm
	npm --prefix wasm/npm run build:gpu

# The tests of graphics processors: natively on whatever adapter there is, and in Chromium on one that computes on the CPU.
test-gpu: wasm-gpu testdata bin/gotestsum ## run the tests of graphics processors, natively and in Chromium
	@test "$$(go env CGO_ENABLED)" = 1 && command -v $$(go env CC) >/dev/null || \
	  { echo "the native tests of graphics processors need a C compiler; install one, such as gcc"; exit 1; }
	tools/dev/need vulkan
	go vet -tags gpu ./onnxbackend/gpu ./tools/cmd/... ./tools/dev/bench/gpu
	go run -tags gpu ./tools/dev/bench/gpu -only '^$$'
	$(call go_test,gpu) -tags gpu -count 1 ./onnxbackend/gpu ./tools/dev/bench/gpu
	$(call go_test,gpu-command) -tags gpu -count 1 -run '^TestDevice.' ./tools/cmd/bagscope
	$(SKIPS) gpu build/tests/gpu.xml build/tests/gpu-command.xml
	GOOS=js GOARCH=wasm go vet -tags gpu,bagscope_simd ./onnxbackend/gpu ./wasm/...
	CHROMIUM=$$(tools/dev/need chromium) && export CHROMIUM && cd wasm/npm && $(call node_test,npm-gpu,../..) test/gpu/*.test.mjs
	$(SKIPS) npm-gpu build/tests/npm-gpu.xml

# The modules tools/cohort and tools/dev/release have many dependencies: their own tests check them.
go-check: bin/staticcheck
	@files=$$(git ls-files -co --exclude-standard '*.go' | xargs gofmt -l); \
	  test -z "$$files" || { echo "not formatted, gofmt -w mends it:" $$files; exit 1; }
	go mod verify
	go vet ./...
	GOARCH=386 go vet ./core/... ./onnxbackend/...
	GOOS=js GOARCH=wasm go vet ./wasm/...
	GOOS=js GOARCH=wasm go vet -tags bagscope_simd ./onnxbackend/kernel ./wasm/...
	bin/staticcheck ./...
	# U1000 knows nothing of go:wasmexport and would call exported functions unused.
	GOOS=js GOARCH=wasm bin/staticcheck -checks inherit,-U1000 ./wasm/...

# Without other checkers, so that every machine finds the same.
workflows-check:
	cd tools/dev/release && go tool actionlint -shellcheck= -pyflakes= ../../../.github/workflows/*.yml

generated:
	@before=$$(git diff | cksum); $(MAKE) --no-print-directory generate && \
	  test "$$before" = "$$(git diff | cksum)" || { echo "generated files are stale: run make generate and commit what it writes"; exit 1; }

# Each suite fails on a skip that testdata/skips.txt does not list.
SKIPS = go run ./tools/dev/skips

# go_test runs Go tests, prints packages and failures, and writes a report of this name. A loaded
# machine may take longer over a package than Go's limit of ten minutes.
go_test = $(CURDIR)/bin/gotestsum --format pkgname-and-test-fails --hide-summary skipped \
  --junitfile $(CURDIR)/build/tests/$(1).xml -- -timeout 1h

# node_test runs tests in Node, prints them, and writes a report: its name, the way to the root, and
# the number of files at a time. Those of examples share an installed package.
node_test = mkdir -p $(2)/build/tests && node --test --test-concurrency=$(or $(3),1) --test-reporter=spec --test-reporter-destination=stdout \
  --test-reporter=junit --test-reporter-destination=$(2)/build/tests/$(1).xml

# vitest does so for tests of the page.
vitest = npx vitest run --reporter=default --reporter=junit --outputFile.junit=../build/tests/$(1).xml

# The long tests run elsewhere: in soak, and those that build programs for WebAssembly in conformance.
WASM = ^(TestConformanceInNode|TestKernels|TestDefaultMemory)$$
LONG = ^TestCoverage$$|$(WASM)

# go-check vets all packages, so go test need not do it again.
go-test: testdata bin/gotestsum
	@tools/dev/need vips >/dev/null
	$(call go_test,go) -vet=off -skip '$(LONG)' ./...
	$(SKIPS) go build/tests/go.xml

cohort-test: bin/staticcheck bin/gotestsum ## check cohorts on Apache Beam, a module of its own, and run its tests
	go vet -C tools/cohort ./...
	cd tools/cohort && ../../bin/staticcheck ./...
	cd tools/cohort && $(call go_test,cohort) -vet=off ./...
	$(SKIPS) cohort build/tests/cohort.xml

# The package runs the command that make build has built.
wheels: wasm $(PYTHON_READY) ## build the Python package of all platforms into build/wheels
	tools/python/.venv/bin/python tools/python/static.py
	tools/python/.venv/bin/python tools/python/wheels.py $(ARGS)

# Releases are built from a clone of the commit, so that no other file of the checkout gets into them.
release: ## write all that a release publishes into build/release; make release ARGS=-twice compares two builds
	go run -C tools/dev/release . $(ARGS)

# Where bubblewrap may not create namespaces, the installs are named and skip, and testdata/skips.txt lists them.
installs: bin/staticcheck bin/gotestsum ## build a release for this machine, and install it in six ways in clean environments
	go vet -C tools/dev/release ./...
	cd tools/dev/release && ../../../bin/staticcheck ./...
	BUBBLEWRAP=$$(tools/dev/need bubblewrap) && export BUBBLEWRAP && \
	  go run -C tools/dev/release . -platforms "$$(go env GOOS)/$$(go env GOARCH)" -out ../../../build/release-here && \
	  cd tools/dev/release && $(call go_test,installs) -count 1 ./...
	$(SKIPS) installs build/tests/installs.xml

python-versions: build wasm $(PYTHON_READY) ## test the Python package with the interpreters PYTHONS
	@test -n "$(PYTHONS)" || { echo 'name interpreters: make python-versions PYTHONS="python3.10 python3.13"'; exit 1; }
	tools/python/.venv/bin/python tools/python/static.py
	set -e; for p in $(PYTHONS); do \
	  venv=build/python/$$("$$p" -c 'import platform; print(platform.python_version())'); \
	  "$$p" -m venv "$$venv"; \
	  "$$venv/bin/pip" install --quiet --disable-pip-version-check -r tools/python/requirements.in; \
	  "$$venv/bin/python" -c 'import numpy, sys; print(sys.version.split()[0], "with NumPy", numpy.__version__)'; \
	  (cd tools/python && "../../$$venv/bin/python" -m pytest -q); \
	done

python-exporters: build wasm $(PYTHON_READY) $(EXPORTERS_READY) $(KERAS_READY) ## test bagscope.export and notebooks with PyTorch and Keras, a download of 3 GB
	tools/python/.venv/bin/python tools/python/static.py
	cd tools/python/tests/exporters && BAGSCOPE_BINARY=$(CURDIR)/build/bagscope PYTHONPATH=$(CURDIR)/tools/python/src \
	  ../../.venv-exporters/bin/python -m pytest -o addopts= --junitxml=../../../../build/tests/exporters.xml \
	  . "../notebooks/test_executed.py::test_outputs[torchmil]" "../notebooks/test_executed.py::test_outputs[peers]"
	$(SKIPS) exporters build/tests/exporters.xml
	cd tools/python/tests/exporters_keras && BAGSCOPE_BINARY=$(CURDIR)/build/bagscope PYTHONPATH=$(CURDIR)/tools/python/src \
	  ../../.venv-keras/bin/python -m pytest -o addopts= --junitxml=../../../../build/tests/exporters-keras.xml .
	$(SKIPS) exporters-keras build/tests/exporters-keras.xml

python-notebooks: build wasm $(PYTHON_READY) $(NOTEBOOKS_READY) ## test the Python package's widget in JupyterLab and Notebook 7, and a notebook
	tools/python/.venv/bin/python tools/python/static.py
	cd tools/python/tests/notebooks && BAGSCOPE_BINARY=$(CURDIR)/build/bagscope PYTHONPATH=$(CURDIR)/tools/python/src \
	  ../../.venv-notebooks/bin/python -m pytest -o addopts= --junitxml=../../../../build/tests/notebooks.xml \
	  -k "not torchmil and not peers"
	$(SKIPS) notebooks build/tests/notebooks.xml

python-test: build wasm $(PYTHON_READY) ## check and test the Python package
	tools/python/.venv/bin/python tools/python/static.py
	cd tools/python && .venv/bin/ruff check && .venv/bin/ruff format --check && .venv/bin/mypy && \
	  .venv/bin/pytest --junitxml=../../build/tests/python.xml
	$(SKIPS) python build/tests/python.xml

npm-check: wasm
	npm --prefix wasm/npm run check

npm-test: wasm testdata
	CHROMIUM=$$(tools/dev/need chromium) && export CHROMIUM && cd wasm/npm && $(call node_test,npm,../..,2) test/*.test.mjs
	$(SKIPS) npm build/tests/npm.xml

www-check: www
	npm --prefix www run check

www-test: www ## run the unit tests of the page, and the essential ones in Chromium
	cd www && $(call vitest,www-unit)
	$(SKIPS) www-unit build/tests/www-unit.xml
	CHROMIUM=$$(tools/dev/need chromium) && export CHROMIUM && cd www && $(call vitest,www) --config vitest.browser.config.ts --project essential
	$(SKIPS) www build/tests/www.xml

examples: wasm $(EXAMPLES_READY) $(SITES_READY) examples/.venv/ready

examples-check: $(EXAMPLES_READY)
	npm --prefix examples run check

examples-test: examples ## run the tests of the examples with other programs: bundlers and site generators
	CHROMIUM=$$(tools/dev/need chromium) && export CHROMIUM && cd examples && $(call node_test,examples,..) test/*.test.mjs
	$(SKIPS) examples build/tests/examples.xml

bin/staticcheck: Makefile
	GOBIN=$(CURDIR)/bin go install $(STATICCHECK)

bin/govulncheck: Makefile
	GOBIN=$(CURDIR)/bin go install $(GOVULNCHECK)

bin/gotestsum: Makefile
	GOBIN=$(CURDIR)/bin go install $(GOTESTSUM)

# The .npmrc beside each package.json turns off the scripts of packages.
$(NPM_READY): wasm/npm/package-lock.json
	npm --prefix wasm/npm ci
	@touch $@

$(WWW_READY): www/package-lock.json
	npm --prefix www ci
	@touch $@

$(EXAMPLES_READY): examples/package-lock.json
	npm --prefix examples ci
	@touch $@

# Generators of sites have packages of their own, 460 MB, which only the tests of the examples need.
$(SITES_READY): examples/sites/package-lock.json
	npm --prefix examples/sites ci
	@touch $@

# Some generators are Python packages. Where there is no Python their examples are skipped, and the tests say so.
examples/.venv/ready: examples/requirements.txt
	@mkdir -p $(@D)
	if python3 -m venv examples/.venv; then examples/.venv/bin/pip install --quiet --require-hashes -r $<; fi
	@touch $@

# The wheels of PyTorch on PyPI need the libraries of CUDA, also on a machine without a graphics processor.
$(EXPORTERS_READY): tools/python/tests/exporters/requirements.txt
	python3 -m venv $(@D)
	$(@D)/bin/pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

$(KERAS_READY): tools/python/tests/exporters_keras/requirements.txt
	python3 -m venv $(@D)
	$(@D)/bin/pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

$(NOTEBOOKS_READY): tools/python/tests/notebooks/requirements.txt
	python3 -m venv $(@D)
	$(@D)/bin/pip install --quiet --disable-pip-version-check -r $<
	@touch $@

$(PYTHON_READY): tools/python/requirements.txt
	python3 -m venv $(@D)
	$(@D)/bin/pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

$(AUDIT_READY): tools/dev/audit/package-lock.json
	npm --prefix tools/dev/audit ci
	@touch $@

$(BENCH_READY): tools/dev/bench/package-lock.json
	npm --prefix tools/dev/bench ci
	@touch $@
