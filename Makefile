# The targets of this project; `make` alone lists them.
GO ?= go
BIN := bin/upsim
FUZZTIME ?= 30s
IMAGE ?= upsim:latest

## help: list the targets
help:
	@sed -n 's/^## /  /p' Makefile

## run: build upsim and simulate the built-in default scenario
run: build
	./$(BIN) run

## build: build bin/upsim
build:
	$(GO) build -trimpath -o $(BIN) ./cmd/upsim

## image: pack upsim into a container image, the OCI archive bin/upsim-image.tar (needs no Docker)
image:
	CGO_ENABLED=0 GOOS=linux $(GO) build -trimpath -ldflags '-s -w' -o bin/upsim-linux ./cmd/upsim
	$(GO) run ./cmd/image -o bin/upsim-image.tar -tag $(IMAGE) bin/upsim-linux

## test: run all tests
test:
	$(GO) test ./...

## vet: go vet
vet:
	$(GO) vet ./...

## lint: staticcheck, at the version that go.mod names
lint:
	$(GO) tool staticcheck ./...

## fmt: list files that gofmt would change, and fail if there are any
fmt:
	@files=$$(gofmt -l .); [ -z "$$files" ] || { echo "run gofmt -w on:"; echo "$$files"; exit 1; }

## tidy: fail if go.mod or go.sum is not tidy
tidy:
	$(GO) mod tidy -diff

## race: the short tests under the race detector (needs a C compiler)
race:
	CGO_ENABLED=1 $(GO) test -race -short ./...

## fuzz: fuzz the loader for FUZZTIME (30s), the other fuzz targets for 5 s each
fuzz:
	$(GO) test -run '^$$' -fuzz '^FuzzDecode$$' -fuzztime $(FUZZTIME) ./model
	$(GO) test -run '^$$' -fuzz '^FuzzYAMLToJSON$$' -fuzztime 5s ./model
	$(GO) test -run '^$$' -fuzz '^FuzzReader$$' -fuzztime 5s ./model/kube
	$(GO) test -run '^$$' -fuzz '^FuzzAdd$$' -fuzztime 5s ./model/calibrate
	$(GO) test -run '^$$' -fuzz '^FuzzQueue$$' -fuzztime 5s ./sim/eventq

## golden: rewrite the golden files; read the difference before you commit it
golden:
	$(GO) test $$(grep -rl --include='*_test.go' 'flag.Bool("update"' . | xargs -n1 dirname | sort -u) -update

## profile: make the profile anew by which the compiler puts together what upsim does most (cmd/upsim/default.pgo)
profile:
	$(GO) test -trimpath -c -o bin/bench.test ./bench
	cd bench && ../bin/bench.test -test.run '^$$' -test.bench 'Upgrade/.*/nodes=1000$$' -test.benchtime 100x -test.cpuprofile ../bin/cpu.pprof
	gunzip -c bin/cpu.pprof | perl -pe 's{\Q$(CURDIR)/bin/\E}{"/" x length $$&}ge' | gzip -n > cmd/upsim/default.pgo

## bench: the benchmarks, without the tests
bench:
	$(GO) test -run '^$$' -bench . -benchmem ./bench ./sim/...

## check: everything that must hold before a change goes in (.ci/run)
check:
	./.ci/run

.PHONY: help run build image test vet lint fmt tidy race fuzz golden bench check
