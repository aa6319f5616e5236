#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <cjson/cJSON.h>
#include <string.h>

#include "collectors/json.h"
#include "tests/lib/report_fixture.h"
#include "tests/lib/snap.h"

static cJSON *render(const struct report *r)
{
	struct buf b = BUF_INIT(8 << 20);
	struct err e = ERR_INIT;

	assert_int_equal(report_json(&b, r), ERR_OK);
	cJSON *root = json_parse("report", buf_str(&b), b.len, &e);

	if (!root)
		fail_msg("%s", e.msg);
	buf_release(&b);
	return root;
}

/* "nodes.0.placement.az": names and indices; fails when it is not there. */
static const cJSON *at(const cJSON *root, const char *path)
{
	const cJSON *v = root;

	while (*path) {
		char name[64];
		size_t n = strcspn(path, ".");

		assert_true(n < sizeof(name));
		memcpy(name, path, n);
		name[n] = '\0';
		v = cJSON_IsArray(v) ? cJSON_GetArrayItem(v, name[0] - '0')
				     : cJSON_GetObjectItemCaseSensitive(v, name);
		if (!v)
			fail_msg("no %s", name);
		path += n + (path[n] == '.');
	}
	return v;
}

static void is_text(const cJSON *root, const char *path, const char *want)
{
	const cJSON *v = at(root, path);

	assert_true(cJSON_IsString(v));
	assert_string_equal(v->valuestring, want);
}

static void is_number(const cJSON *root, const char *path, double want)
{
	const cJSON *v = at(root, path);

	assert_true(cJSON_IsNumber(v));
	assert_true(v->valuedouble == want);
}

static void test_shape(void **state)
{
	struct report *r = report_fixture_new();
	cJSON *root = render(r);

	(void)state;
	is_text(root, "schema", "hyperpod-perf/snapshot/1");
	is_text(root, "taken_at", "2025-12-01T04:40:00Z");
	is_number(root, "coverage.reached", 3);
	is_number(root, "coverage.total", 5);
	assert_int_equal(cJSON_GetArraySize(at(root, "nodes")), 5);
	is_text(root, "nodes.0.id", "node01");
	is_text(root, "nodes.0.group", "workers");
	is_text(root, "nodes.0.instance_type", "p5.48xlarge");
	is_text(root, "nodes.0.placement.az", "usw2-az1");
	assert_true(cJSON_IsNull(at(root, "nodes.0.placement.ultraserver")));
	is_text(root, "nodes.0.status", "ok");
	is_number(root, "nodes.0.age_ms", 0);
	is_text(root, "nodes.3.status", "stale");
	is_text(root, "nodes.4.status", "unreachable");
	assert_true(cJSON_IsNull(at(root, "nodes.4.age_ms")));
	is_text(root, "nodes.4.errors.0.why", "no connection within 10 s (is the node up?)");
	assert_true(cJSON_IsArray(at(root, "filesystems")));
	assert_true(cJSON_IsObject(at(root, "coverage_features")));
	cJSON_Delete(root);
	report_fixture_free(r);
}

static void test_findings(void **state)
{
	struct report *r = report_fixture_new();
	cJSON *root = render(r);

	(void)state;
	assert_int_equal(cJSON_GetArraySize(at(root, "findings")), (int)r->judgement->n);
	is_text(root, "findings.2.id", "0123456789abcdef");
	is_text(root, "findings.2.rule", "test_gpu_temp");
	is_text(root, "findings.2.severity", "concern");
	is_text(root, "findings.2.scope", "node");
	is_text(root, "findings.2.evidence.signal", "gpu.temp_c");
	is_number(root, "findings.2.evidence.value", 91);
	is_number(root, "findings.2.evidence.threshold", 88);
	is_text(root, "findings.2.evidence.unit", "C");
	is_number(root, "findings.2.evidence.age_ms", 2000);
	is_text(root, "findings.2.route.owner", "hyperpod-node-debugger");
	is_text(root, "findings.2.route.section", "\xc2\xa7 G GPU / Accelerator");
	assert_int_equal(cJSON_GetArraySize(at(root, "findings.2.commands")), 1);
	is_text(root, "findings.2.section", "");
	is_text(root, "findings.0.section", "A");
	cJSON_Delete(root);
	report_fixture_free(r);
}

/* A table named like its section is the array; the values move aside. */
static void test_readings(void **state)
{
	struct report *r = report_fixture_clean();
	struct snapshot *snap = (struct snapshot *)r->snap;

	(void)state;
	snap_section_all(snap, SECTION_MOUNTS, "h:/x /fsx lustre rw,flock 0 0\n");
	snap_section_all(snap, SECTION_GPU, "");
	snap_section_all(snap, SECTION_XID, "");
	snap_section_all(snap, SECTION_NVLINK, "");
	snap_section_all(snap, SECTION_EFA, "");
	snap_section_all(snap, SECTION_HOST, "");
	cJSON *root = render(r);

	assert_true(cJSON_IsArray(at(root, "nodes.0.readings.gpu")));
	assert_true(cJSON_IsObject(at(root, "nodes.0.readings.gpu_info")));
	assert_true(cJSON_IsArray(at(root, "nodes.0.readings.xid")));
	assert_true(cJSON_IsArray(at(root, "nodes.0.readings.xid_info.sxid")));
	assert_true(cJSON_IsArray(at(root, "nodes.0.readings.mounts")));
	assert_true(cJSON_IsObject(at(root, "nodes.0.readings.nvlink")));
	assert_true(cJSON_IsObject(at(root, "nodes.0.readings.efa")));
	assert_true(cJSON_IsObject(at(root, "nodes.0.readings.host")));
	is_text(root, "nodes.0.readings.mounts.0.mount", "/fsx");
	cJSON_Delete(root);
	report_fixture_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shape),
		cmocka_unit_test(test_findings),
		cmocka_unit_test(test_readings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
