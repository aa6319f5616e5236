$(BUILD)/tests/bench/%: $(BUILD)/tests/bench/%.o $(LIB)
	@mkdir -p $(@D)
	@$(CC) $(ALL_LDFLAGS) -o $@ $< $(LIB) $(PKG_LIBS) -lm

## bench: this program beside its peers, in one run; figures, never a verdict
.PHONY: bench bench-run
bench:
	@.ci/install-deps bench
	@$(MAKE) --no-print-directory -s -j$(JOBS) bench-run

bench-run: all $(BUILD)/tests/bench/repeat
	@python3 tests/bench/fanout.py build/hyperpod-perf $(BUILD)/tests/bench/repeat
	@python3 tests/bench/interface.py build/hyperpod-perf --no-pairs
