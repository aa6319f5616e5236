# hyperpod-perf: one Makefile, everything it makes goes under build/.
#
#   make demo    install what is missing (after saying what), build, open the demo
#   make test    install what the tests need, build, run them all
#   make help    the other targets

CC      ?= cc
FLAVOUR ?= release
BUILD   ?= build/$(FLAVOUR)
PREFIX  ?= /usr/local
# Set by CI and by developers; packagers may leave it empty.
WERROR  ?= $(if $(CI),-Werror)
JOBS    ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

VERSION := 0.1.0
PKGS    := ncursesw libssh2 libcurl libcjson
PKG_CFLAGS = $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
PKG_LIBS   = $(shell pkg-config --libs $(PKGS) 2>/dev/null)

OPT   ?= -O2 -g
WARN  := -Wall -Wextra -Wpedantic -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes \
         -Wold-style-definition -Wformat=2 -Wwrite-strings -fno-common
HARDEN ?= -fstack-protector-strong
# ncursesw's own flags already ask for the XSI and wide-character interfaces.
ALL_CFLAGS = -std=c11 $(PKG_CFLAGS) -D_POSIX_C_SOURCE=200809L $(OPT) $(WARN) $(WERROR) $(HARDEN) $(CFLAGS) $(SAN) \
             -I. -I$(BUILD) -pthread -DHP_VERSION='"$(VERSION)"'
PROJECT_CFLAGS = $(ALL_CFLAGS) -include collectors/banned.h
ALL_LDFLAGS = $(LDFLAGS) $(SAN) -pthread

COLLECTORS := $(wildcard collectors/*.c)
RULES      := $(wildcard rules/*.c)
TUI        := $(filter-out tui/main.c,$(wildcard tui/*.c))
HDR        := $(wildcard collectors/*.h rules/*.h tui/*.h)
EMBEDDED   := collectors/probe.sh $(wildcard rules/*.json) $(wildcard collectors/scenarios/*.json)

obj = $(patsubst %.c,$(BUILD)/%.o,$(1))
LIB_OBJ  := $(call obj,$(COLLECTORS) $(RULES) $(TUI))
EMB_OBJ  := $(patsubst %,$(BUILD)/embed/%.o,$(EMBEDDED))
LIB      := $(BUILD)/libhyperpod.a
UNIT_SRC := $(wildcard tests/unit/test_*.c)
UNIT_BIN := $(patsubst tests/unit/%.c,$(BUILD)/tests/unit/%,$(UNIT_SRC))
TEST_LIB := $(call obj,$(wildcard tests/lib/*.c))

.PHONY: all
all: build/hyperpod-perf

build/hyperpod-perf: $(BUILD)/hyperpod-perf
	@cp -f $< $@

$(BUILD)/hyperpod-perf: $(BUILD)/tui/main.o $(LIB)
	$(CC) $(ALL_LDFLAGS) -o $@ $(BUILD)/tui/main.o $(LIB) $(PKG_LIBS) -lm

$(LIB): $(LIB_OBJ) $(EMB_OBJ)
	@rm -f $@
	@ar rcs $@ $^

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(PROJECT_CFLAGS) -MMD -MP -MF $(@:.o=.d) -c -o $@ $<

# A text file as C: const char embed_<name>[], terminated, and embed_<name>_len.
$(BUILD)/embed/%.c: %
	@mkdir -p $(@D)
	@sym=$$(basename $< | tr -c 'a-zA-Z0-9\n' '_'); { \
		echo "#include <stddef.h>"; \
		echo "extern const char embed_$$sym[]; extern const size_t embed_$${sym}_len;"; \
		echo "const char embed_$$sym[] = {"; \
		od -An -v -tx1 $< | sed 's/ \([0-9a-f][0-9a-f]\)/0x\1,/g'; \
		echo "0};"; \
		echo "const size_t embed_$${sym}_len = sizeof(embed_$$sym) - 1;"; } > $@

$(BUILD)/embed/%.o: $(BUILD)/embed/%.c
	@$(CC) $(OPT) $(SAN) -c -o $@ $<

.PRECIOUS: $(BUILD)/embed/%.c

# ---- tests ----

$(BUILD)/tests/unit/%: $(BUILD)/tests/unit/%.o $(TEST_LIB) $(LIB)
	$(CC) $(ALL_LDFLAGS) -o $@ $< $(TEST_LIB) $(LIB) $(PKG_LIBS) -lcmocka -lm

.PHONY: unit
unit: $(UNIT_BIN)
	@for t in $(UNIT_BIN); do $$t || exit 1; done

include $(wildcard tests/*/*.mk)

.PHONY: clean
clean:
	rm -rf build

-include $(LIB_OBJ:.o=.d) $(BUILD)/tui/main.d $(UNIT_BIN:=.d) $(TEST_LIB:.o=.d)
