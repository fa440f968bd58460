# make builds bin/hubbench; make demo shows what it is for; make test and make lint check it.
# Needs Go; with Node the reports hold live charts, without it static pictures. GNU make 3.81 or newer.

# For make fuzz: the time each target gets. For make bench: which benchmarks, where, and how often
# (benchstat wants 6 of each for a 95 % interval); then fio and hubbench in turns in DIR, a folder on the
# disk to compare them on. For make platforms: the systems, all if empty, with -all for every package.
FUZZTIME ?= 10s
BENCH    ?= .
PKG      ?= ./...
COUNT    ?= 6
DIR      ?= bin
SYSTEMS  ?=
SHORT    ?=
FULL     ?=
CLAIMS   ?=

tool    := go tool -modfile=.tools/go.mod
# Prints a line for each package as it ends, then what was skipped and what failed, and why. A failure is noted in bin.
gotest   = $(tool) gotestsum --format pkgname --jsonfile bin/tests-$(1).json -- -timeout 2h $(2) || echo $(1) >> bin/tests-failed
version := $(shell git describe --tags --always --dirty --abbrev=12 2>/dev/null)
html    := internal/tell/report/html
charts  := $(html)/dist/echarts.js.gz

# Empty if the race detector cannot be had: it needs cgo, and that a C compiler.
race := $(if $(filter 1,$(shell go env CGO_ENABLED)),-race)

# Packages whose golden files -update writes afresh: those whose tests know the flag.
golden = $(addprefix ./,$(sort $(dir $(shell grep -rl --include='*_test.go' 'flag.Bool."update"' cmd configs internal pkg))))

.PHONY: build demo test race lint platforms fuzz proof lab bench golden man release release-check baseline picture clean

# Always handed to go, which knows better than a file list what is out of date.
build: $(charts)
	go build -ldflags='-X main.version=$(version)' -o bin/hubbench ./cmd/hubbench

# Without npm this says so, makes nothing and succeeds.
$(charts): $(addprefix $(html)/,bundle.go echarts.js package.json package-lock.json .npmrc)
	go run -modfile=.tools/go.mod $<

demo: build
	bin/hubbench run configs/demo.yaml

# Unit tests and testscripts. What starts goroutines is tested under the race detector, if there is one, but for the tests of
# plain: of whole processes and of disks that hold them up, which mostly wait, and of commands that only compute. The
# detector makes these several times as slow and finds nothing (make race has it for all). All parts run, whatever fails.
plain := Completions|Cut$$|CapturesCut|Examples|FaultsOf|Gauges(Find|OfClean)|Hangs(AreTold|OfR)|In(it|putsAre)|JSON|Kills$$|Readme|Resume(Search)?$$
plain := ^Test($(plain)|RunsInARow|Soak|StreamsOver(ARealStall|load)|Throttled)
plain := $(plain)|^TestScripts$$/^(bad-disks|compare|devices|help|init|model|origin|report|schema|search|usage)$$
parallel := ./cmd/... ./internal/machine/... ./internal/measure/... ./internal/tell/progress ./internal/test/... ./pkg/trace
test: $(charts) | bin
	@$(if $(race),,echo 'no C compiler here: testing without the race detector' >&2)
	@rm -f bin/tests-*
	$(call gotest,racing,$(race) -skip '$(plain)' $(parallel))
	$(call gotest,waiting,-run '$(plain)' -parallel 6 $(parallel))
	$(call gotest,computing,$$(go list ./... | grep -vxF "$$(go list $(parallel))") ./testdata/bench ./testdata/platforms ./testdata/proof)
	@! test -f bin/tests-failed || { echo "Failed ($$(paste -sd, bin/tests-failed)):"; \
	sed -nE 's/.*"Action":"fail","Package":"([^"]*)"(,"Test":"([^"]*)")?.*/  \1 \3/p' bin/tests-*.json; false; }

# As test, but nothing from the cache, in another order each time, and a failure if there is no race detector.
race: $(charts)
	go test -race -count=1 -shuffle=on ./...

# Everything on this system, then what a build tag hides from it. Last, the rules themselves are tried on files that break them.
lint:
	@lint=$$($(tool) -n golangci-lint) && $$lint config verify && $$lint run && \
	tagged=$$(go list -f '{{if .IgnoredGoFiles}}{{.Dir}}{{end}}' ./...) && \
	for system in darwin/arm64 windows/amd64; do echo "lint for $$system" && export GOOS=$${system%/*} GOARCH=$${system#*/} && \
	go vet ./... && $$lint run $$tagged || exit 1; done && unset GOOS GOARCH && .ci/lint-rules "$$lint"

# The tests on systems and processors that this machine is not, as far as programs are here to stand in for them: macOS by
# a loader, Windows by Wine, arm64 and s390x by qemu. What they come to belongs into the list of hubbench help platforms.
platforms:
	go vet ./testdata/platforms/... && go test ./testdata/platforms/...
	testdata/platforms/run $(SYSTEMS)

fuzz:
	@grep -rEo --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' cmd internal pkg | sed 's,/[^/]*:func , ,' | while read -r dir target; do \
	echo "$$dir $$target" && go test -run='^$$' -fuzz="^$$target\$$" -fuzztime=$(FUZZTIME) "./$$dir" || exit 1; done

# Every claim of the README and the manual against known truth, on this machine, and a table of what came out. With SHORT=1
# in three minutes, with FULL=1 in hours, as many trials as the manual's figures are from; CLAIMS names some of them.
proof: build
	SHORT='$(SHORT)' FULL='$(FULL)' testdata/proof/proof.sh $(CLAIMS)

# hubbench against a limit that the kernel sets; Linux, as root, with xfsprogs. With SHORT=1 in a minute.
lab:
	go test ./testdata/lab -count=1 -v $(if $(SHORT),-short)

bench: build | bin
	go test -run='^$$' -bench='$(BENCH)' -benchmem -count=$(COUNT) $(PKG) | tee bin/bench.txt
	@! grep -q '^FAIL' bin/bench.txt && $(tool) benchstat bin/bench.txt
	go run ./testdata/bench -dir '$(DIR)'

# What a release keeps of its speed, in bin/benchmarks.txt, beside the last release's in bin/last/benchmarks.txt, if that is there.
baseline: | bin
	go test -run='^$$' -bench='$(BENCH)' -benchmem -count=$(COUNT) $(PKG) > bin/benchmarks.txt || { cat bin/benchmarks.txt; false; }
	$(tool) benchstat $(wildcard bin/last/benchmarks.txt) bin/benchmarks.txt > bin/benchmarks-compared.txt

golden: $(charts)
	go test $(golden) -update

# A man page for each command and each topic of help, in bin/man.
man: build
	bin/hubbench man bin/man

# The files of a release, in bin/release: archives and packages for every system that ONLY does not leave out, with charts, manual
# and licences, and what checks and installs them. The same commit gives the same files.
ONLY ?=
release: build
	testdata/release/release.sh '$(version)' $(ONLY)

# What a release promises, on this commit: see .ci/release-check.
release-check:
	.ci/release-check

# The README's picture: the first screen of a study's page, as a browser shows it.
CHROMIUM ?= chromium
picture: build
	rm -rf bin/demo && bin/hubbench simulate configs/study-demo.yaml --out bin/demo > bin/demo.txt
	$(CHROMIUM) --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1280,800 --virtual-time-budget=6000 \
	--screenshot=testdata/readme.png "file://$(CURDIR)/bin/demo/report.html"

clean:
	rm -rf bin $(charts) $(html)/node_modules

bin:
	mkdir -p $@
