## bench: this program beside its peers, in one run; figures, never a verdict
.PHONY: bench
bench:
	@.ci/install-deps bench
	@$(MAKE) --no-print-directory -s -j$(JOBS) all
	@python3 tests/bench/fanout.py build/hyperpod-perf
