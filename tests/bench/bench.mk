$(BUILD)/tests/bench/%: $(BUILD)/tests/bench/%.o $(LIB)
	@mkdir -p $(@D)
	@$(CC) $(ALL_LDFLAGS) -o $@ $< $(LIB) $(PKG_LIBS) -lm

## bench: this program beside its peers, in one run; figures, never a verdict
.PHONY: bench bench-run
bench:
	@.ci/install-deps bench
	@$(MAKE) --no-print-directory -s -j$(JOBS) bench-run

# Screens are drawn from the tests' own fixtures.
$(BUILD)/tests/bench/frame: $(BUILD)/tests/bench/frame.o $(TEST_LIB) $(LIB)
	@mkdir -p $(@D)
	@$(CC) $(ALL_LDFLAGS) -o $@ $< $(TEST_LIB) $(LIB) $(PKG_LIBS) -lcmocka -lm

bench-run: all $(BUILD)/tests/bench/repeat $(BUILD)/tests/bench/frame bench-attribution bench-parse
	@python3 tests/bench/fanout.py build/hyperpod-perf $(BUILD)/tests/bench/repeat
	@$(BUILD)/tests/bench/frame
	@python3 tests/bench/interface.py build/hyperpod-perf

## bench-parse: reading benchmark output, beside wc -l and awk
.PHONY: bench-parse
bench-parse: $(BUILD)/tests/bench/parse_speed
	@python3 tests/bench/parse_speed.py $<

## bench-attribution: simulated sweeps with known faults, scored; SEEDS=1,2,3 chooses them
.PHONY: bench-attribution attribution-quick
bench-attribution: $(BUILD)/tests/bench/attribution
	@python3 tests/bench/attribution.py $< $(if $(SEEDS),--seeds $(SEEDS))

# A few fixed sweeps, with thresholds.
attribution-quick: $(BUILD)/tests/bench/attribution
	@python3 tests/bench/attribution.py $< --quick

E2E_TARGETS += attribution-quick
