# Plans of sweeps: their scripts against stand-ins, then on a Slurm of its own.
E2E_TARGETS += e2e-plan

.PHONY: e2e-plan
e2e-plan: all
	@bash tests/e2e/plan_scripts.sh build/hyperpod-perf
	@bash tests/e2e/plan_slurm.sh build/hyperpod-perf
