# The probe in three shells, then under strace.
E2E_TARGETS += e2e-probe

.PHONY: e2e-probe
e2e-probe:
	@python3 tests/e2e/probe_sections.py
	@python3 tests/e2e/probe_strace.py
