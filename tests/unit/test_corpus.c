#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tests/lib/corpus.h"

/* Returns how many values of the sample differ, and prints them. */
static int compare(const cJSON *sample, int *values)
{
	struct corpus_entry e;
	const cJSON *value;
	int failed = 0;

	corpus_open(&e, sample);
	cJSON_ArrayForEach(value, cJSON_GetObjectItem(sample, "values"))
	{
		(*values)++;
		if (corpus_check(&e, value->string, value) == CORPUS_SAME)
			continue;
		failed++;
		printf("%s: %s: %s\n", e.file, value->string, e.why);
	}
	corpus_close(&e);
	return failed;
}

static void every_sample_reads_as_expected(void **state)
{
	cJSON *samples = corpus_load();
	const cJSON *sample;
	int values = 0;
	int failed = 0;

	(void)state;
	if (!samples) {
		printf("SKIP: no samples in " CORPUS_DIR "\n");
		skip();
	}
	cJSON_ArrayForEach(sample, samples) failed += compare(sample, &values);
	printf("%d values of %d samples compared, %d differ\n", values, cJSON_GetArraySize(samples),
		failed);
	assert_true(values > 300);
	assert_int_equal(failed, 0);
	cJSON_Delete(samples);
}

/* A comparison that finds nothing wrong must have been able to. */
static void a_wrong_expectation_is_found(void **state)
{
	struct corpus_entry e = {.file = "own", .command = "nvidia-smi-query"};
	struct section_meta meta = SECTION_META_INIT;
	static const char *const wrong[] = {"{\"gpus\": 2}", "{\"gpus\": null}",
		"{\"idx0\": {\"temp_c\": 29}}", "{\"idx1\": {}}", "{\"bus\": [\"54\"]}",
		"{\"temp_c\": [28, 28]}", "{\"driver\": \"1\"}", "{\"idx0\": {\"name\": \"A\"}}",
		"{\"unheard_of\": 1}"};
	cJSON *object;

	(void)state;
	e.parsed[SECTION_GPU] = section_parse(SECTION_GPU,
		span_of("index, name, pci.bus_id, temperature.gpu\n0, B, 0:53:0, 28\n"), meta);
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		object = cJSON_Parse(wrong[i]);
		assert_int_not_equal(
			corpus_check(&e, object->child->string, object->child), CORPUS_SAME);
		cJSON_Delete(object);
	}
	object = cJSON_Parse("{\"idx0\": {\"temp_c\": 28, \"name\": \"B\", \"util_pct\": null}}");
	assert_int_equal(corpus_check(&e, "idx0", object->child), CORPUS_SAME);
	cJSON_Delete(object);
	corpus_close(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_sample_reads_as_expected),
		cmocka_unit_test(a_wrong_expectation_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
