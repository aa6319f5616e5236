## screenshots: the demo's screens as PNG, in screenshots/
.PHONY: screenshots
screenshots:
	@.ci/install-deps screenshots
	@$(MAKE) --no-print-directory -s -j$(JOBS) all
	@tests/screenshots/shoot.sh build/hyperpod-perf screenshots
