# The commands as a shell sees them: output, messages, exit statuses.
E2E_TARGETS += e2e-cli
.PHONY: e2e-cli
e2e-cli: all
	@for t in tests/e2e/cli_*.sh; do sh $$t build/hyperpod-perf || exit 1; done
	@python3 tests/e2e/cli_pairs.py build/hyperpod-perf
