# Fuzzing of the parsers with libFuzzer (clang only).
#
#   make fuzz FUZZ_SECONDS=60     each section in turn, on what was found before
#   make fuzz-smoke               the seeds and a short run of each; part of `make test`
#
# FUZZ_SECTIONS chooses sections. New inputs are kept in build/fuzz/corpus, crashes in
# build/fuzz/crashes.

FUZZ_SECONDS  ?= 60
FUZZ_SMOKE    ?= 1
FUZZ_SECTIONS ?= cpu host efa_counters efa governor mounts shm client_io fabricmanager stack xid gpu \
                 nvlink gpu_topo neuron ras capacity lustre_df
FUZZ_BIN := build/fuzz/tests/fuzz/fuzz_parse
# The reader of benchmark output, which is no section.
FUZZ_BW  := build/fuzz/tests/fuzz/fuzz_bw

.PHONY: fuzz fuzz-smoke fuzz-bin
## fuzz: every parser under libFuzzer, FUZZ_SECONDS each
fuzz: fuzz-bin
	@tests/fuzz/run $(FUZZ_BIN) $(FUZZ_SECONDS) $(FUZZ_SECTIONS)
	@tests/fuzz/run $(FUZZ_BW) $(FUZZ_SECONDS) bandwidth

## fuzz-smoke: the same, FUZZ_SMOKE seconds each; skipped without clang's fuzzer
fuzz-smoke:
	@if echo 'int LLVMFuzzerTestOneInput(void); int LLVMFuzzerTestOneInput(void) { return 0; }' | \
		clang -fsanitize=fuzzer,address -x c - -o /dev/null 2>/dev/null; then \
		$(MAKE) --no-print-directory -s fuzz FUZZ_SECONDS=$(FUZZ_SMOKE); \
	else echo "SKIP fuzz-smoke: clang with libFuzzer is not on this machine"; fi

fuzz-bin:
	@$(MAKE) --no-print-directory -s -j$(JOBS) CC=clang FLAVOUR=fuzz OPT='-O1 -g' HARDEN= \
		SAN='-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all' \
		$(FUZZ_BIN) $(FUZZ_BW)

# Parsers need nothing of rules/ and tui/: half of the build is left out.
$(BUILD)/tests/fuzz/fuzz_parse $(BUILD)/tests/fuzz/fuzz_bw: %: %.o $(call obj,$(COLLECTORS)) $(EMB_OBJ)
	@mkdir -p $(@D)
	@$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(PKG_LIBS) -lm

E2E_TARGETS += fuzz-smoke
