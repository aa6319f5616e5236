# hyperpod-perf: one Makefile, everything it makes goes under build/.
#
#   make demo    install what is missing (after saying what), build, open the demo
#   make test    install what the tests need, build, run them all
#   make help    the other targets

CC      ?= cc
FLAVOUR ?= release
BUILD   ?= build/$(FLAVOUR)
PREFIX  ?= /usr/local
DESTDIR ?=
# Warnings are errors in CI and for developers; packagers may leave it empty.
WERROR  ?= $(if $(CI),-Werror)
JOBS    ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

VERSION := 0.1.0
PKGS    := ncursesw libssh2 libcurl libcjson libcrypto
# Homebrew keeps these apart from the system's own.
BREW    := $(shell command -v brew 2>/dev/null)
ifneq ($(BREW),)
BREW_PREFIX := $(shell brew --prefix)
export PKG_CONFIG_PATH := $(BREW_PREFIX)/opt/ncurses/lib/pkgconfig:$(BREW_PREFIX)/opt/curl/lib/pkgconfig:$(BREW_PREFIX)/opt/openssl@3/lib/pkgconfig:$(PKG_CONFIG_PATH)
endif
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
PKG_LIBS   := $(shell pkg-config --libs $(PKGS) 2>/dev/null)

OPT    ?= -O2 -g
WARN   := -Wall -Wextra -Wpedantic -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes \
          -Wold-style-definition -Wformat=2 -Wwrite-strings -fno-common
HARDEN ?= -fstack-protector-strong
SAN    ?=
# ncursesw's own flags already ask for the XSI and wide-character interfaces.
ALL_CFLAGS  = -std=c11 $(PKG_CFLAGS) -D_POSIX_C_SOURCE=200809L $(OPT) $(WARN) $(WERROR) $(HARDEN) \
              $(CFLAGS) $(SAN) -I. -I$(BUILD) -pthread -DHP_VERSION='"$(VERSION)"'
PROJECT_CFLAGS = $(ALL_CFLAGS) -include collectors/banned.h
ALL_LDFLAGS = $(LDFLAGS) $(SAN) -pthread

COLLECTORS := $(wildcard collectors/*.c)
RULES      := $(wildcard rules/*.c)
TUI        := $(filter-out tui/main.c,$(wildcard tui/*.c))
HDR        := $(wildcard collectors/*.h rules/*.h tui/*.h)
EMBEDDED   := collectors/probe.sh $(wildcard rules/*.json) $(wildcard rules/*.sh) $(wildcard collectors/scenarios/*.json)
TESTSRC    := $(wildcard tests/*/*.c)
TESTHDR    := $(wildcard tests/*/*.h)

obj = $(patsubst %.c,$(BUILD)/%.o,$(1))
LIB_OBJ  := $(call obj,$(COLLECTORS) $(RULES) $(TUI))
EMB_OBJ  := $(patsubst %,$(BUILD)/embed/%.o,$(EMBEDDED))
LIB      := $(BUILD)/libhyperpod.a
UNIT_SRC := $(wildcard tests/unit/test_*.c)
UNIT_BIN := $(patsubst tests/unit/%.c,$(BUILD)/tests/unit/%,$(UNIT_SRC))
TEST_LIB := $(call obj,$(wildcard tests/lib/*.c))

.DEFAULT_GOAL := all
# make -s is silent.
SAY := $(if $(findstring s,$(firstword -$(MAKEFLAGS))),:,echo)

## all: the program, build/hyperpod-perf
.PHONY: all
all: build/hyperpod-perf

build/hyperpod-perf: $(BUILD)/hyperpod-perf
	@cp -f $< $@

$(BUILD)/hyperpod-perf: $(BUILD)/tui/main.o $(LIB)
	@$(SAY) "  LINK  $@"
	@$(CC) $(ALL_LDFLAGS) -o $@ $(BUILD)/tui/main.o $(LIB) $(PKG_LIBS) -lm

$(LIB): $(LIB_OBJ) $(EMB_OBJ)
	@rm -f $@
	@ar rcs $@ $^

# Objects are made again when the flags change.
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(PROJECT_CFLAGS)' | cmp -s - $@ || echo '$(CC) $(PROJECT_CFLAGS)' >$@
.PHONY: FORCE

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	@$(SAY) "  CC    $<"
	@$(CC) $(PROJECT_CFLAGS) -MMD -MP -MF $(@:.o=.d) -c -o $@ $<

# A text file as C: const char embed_<name>[], terminated, and embed_<name>_len.
$(BUILD)/embed/%.c: %
	@mkdir -p $(@D)
	@sym=$$(basename $< | tr -c 'a-zA-Z0-9\n' '_'); { \
		echo "#include <stddef.h>"; \
		echo "extern const char embed_$$sym[]; extern const size_t embed_$${sym}_len;"; \
		echo "const char embed_$$sym[] = {"; \
		od -An -v -tx1 $< | sed 's/ *\([0-9a-f][0-9a-f]\)/0x\1,/g'; \
		echo "0};"; \
		echo "const size_t embed_$${sym}_len = sizeof(embed_$$sym) - 1;"; } > $@

$(BUILD)/embed/%.o: $(BUILD)/embed/%.c
	@$(CC) $(OPT) $(SAN) -c -o $@ $<

.PRECIOUS: $(BUILD)/embed/%.c $(BUILD)/%.o

## demo: install what is missing, build, open the simulated cluster
.PHONY: demo
demo:
	@.ci/install-deps build
	@[ -x build/hyperpod-perf ] || echo "hyperpod-perf: building, about a minute on two cores ..."
	@$(MAKE) --no-print-directory -s -j$(JOBS) all
	@if [ -t 0 ] && [ -t 1 ]; then exec build/hyperpod-perf --demo; \
	else build/hyperpod-perf snapshot --demo --text; rc=$$?; [ $$rc -le 1 ]; fi

# ---- tests ----

$(BUILD)/tests/unit/%: $(BUILD)/tests/unit/%.o $(TEST_LIB) $(LIB)
	@mkdir -p $(@D)
	@$(CC) $(ALL_LDFLAGS) -o $@ $< $(TEST_LIB) $(LIB) $(PKG_LIBS) -lcmocka -lm

## test: install what the tests need, build, run them all
.PHONY: test
test:
	@.ci/install-deps test
	@rm -rf build/test-results
	@$(MAKE) --no-print-directory -j$(JOBS) all unit-build
	@$(MAKE) --no-print-directory layer-check hdr-check unit
	@$(MAKE) --no-print-directory asan-unit
	@$(MAKE) --no-print-directory tsan-threads
	@$(MAKE) --no-print-directory e2e
	@$(MAKE) --no-print-directory test-summary

.PHONY: unit-build
unit-build: $(UNIT_BIN)

## unit: the unit tests and golden screens
.PHONY: unit
unit: unit-build
	@tests/run-unit $(UNIT_BIN)

## e2e: the interface in tmux, the probe under strace, the sshd cluster
.PHONY: e2e
E2E_TARGETS :=

## asan: unit tests with the address and undefined-behaviour sanitizers
.PHONY: asan asan-unit
asan asan-unit:
	@$(MAKE) --no-print-directory -j$(JOBS) FLAVOUR=asan OPT='-O1 -g' \
		SAN='-fsanitize=address,undefined -fno-sanitize-recover=all' unit

# The tests in which threads meet: make test runs these, make tsan all.
THREADED := test_collector test_section test_collect_once test_exec test_sweep
## tsan: unit tests with the thread sanitizer
.PHONY: tsan tsan-threads
tsan-threads:
	@$(MAKE) --no-print-directory -j$(JOBS) FLAVOUR=tsan OPT='-O1 -g' SAN='-fsanitize=thread' \
		UNIT_SRC='$(THREADED:%=tests/unit/%.c)' unit
tsan:
	@$(MAKE) --no-print-directory -j$(JOBS) FLAVOUR=tsan OPT='-O1 -g' SAN='-fsanitize=thread' unit

## coverage: line coverage of the unit tests, by file
.PHONY: coverage
coverage:
	@$(MAKE) --no-print-directory -j$(JOBS) FLAVOUR=coverage OPT='-O0 -g' SAN='--coverage' unit
	@cd build/coverage && find collectors rules tui -name '*.gcno' | sort | while read -r g; do \
		gcov -n -o "$$(dirname $$g)" "$$g" 2>/dev/null | \
		awk -v f="$${g%.gcno}.c" '$$1 == "File" {own = index($$2, f)} \
			own && /^Lines executed/ {split($$0, a, "[:%]"); printf "%6.1f %%  %s\n", a[2], f; own = 0}'; \
	done

# ---- checks ----

## layer-check: tui -> rules -> collectors, never back
.PHONY: layer-check
layer-check:
	@bad=0; \
	check() { if grep -nE "$$1" $$2; then echo "layer-check: $$3" >&2; bad=1; fi; }; \
	check '^#include "(rules|tui)/' "$(wildcard collectors/*.[ch])" "collectors/ must not include rules/ or tui/"; \
	check '^#include "tui/' "$(wildcard rules/*.[ch])" "rules/ must not include tui/"; \
	check '^#include <(n?curses|ncursesw/|term\.h)' "$(wildcard collectors/*.[ch] rules/*.[ch])" "curses belongs to tui/"; \
	check '^#include <(curl/|libssh2)' "$(wildcard rules/*.[ch] tui/*.[ch])" "curl and libssh2 belong to collectors/"; \
	check '^#include <(time|pthread|fcntl|unistd|sys/[a-z]*)\.h>' "$(wildcard rules/*.[ch])" "rules/ has no I/O, clock or thread"; \
	check 'clock_(mono|wall)_ms\(' "$(wildcard rules/*.c)" "rules/ has no clock"; \
	[ $$bad = 0 ] && echo "layer-check: clean"

## hdr-check: each header compiles alone
.PHONY: hdr-check
hdr-check: $(HDR:%.h=$(BUILD)/%.hco)
	@echo "hdr-check: $(words $(HDR)) headers compile alone"

$(BUILD)/%.hco: %.h $(BUILD)/flags
	@mkdir -p $(@D)
	@printf '#include "%s"\nextern int hdr_check;\n' $< | $(CC) $(ALL_CFLAGS) -Wno-unused-function -fsyntax-only -x c -
	@touch $@

FORMATTED := $(COLLECTORS) $(RULES) $(TUI) tui/main.c $(filter-out collectors/reading.h,$(HDR)) $(TESTSRC) $(TESTHDR)
## format, format-check: by .clang-format
.PHONY: format format-check
format:
	@clang-format -i $(FORMATTED)
format-check:
	@clang-format --dry-run -Werror $(FORMATTED) && echo "format-check: clean"

## tidy: clang-tidy over the program
.PHONY: tidy
tidy:
	@clang-tidy --quiet $(COLLECTORS) $(RULES) $(TUI) tui/main.c -- $(PROJECT_CFLAGS)

## install: the program into $(PREFIX)/bin
.PHONY: install
install: all
	install -d $(DESTDIR)$(PREFIX)/bin
	install -m 755 build/hyperpod-perf $(DESTDIR)$(PREFIX)/bin/hyperpod-perf

## clean: remove build/
.PHONY: clean
clean:
	rm -rf build

## help: this list
.PHONY: help
help:
	@sed -n 's/^## /  make /p' $(MAKEFILE_LIST)

# Further targets: cluster-test, e2e-*, fuzz, bench, screenshots. Those named in
# E2E_TARGETS are part of make test.
include $(wildcard tests/*/*.mk)

e2e: all
	@mkdir -p build/test-results
	@for t in $(E2E_TARGETS); do \
		echo "$$t:"; $(MAKE) --no-print-directory $$t || exit 1; \
		echo 1 >build/test-results/e2e-$$t.passed; done

.PHONY: test-summary
test-summary:
	@tests/run-unit --summary

-include $(LIB_OBJ:.o=.d) $(BUILD)/tui/main.d $(UNIT_BIN:=.d) $(TEST_LIB:.o=.d)
