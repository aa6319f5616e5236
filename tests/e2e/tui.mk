# The interface, driven in tmux by keys.
E2E_TUI := $(wildcard tests/e2e/tui_[!l]*.sh)

E2E_TARGETS += e2e-tui
.PHONY: e2e-tui
e2e-tui: build/hyperpod-perf
	@rc=0; for t in $(E2E_TUI); do bash $$t || rc=1; done; exit $$rc
