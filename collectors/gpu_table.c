#include "collectors/gpu_table.h"

#include <string.h>

#include "collectors/nvsmi.h"

#define CELLS 3

/* Splits "| a | b | c |"; false when it has another number of cells. */
static bool split(struct span line, struct span cells[CELLS])
{
	struct span cell;
	size_t n = 0;

	line = (struct span){line.p + 1, line.n - 1};
	if (line.n && line.p[line.n - 1] == '|')
		line.n--;
	while (span_field(&line, '|', &cell)) {
		if (n < CELLS)
			cells[n] = span_trim(cell);
		n++;
	}
	return n == CELLS;
}

static void set(struct section *s, struct gpu_row *row, const char *name, struct span cell)
{
	const struct table *t = &section_desc(SECTION_GPU)->schema.tables[0];

	nvsmi_set(s, schema_field(t->fields, t->nfields, name), row, cell);
}

/* "4  NVIDIA A100-SXM...  On": the name may hold blanks, persistence is the last word. */
static void read_name(struct section *s, struct gpu_row *row, struct span words)
{
	size_t n = words.n;

	while (n && words.p[n - 1] != ' ')
		n--;
	struct span persistence = {words.p + n, words.n - n};
	struct span name = span_trim((struct span){words.p, n});

	if (name.n)
		set(s, row, "name", name);
	if (span_eq(persistence, "On"))
		row->persistence = section_str(s, span_of("Enabled"));
	else if (span_eq(persistence, "Off"))
		row->persistence = section_str(s, span_of("Disabled"));
}

static bool first_line(struct gpu_table *t, struct section *s, const struct span cells[CELLS])
{
	struct gpu_reading *r = s->mutable_reading;
	struct span rest = cells[0];
	struct span bus_cell = cells[1];
	struct span word;
	struct span bus;
	uint64_t index;

	if (!span_word(&rest, &word) || !span_u64(word, &index) || !span_word(&bus_cell, &bus) ||
		span_find(bus, ":") < 0)
		return false;
	t->row = SECTION_ROW(s, r, gpu);
	if (!t->row)
		return true;
	t->row->index = opt_u64(index);
	t->row->bus = section_str(s, bus);
	read_name(s, t->row, span_trim(rest));
	/* "Off" stands for ECC that is switched off. */
	if (!span_eq(cells[2], "Off"))
		set(s, t->row, "ecc_unc_vol", cells[2]);
	return true;
}

/* "N/A   34C    P0    60W / 400W", "0MiB / 81920MiB", "0%      Default" */
static void second_line(struct gpu_table *t, struct section *s, const struct span cells[CELLS])
{
	static const char *const fields[] = {
		NULL, "temp_c", "pstate", "power_w", NULL, "power_limit_w"};
	struct span rest = cells[0];
	struct span word;

	for (size_t i = 0; i < ARRAY_LEN(fields) && span_word(&rest, &word); i++)
		if (fields[i])
			set(s, t->row, fields[i], word);
	rest = cells[1];
	if (span_field(&rest, '/', &word))
		set(s, t->row, "mem_used_mib", word);
	if (span_field(&rest, '/', &word))
		set(s, t->row, "mem_total_mib", word);
	rest = cells[2];
	if (span_word(&rest, &word))
		set(s, t->row, "util_pct", word);
	t->row->health = section_str(s, span_of("ok"));
	if (t->row->temp_c.state == OPT_ERROR || t->row->util_pct.state == OPT_ERROR) {
		t->row->health = section_str(s, span_of("error"));
		section_unread(s, "GPU", "GPU %llu at %s prints ERR! for its values",
			(unsigned long long)t->row->index.v,
			opt_has(t->row->bus) ? t->row->bus.v : "?");
	}
	t->row = NULL;
}

/* "| NVIDIA-SMI 535.104.05  Driver Version: 535.104.05  CUDA Version: 12.2 |" */
static void head_line(struct gpu_table *t, struct section *s, struct span line)
{
	static const char *const labels[] = {"Driver Version:", "KMD Version:"};
	struct gpu_reading *r = s->mutable_reading;
	struct span word;

	t->whole = true;
	for (size_t i = 0; i < ARRAY_LEN(labels); i++) {
		ptrdiff_t at = span_find(line, labels[i]);

		if (at < 0)
			continue;
		size_t skip = (size_t)at + strlen(labels[i]);
		struct span rest = {line.p + skip, line.n - skip};

		if (span_word(&rest, &word))
			r->driver = section_str(s, word);
	}
}

bool gpu_table_line(struct gpu_table *t, struct section *s, struct span line)
{
	struct span cells[CELLS];

	line = span_trim(line);
	if (line.n == 0 || (line.p[0] != '|' && line.p[0] != '+'))
		return false;
	if (span_find(line, "NVIDIA-SMI ") >= 0)
		head_line(t, s, line);
	else if (line.p[0] == '+')
		t->row = NULL;
	else if (split(line, cells) && !first_line(t, s, cells) && t->row)
		second_line(t, s, cells);
	return true;
}
