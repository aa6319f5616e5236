/*
 * libFuzzer target for every section's parser. The section is in the name of the
 * program, behind "fuzz_parse-": fuzz.mk makes one name for each.
 *
 * The first byte of an input chooses what the frame told (exit status, cut); the
 * rest is the section's text. What was read is then written as JSON, so that
 * each value is looked at.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/json.h"
#include "collectors/section.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum section_id section = SECTION_COUNT;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const char mark[] = "fuzz_parse-";
	const char *name = *argc > 0 ? strstr((*argv)[0], mark) : NULL;

	if (name)
		section = section_by_name(span_of(name + sizeof(mark) - 1));
	if (section == SECTION_COUNT) {
		fprintf(stderr, "fuzz_parse: run it as fuzz_parse-SECTION\n");
		exit(2);
	}
	return 0;
}

static void check(const struct section *s)
{
	cJSON *values = json_of_reading(s, 0);
	cJSON *unread = json_of_unread(s);
	char *text = cJSON_PrintUnformatted(values);

	if (!values || !unread || !text)
		abort();
	free(text);
	cJSON_Delete(unread);
	cJSON_Delete(values);
	/* A gap that is noted is never a section in order. */
	if (s->unread_n && s->status == SECTION_OK)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int exits[] = {-1, 0, 1, 124, 127};
	struct section_meta meta = SECTION_META_INIT;

	if (size == 0)
		return 0;
	meta.exit_code = exits[data[0] % ARRAY_LEN(exits)];
	meta.cut = data[0] & 0x80;
	/* An exact copy, so that a read past the end is seen. */
	size_t n = size - 1;
	char *text = malloc(n ? n : 1);

	if (!text)
		return 0;
	memcpy(text, data + 1, n);
	struct section *s = section_parse(section, (struct span){text, n}, meta);

	check(s);
	section_unref(s);
	free(text);
	return 0;
}
