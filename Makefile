# Run "make help" for what there is.

.DEFAULT_GOAL := help
.PHONY: help test run go fmt lint update fuzz fixtures bench client page proxies

FUZZTIME ?= 30s

help: ## show this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

test: ## everything that must hold: Go, both reference clients, the page in Chromium
	@./scripts/test

run: ## start the recipe and say where to look
	go run ./examples/recipe

go: ## the Go tests alone, without the race detector
	go test ./...

fmt: ## format the Go files
	gofmt -w middleware adapters examples internal

lint: ## go vet and staticcheck
	go vet ./...
	go tool staticcheck ./...

update: ## accept what the golden files would have to be; read the diff
	@./scripts/update

fuzz: ## run every fuzz target for FUZZTIME (30s)
	@./scripts/fuzz $(FUZZTIME)

bench: ## run every benchmark once
	go test -run '^$$' -bench . -benchmem ./...

fixtures: ## make the fixtures again from the reference's packages, and name what moved
	@./scripts/fixtures

internal/e2e/node_modules: internal/e2e/package-lock.json
	./scripts/modules && touch $@

client: internal/e2e/node_modules ## the tests of the reference clients alone
	cd internal/e2e && node --test client/*.test.mjs

page: internal/e2e/node_modules ## the tests of the page alone
	cd internal/e2e && npm run -s test:page && node with-recipe.mjs -step -- npm run -s test:recipe

proxies: ## try nginx and Caddy in front of an agent (they must be installed)
	go run ./internal/proxies
