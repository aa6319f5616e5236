#include "collectors/neuron_table.h"

#include <string.h>

#define COLUMNS_MAX 16

/* A heading stands in two lines, "NEURON" above "DEVICE". */
static const struct {
	const char *top;
	const char *bottom;
	const char *field;
} headings[] = {
	{"NEURON", "DEVICE", "index"},
	{"NEURON", "CORES", "cores"},
	{"NEURON", "MEMORY", "mem_gb"},
	{"CONNECTED", "DEVICES", "connected"},
	{"PCI", "BDF", "bdf"},
	{"NUMA", "NODE", "numa"},
	{"PID", "", "pids"},
};

struct parse {
	struct section *s;
	struct neuron_reading *r;
	struct span top[COLUMNS_MAX];
	size_t ntop;
	const char *column[COLUMNS_MAX]; /* field, NULL for those that are not read */
	size_t ncolumns;
	size_t rulers;
	bool closed; /* a ruler ended the rows */
};

static size_t split(struct span line, struct span *cells)
{
	struct span cell;
	size_t n = 0;

	line = (struct span){line.p + 1, line.n - 1};
	if (line.n && line.p[line.n - 1] == '|')
		line.n--;
	while (n < COLUMNS_MAX && span_field(&line, '|', &cell))
		cells[n++] = span_trim(cell);
	return n;
}

static void heading_line(struct parse *p, const struct span *cells, size_t n)
{
	if (p->ntop == 0) {
		memcpy(p->top, cells, n * sizeof(*cells));
		p->ntop = n;
		return;
	}
	p->ncolumns = n < p->ntop ? n : p->ntop;
	for (size_t i = 0; i < p->ncolumns; i++)
		for (size_t j = 0; j < ARRAY_LEN(headings); j++)
			if (span_eq(p->top[i], headings[j].top) &&
				span_eq(cells[i], headings[j].bottom))
				p->column[i] = headings[j].field;
}

/* "12, 3, 4, 1" as "12,3,4,1" */
static struct opt_str without_blanks(struct section *s, struct span cell)
{
	char list[256];
	size_t n = 0;

	for (size_t i = 0; i < cell.n && n < sizeof(list); i++)
		if (cell.p[i] != ' ')
			list[n++] = cell.p[i];
	return section_str(s, (struct span){list, n});
}

static void set_cell(struct parse *p, struct neuron_row *row, const char *field, struct span cell)
{
	struct span rest;
	uint64_t v;
	int64_t i;

	if (cell.n == 0)
		return;
	if (strcmp(field, "connected") == 0)
		row->connected = without_blanks(p->s, cell);
	else if (strcmp(field, "bdf") == 0)
		row->bdf = section_str(p->s, cell);
	else if (strcmp(field, "pids") == 0)
		row->pids = section_str(p->s, cell);
	else if (strcmp(field, "numa") == 0 && span_i64(cell, &i))
		row->numa = opt_i64(i);
	else if (strcmp(field, "cores") == 0 && span_u64(cell, &v))
		row->cores = opt_u64(v);
	else if (strcmp(field, "mem_gb") == 0 && span_lead_u64(cell, &v, &rest) &&
		 span_eq(span_trim(rest), "GB"))
		row->mem_gb = opt_u64(v);
	else if (strcmp(field, "index") != 0)
		section_unread(p->s, field, "\"%.*s\"", (int)(cell.n < 60 ? cell.n : 60), cell.p);
}

/* A device with several processes goes on in rows whose first cell is empty. */
static void more_pids(struct parse *p, const struct span *cells, size_t n)
{
	struct neuron_row *row = p->r->device_n ? &p->r->device[p->r->device_n - 1] : NULL;

	for (size_t i = 0; row && i < n && i < p->ncolumns; i++)
		if (p->column[i] && strcmp(p->column[i], "pids") == 0 && cells[i].n)
			row->pids = section_strf(p->s, "%s%s%.*s",
				opt_has(row->pids) ? row->pids.v : "",
				opt_has(row->pids) ? "," : "",
				(int)(cells[i].n < 20 ? cells[i].n : 20), cells[i].p);
}

static void row_line(struct parse *p, const struct span *cells, size_t n)
{
	struct neuron_row *row;
	uint64_t index;

	if (n && cells[0].n == 0) {
		more_pids(p, cells, n);
		return;
	}
	if (n != p->ncolumns || !span_u64(cells[0], &index)) {
		section_unread(p->s, "row", "%zu cells for %zu columns", n, p->ncolumns);
		return;
	}
	row = SECTION_ROW(p->s, p->r, device);
	if (!row)
		return;
	row->index = opt_u64(index);
	for (size_t i = 0; i < n; i++)
		if (p->column[i])
			set_cell(p, row, p->column[i], cells[i]);
	p->closed = false;
}

static void table_line(struct parse *p, struct span line)
{
	struct span cells[COLUMNS_MAX];
	size_t n;

	if (line.p[0] == '+') {
		p->rulers++;
		p->closed = p->r->device_n > 0;
		return;
	}
	n = split(line, cells);
	if (p->rulers < 2)
		heading_line(p, cells, n);
	else
		row_line(p, cells, n);
}

/* "instance-type: trn1.32xlarge" */
static void property_line(struct parse *p, struct span line)
{
	struct span key;
	uint64_t v;

	if (!span_field(&line, ':', &key) || !line.p)
		return;
	if (span_eq(key, "instance-type"))
		p->r->type = section_str(p->s, line);
	else if (span_eq(key, "instance-id"))
		p->r->instance_id = section_str(p->s, line);
	else if (span_eq(key, "logical-neuroncore-config") && span_u64(line, &v))
		p->r->lnc = opt_u64(v);
}

static bool has_device(const struct neuron_reading *r, uint64_t index)
{
	for (size_t i = 0; i < r->device_n; i++)
		if (r->device[i].index.v == index)
			return true;
	return false;
}

/*
 * Without a closing ruler the table may have gone on. It is whole after all when
 * every device that a row names as its neighbour is there.
 */
static bool neighbours_are_there(const struct neuron_reading *r)
{
	bool any = false;

	for (size_t i = 0; i < r->device_n; i++) {
		struct span rest = SPAN_INIT;
		struct span one;
		uint64_t index;

		if (opt_has(r->device[i].connected))
			rest = span_of(r->device[i].connected.v);
		while (span_field(&rest, ',', &one)) {
			if (!span_u64(one, &index))
				continue;
			any = true;
			if (!has_device(r, index))
				return false;
		}
	}
	return any;
}

void neuron_table_read(struct section *s, struct span text, bool cut)
{
	struct parse p = {.s = s, .r = s->mutable_reading};
	struct span line;

	while (span_line(&text, &line)) {
		line = span_trim(line);
		if (line.n && (line.p[0] == '|' || line.p[0] == '+'))
			table_line(&p, line);
		else
			property_line(&p, line);
	}
	if (p.rulers == 0)
		return;
	bool whole = p.closed || (!cut && neighbours_are_there(p.r));

	/* More rows of the last device's processes may have followed. */
	if (!whole && cut && p.r->device_n)
		p.r->device[p.r->device_n - 1].pids.state = OPT_UNKNOWN;

	p.r->complete = opt_bool(whole);
	if (whole)
		p.r->devices = opt_u64(p.r->device_n);
	else
		section_unread(s, "devices", "the table ends after %zu rows", p.r->device_n);
}
