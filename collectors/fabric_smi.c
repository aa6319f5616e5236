#include "collectors/fabric_smi.h"

#include <string.h>

#include "collectors/csv.h"
#include "collectors/nvsmi.h"

/* One value in the three spellings; NULL where a form does not have it. */
static const struct leaf {
	const char *field;
	const char *text;
	const char *parent; /* XML element around it */
	const char *xml;
	const char *csv;
} leaves[] = {
	{"index", NULL, NULL, NULL, "index"},
	{"gpu", NULL, NULL, NULL, "pci.bus_id"},
	{"state", "State", "fabric", "state", "fabric.state"},
	{"status", "Status", "fabric", "status", "fabric.status"},
	{"clique", "CliqueId", "fabric", "cliqueId", "fabric.cliqueId"},
	{"cluster_uuid", "ClusterUUID", "fabric", "clusterUuid", "fabric.clusterUuid"},
	{"summary", "Summary", "health", "summary", "fabric.health.summary"},
	{"bandwidth", "Bandwidth", "health", "bandwidth", "fabric.health.bandwidth"},
	{"route_unhealthy", "Route Unhealthy", "health", "route_unhealthy",
		"fabric.health.route_unhealthy"},
	{"mem_used_mib", NULL, "fb_memory_usage", "used", NULL},
	{"util_pct", NULL, "utilization", "gpu_util", NULL},
	{"temp_c", NULL, "temperature", "gpu_temp", NULL},
};

struct parse {
	struct section *s;
	struct fabricmanager_reading *r;
	struct fabricmanager_row *row;
	bool in_fabric; /* text form: within the block */
	size_t indent;  /* of its heading */
};

static struct fabricmanager_row *new_row(struct parse *p)
{
	p->row = SECTION_ROW(p->s, p->r, gpu);
	return p->row;
}

static void set(struct parse *p, const char *name, struct span value)
{
	const struct table *t = &section_desc(SECTION_FABRICMANAGER)->schema.tables[0];
	const struct field *f = schema_field(t->fields, t->nfields, name);

	if (!p->row && !new_row(p))
		return;
	if (nvsmi_set(p->s, f, p->row, value) == OPT_ERROR && !nvsmi_cell_is_lost(value))
		section_unread(p->s, name, "\"%.*s\"", (int)(value.n < 60 ? value.n : 60), value.p);
}

static void say_lost(struct parse *p)
{
	if (!p->row)
		return;
	if (!opt_has(p->row->health))
		section_unread(p->s, opt_has(p->row->gpu) ? p->row->gpu.v : "a GPU", "GPU is lost");
	p->row->health = section_str(p->s, span_of("lost"));
}

/* ---- CSV ---- */

static bool read_csv(struct parse *p, struct span text)
{
	const struct leaf *columns[32] = {NULL};
	struct span cells[32];
	struct nvsmi_failure failure;
	struct span line;
	size_t ncols = 0;

	while (span_line(&text, &line)) {
		size_t n = csv_split(line, cells, ARRAY_LEN(cells));

		if (nvsmi_failure(line, &failure))
			continue;
		if (span_find(line, "fabric.") >= 0) {
			ncols = n < ARRAY_LEN(cells) ? n : ARRAY_LEN(cells);
			for (size_t i = 0; i < ncols; i++) {
				columns[i] = NULL;
				for (size_t j = 0; j < ARRAY_LEN(leaves); j++)
					if (leaves[j].csv && span_eq(cells[i], leaves[j].csv))
						columns[i] = &leaves[j];
			}
			continue;
		}
		if (span_trim(line).n == 0 || ncols == 0)
			continue;
		if (n != ncols) {
			section_unread(p->s, "row", "%zu cells for %zu columns", n, ncols);
			continue;
		}
		if (!new_row(p))
			return true;
		for (size_t i = 0; i < n; i++) {
			if (nvsmi_cell_is_lost(cells[i]))
				say_lost(p);
			if (columns[i])
				set(p, columns[i]->field, cells[i]);
		}
	}
	return ncols > 0;
}

/* ---- nvidia-smi -q ---- */

static size_t indent_of(struct span line)
{
	size_t n = 0;

	while (n < line.n && (line.p[n] == ' ' || line.p[n] == '\t'))
		n++;
	return n;
}

static void text_line(struct parse *p, struct span line)
{
	size_t indent = indent_of(line);
	struct span key;
	struct span value = line;

	if (span_starts(line, "GPU 0") && span_find(line, ":") > 0) {
		if (new_row(p))
			p->row->gpu = section_str(p->s, (struct span){line.p + 4, line.n - 4});
		p->in_fabric = false;
		return;
	}
	if (span_eq(span_trim(line), "Fabric")) {
		/* An excerpt has no GPU line: the second block is another GPU. */
		if (p->row && !opt_has(p->row->gpu))
			p->row = NULL;
		p->in_fabric = true;
		p->indent = indent;
		return;
	}
	if (p->in_fabric && span_trim(line).n && indent <= p->indent)
		p->in_fabric = false;
	if (!span_field(&value, ':', &key) || !value.p)
		return;
	value = span_trim(value);
	if (nvsmi_cell_is_lost(value))
		say_lost(p);
	if (!p->in_fabric)
		return;
	for (size_t i = 0; i < ARRAY_LEN(leaves); i++)
		if (leaves[i].text && span_eq(span_trim(key), leaves[i].text))
			set(p, leaves[i].field, value);
}

static bool read_text(struct parse *p, struct span text)
{
	struct span line;
	bool seen = false;

	while (span_line(&text, &line)) {
		text_line(p, line);
		seen |= p->in_fabric || p->row;
	}
	return seen;
}

/* ---- nvidia-smi -q -x: one element a line ---- */

/* "<tag>value</tag>" or "<tag attributes>" without value. False when line is neither. */
static bool element(struct span line, struct span *tag, struct span *inside, bool *leaf)
{
	ptrdiff_t end = span_find(line, ">");

	if (line.n < 3 || line.p[0] != '<' || line.p[1] == '/' || line.p[1] == '?' || end < 2)
		return false;
	*tag = (struct span){line.p + 1, (size_t)end - 1};
	*inside = (struct span){line.p + end + 1, line.n - (size_t)end - 1};
	ptrdiff_t close = span_find(*inside, "</");

	*leaf = close >= 0;
	if (*leaf)
		inside->n = (size_t)close;
	return true;
}

static void xml_gpu(struct parse *p, struct span tag)
{
	ptrdiff_t at = span_find(tag, "id=\"");

	if (!new_row(p) || at < 0)
		return;
	struct span id = {tag.p + at + 4, tag.n - (size_t)at - 4};

	if (span_ends(id, "\""))
		id.n--;
	p->row->gpu = section_str(p->s, id);
}

static void xml_leaf(struct parse *p, struct span parent, struct span tag, struct span value)
{
	if (nvsmi_cell_is_lost(value))
		say_lost(p);
	for (size_t i = 0; i < ARRAY_LEN(leaves); i++)
		if (leaves[i].xml && span_eq(tag, leaves[i].xml) &&
			span_eq(parent, leaves[i].parent))
			set(p, leaves[i].field, value);
}

static void read_xml(struct parse *p, struct span text)
{
	struct span parent = SPAN_INIT;
	struct span line;
	struct span tag;
	struct span inside;
	bool leaf;

	while (span_line(&text, &line)) {
		line = span_trim(line);
		if (!element(line, &tag, &inside, &leaf))
			continue;
		if (leaf) {
			xml_leaf(p, parent, tag, inside);
			continue;
		}
		parent = tag;
		if (span_starts(tag, "gpu id="))
			xml_gpu(p, tag);
		else if (span_eq(tag, "fabric") && p->row && !opt_has(p->row->gpu))
			p->row = NULL;
	}
}

static void finish(struct parse *p)
{
	static const char zero[] = "00000000-0000-0000-0000-000000000000";

	for (size_t i = 0; i < p->r->gpu_n; i++) {
		struct fabricmanager_row *row = &p->r->gpu[i];

		if (opt_has(row->cluster_uuid))
			row->cluster_zero = opt_bool(strcmp(row->cluster_uuid.v, zero) == 0);
		else
			row->cluster_zero.state = row->cluster_uuid.state;
		/* A word that reads as "no value" only by chance of its spelling. */
		if (opt_has(row->state) && strcmp(row->state.v, "Not Supported") == 0)
			row->state = (struct opt_str){OPT_UNSUPPORTED, NULL};
	}
}

bool fabric_smi_read(struct section *s, struct span text)
{
	struct parse p = {.s = s, .r = s->mutable_reading};
	bool known = true;

	if (span_find(text, "fabric.state") >= 0)
		known = read_csv(&p, text);
	else if (span_starts(span_trim(text), "<"))
		read_xml(&p, text);
	else
		known = read_text(&p, text);
	if (known)
		finish(&p);
	return known;
}
