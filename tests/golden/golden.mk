# Writes the golden screens anew; look at the difference before it is committed.
.PHONY: golden-update
golden-update: $(BUILD)/tests/unit/test_golden
	GOLDEN_UPDATE=1 $(BUILD)/tests/unit/test_golden
	@git diff --stat -- tests/golden 2>/dev/null || true
