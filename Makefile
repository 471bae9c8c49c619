# CI and people run the same targets, so each is one line. SPECS is a checkout of the upstream specifications.
SPECS ?= ../shared/specifications
STATICCHECK = go tool -modfile=$(CURDIR)/tools/lint/go.mod staticcheck
NESTED = $(shell find . -mindepth 2 -name go.mod -not -path './tools/lint/*' -not -path './specs/*' -not -path '*/testdata/*' -exec dirname {} \; | sort)
FUZZTIME ?= 10s
# Parallel tests mostly wait, so eight run at once even on machines with fewer processors.
TEST = go test -parallel 8
# go test would repeat some of vet's checks for each package. make check runs all of them.
UNVETTED = $(TEST) -vet=off

.PHONY: vulnerabilities generate check tidy drift imports literals vet format lint nested platforms test pages race purego poison explore fuzz bench compare budgets gigabyte cover rows mutate tables conformance migrate interop libmongocrypt caught simulate demo docs docs-drift stats krb5 slowest full foreign foreign-sample

generate: ; go run ./gen -write
check: tidy drift imports literals vet format lint nested
tidy: ; @set -e; for dir in . tools/lint $(NESTED); do (cd "$$dir" && go mod tidy -diff) || { echo "$$dir: run go mod tidy"; exit 1; }; done
drift: ; go run ./gen
imports: ; go run ./tools/importrules
literals: ; go run ./tools/literals
vet: ; go vet ./...
format: ; @files=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go')); test -z "$$files" || { echo "gofmt these files:"; echo "$$files"; exit 1; }
lint: ; $(STATICCHECK) ./...
nested: ; @set -e; for dir in $(NESTED); do echo "$$dir"; (cd "$$dir" && go vet ./... && go build -o /dev/null ./... && $(STATICCHECK) ./...); done
vulnerabilities: ; @set -e; for dir in . tools/lint $(NESTED); do echo "$$dir"; (cd "$$dir" && go run golang.org/x/vuln/cmd/govulncheck@v1.9.0 ./...); done
platforms: ; @set -e; for p in linux/386 linux/arm64 linux/s390x darwin/arm64 windows/amd64; do echo "$$p"; export GOOS=$${p%/*} GOARCH=$${p#*/}; for dir in . runtime/mongootel runtime/mongokrb5; do (cd "$$dir" && go build ./... && go vet ./...); done; done
# Compilers and linkers are short-lived. With fewer garbage collections they and the tests use a sixth less processor time.
# Some tests run the go command. All packages are compiled first, or else such tests compile them a second time meanwhile.
test: export GOGC = 400
test: ; go list -export ./... >/dev/null && $(UNVETTED) ./...
race: ; $(UNVETTED) -race ./...
# Runs the commands of README and of the guides as a user would type them.
pages: ; go test -count=1 -timeout 20m -run TestPagesCommandsWork ./tools/release -pages
purego: ; go test -tags purego ./bson/...
poison: ; $(TEST) -tags poison ./bson/... ./runtime/... ./tools/hostile/... && cd tools/simulate && go test -tags poison -count=1 -timeout 0 -run 'TestCases|TestSeeds' . -args -seeds $(or $(SEEDS),10)
slowest: ; $(UNVETTED) -count=1 -json ./... | go run ./tools/slowest
full: ; ONION_SIZES=full $(UNVETTED) -count=1 -timeout 30m ./...
explore: ; EXPLORE_DEPTH=$(or $(DEPTH),8) EXPLORE_SERVERS=$(or $(SERVERS),3) go test -v -timeout 0 -run TestExploreEvery ./runtime/sdam
# PARTS=3 PART=1 runs every third target, so that three machines can share the work.
fuzz: ; @set -e; grep -rE '^func Fuzz' --include='*_test.go' bson runtime generated tools | sort | awk 'NR % $(or $(PARTS),1) == $(or $(PART),1) % $(or $(PARTS),1)' | sed 's/:func \(Fuzz[A-Za-z0-9_]*\).*/ \1/' | while read -r f fn; do (cd "$$(dirname "$$f")" && go test -run '^$$' -fuzz "^$$fn\$$" -fuzztime $(FUZZTIME) .); done
bench: ; (cd tools/peerbench && go run . -specs $(abspath $(SPECS))) && go test -run '^$$' -bench . ./tools/mongotestd
# Compares the instruction counts of this revision with those of BASE. Needs valgrind.
compare: ; cd tools/peerbench && go run . -base $(BASE) -match '$(or $(MATCH),.)'
budgets: ; cd tools/peerbench && go run . -budgets
gigabyte: ; go test -count=1 -v -run TestGridFSConstantMemory ./runtime/mongo -gigabyte
cover: ; $(UNVETTED) -coverprofile=cover.out -coverpkg=./... ./... && go tool cover -func=cover.out | tail -1
rows: ; go run ./tools/conformance -rows
mutate: ; go run ./tools/mutate $(if $(NAMED),-named '$(NAMED)') $(if $(PKG),-pkg $(PKG)) $(if $(N),-n $(N)) $(if $(SEED),-seed $(SEED)) $(if $(OWN),-own) $(if $(JSON),-continue -json $(JSON))
# The packages that CI mutates every night: 50 mutants each, against the package's own tests, with the date as the seed.
ROOMS = sdam selection uri pool internal/auth internal/batch internal/bulk internal/chunk internal/conn internal/encode internal/exec internal/observe internal/session internal/topology
.PHONY: mutants named
mutants: ; @low=; for room in $(ROOMS); do go run ./tools/mutate -pkg runtime/$$room -own -n 50 -seed $(or $(SEED),$$(date -u +%Y%m%d)) || low="$$low $$room"; done; test -z "$$low" || { echo "look at$$low"; exit 1; }
# Plants each mistake that a row of specs/evidence names. The row's tests must fail.
named: ; go run ./tools/mutate -all -named .
tables: ; go run ./tools/specsync -check -from $(SPECS) && go run ./tools/literals -from $(SPECS)
.PHONY: replay
replay: ; go run ./tools/specsync -replay $(SPECS) $(or $(RANGE),$$(git -C $(SPECS) rev-list -1 --first-parent --before=2024-07-31 HEAD)..HEAD)
conformance: ; go run ./tools/conformance -specs $(SPECS) -json conformance.json -html conformance.html -pending $(if $(REPEAT),-repeat)
migrate: ; cd tools/migrate && go test -count=1 ./...
interop: ; cd tools/interop && $(TEST) -count=1 ./...
# MATCH selects suites and ON servers. SERVER is a deployment to use instead of mongotestd.
foreign: ; cd tools/foreign && go test -count=1 . && go run . -specs $(abspath $(SPECS)) -match '$(or $(MATCH),.)' -on '$(or $(ON),.)' $(if $(SERVER),-server '$(SERVER)') $(if $(REPORT),-report $(abspath $(REPORT)))
# Runs the official driver's own tests, converted to this driver. ON selects servers; KEEP is a folder for the converted tests.
.PHONY: moved
moved: ; cd tools/foreign && go test -count=1 . && go run . -match go-driver-moved -specs $(abspath $(SPECS)) -on '$(or $(ON),.)' $(if $(KEEP),-keep $(abspath $(KEEP)))
foreign-sample: ; cd tools/foreign && go test -count=1 . && go run . -sample -budget 3m
# Hosted CI runs these on real servers. SERVER is the deployment, ON its topology and version as suites/*.yaml spell them.
NEEDS_SERVER = $(if $(SERVER),,$(error SERVER names the deployment, such as mongodb://localhost))
.PHONY: server-conformance server-foreign server-moved server-live server-trial
server-conformance: ; $(NEEDS_SERVER)go run ./tools/conformance -specs $(SPECS) -server '$(SERVER)' -json conformance.json -html conformance.html $(if $(SUITE),-suite $(SUITE)) $(if $(RUN),-run '$(RUN)')
server-foreign: ; $(NEEDS_SERVER)cd tools/foreign && go run . -server '$(SERVER)' -once -on '$(or $(ON),.)' -match '$(or $(MATCH),node|mongoose|mongosh)' $(if $(REPORT),-report $(abspath $(REPORT)))
# The official driver's black-box tests, converted to this driver. PART is a pattern that selects some of them.
server-moved: ; $(NEEDS_SERVER)cd tools/foreign && go run . -server '$(SERVER)' -once -on '$(or $(ON),.)' -match 'go-driver-moved$$' -specs $(abspath $(SPECS)) $(if $(PART),-run '$(PART)') $(if $(REPORT),-report $(abspath $(REPORT)))
server-live: ; go test -count=1 -v -run 'TestAtlas|TestSearchIndex|TestLive' ./runtime/mongo
server-trial: ; @set -e; dir=$$(mktemp -d); go build -o "$$dir/mongotestd" ./tools/mongotestd; for t in standalone replicaset sharded; do "$$dir/mongotestd" -topology "$$t" -version 8.0 >"$$dir/$$t" & pid=$$!; trap 'kill $$pid' EXIT; until [ -s "$$dir/$$t" ]; do kill -0 $$pid; sleep 0.1; done; uri=$$(cat "$$dir/$$t"); echo "$$t $$uri"; $(MAKE) -s server-conformance server-foreign server-moved SERVER="$$uri" ON="$$t" SUITE=$(or $(SUITE),crud) PART='$(or $(PART),^Test(Collection|Cursor|Database|IndexView|GridFS)$$$$)'; kill $$pid; trap - EXIT; done; rm -r "$$dir"
libmongocrypt: ; cd tools/interop/libmongocrypt && $(TEST) -count=1 -v ./...
caught: ; cd tools/simulate && go test -v -count=1 -timeout 0 -run "^TestMistakes$$" . -args -mistakes . -first 1
simulate: ; cd tools/simulate && go test ./internal/... && go test -count=1 -timeout 0 -run 'TestMistakesApply|TestCases|TestSeeds' -args -seeds $(or $(SEEDS),100) -first $(or $(FIRST),0) -for $(or $(FOR),0) -out "$(abspath $(OUT))"
demo: ; GOGC=400 go run ./tools/demo
docs: ; go run ./gen -docs -write
docs-drift: ; go run ./gen -docs
stats: ; go run ./gen -stats
krb5: ; cd runtime/mongokrb5 && go test -count=1 -tags krb5 -v -run TestRealKDC .
