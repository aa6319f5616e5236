$(BUILD)/tests/cluster/simraw: $(BUILD)/tests/cluster/simraw.o $(LIB)
	@mkdir -p $(@D)
	@$(CC) $(ALL_LDFLAGS) -o $@ $< $(LIB) $(PKG_LIBS) -lm

## cluster-test: the program against real sshds in namespaces of their own
.PHONY: cluster-test
cluster-test: all $(BUILD)/tests/cluster/simraw
	@python3 tests/cluster/run.py --program build/hyperpod-perf --simraw $(BUILD)/tests/cluster/simraw

E2E_TARGETS += cluster-test
