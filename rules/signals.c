#include "rules/signals.h"

#include <stdio.h>
#include <string.h>

#include "collectors/xmalloc.h"

/* Which kind of node has a section at all. */
static const enum need section_needs[SECTION_COUNT] = {
	[SECTION_GPU] = NEED_GPU,
	[SECTION_NVLINK] = NEED_GPU,
	[SECTION_GPU_TOPO] = NEED_GPU,
	[SECTION_XID] = NEED_GPU,
	[SECTION_FABRICMANAGER] = NEED_GPU,
	[SECTION_EFA_COUNTERS] = NEED_EFA,
	[SECTION_NEURON] = NEED_NEURON,
	[SECTION_LUSTRE_DF] = NEED_LUSTRE,
};

#define SIGNAL_ROW(fn, name_, type_, unit_, part_, need_, peers_, section_, help_) \
	{.name = name_,                                                            \
		.type = FIELD_##type_,                                             \
		.unit = unit_,                                                     \
		.part = PART_##part_,                                              \
		.need = NEED_##need_,                                              \
		.peers = PEERS_##peers_,                                           \
		.section = SECTION_##section_,                                     \
		.help = help_,                                                     \
		.derive = signal_##fn},
static const struct signal derived[] = {SIGNALS(SIGNAL_ROW)};

static const struct {
	const char *name;
	signal_describe *describe;
} describers[] = {
	{"gpu.pcie_width_deficit", describe_width},
	{"gpu.hw_throttle", describe_throttle},
	{"efa.not_active", describe_efa_row},
	{"efa.other_not_active", describe_efa_row},
	{"nvlink.down", describe_nvlink},
	{"xid.recent", describe_xid},
	{"xid.fatal_code", describe_xid},
	{"section.unread", describe_unread},
	{"gpu.missing", describe_missing},
	{"efa.missing", describe_missing},
	{"neuron.missing", describe_missing},
	{"pairs.node_deficit_pct", describe_pair_deficit},
	{"pairs.link_deficit_pct", describe_link},
	{"pairs.transient_deficit_pct", describe_transient},
	{"pairs.failed", describe_failure},
	{"pairs.wrong_values", describe_failure},
	{"pairs.topology_effect_pct", describe_topology},
	{"pairs.type_effect_pct", describe_topology},
};

static void set_describe(struct signal *s)
{
	for (size_t i = 0; i < ARRAY_LEN(describers); i++)
		if (strcmp(describers[i].name, s->name) == 0)
			s->describe = describers[i].describe;
	if (strcmp(s->name, "mounts.shared_options") == 0)
		s->normalize = normalize_options;
}

bool signal_derived(size_t i, struct signal *out)
{
	if (i >= ARRAY_LEN(derived))
		return false;
	*out = derived[i];
	set_describe(out);
	return true;
}

static const struct {
	const char *table;
	enum part_kind part;
	const char *key;
} table_parts[] = {
	{"gpu", PART_GPU, "index"},
	{"device", PART_DEVICE, "dev"},
	{"mount", PART_MOUNT, "mount"},
	{"target", PART_TARGET, "target"},
	{"xid", PART_CODE, "code"},
	{"sxid", PART_SWITCH, "code"},
};

static void set_part(struct signal *s)
{
	s->part = PART_NODE;
	if (!s->table)
		return;
	s->part = PART_ROW;
	s->key = &s->table->fields[0];
	for (size_t i = 0; i < ARRAY_LEN(table_parts); i++) {
		if (strcmp(table_parts[i].table, s->table->name) != 0)
			continue;
		const struct field *key =
			schema_field(s->table->fields, s->table->nfields, table_parts[i].key);

		if (key) {
			s->part = table_parts[i].part;
			s->key = key;
		}
	}
}

/* Cuts ".growth" or ".rate" off path. */
static enum change cut_change(char *path)
{
	static const struct {
		const char *suffix;
		enum change change;
	} changes[] = {{".growth", CHANGE_GROWTH}, {".rate", CHANGE_RATE}};
	size_t n = strlen(path);

	for (size_t i = 0; i < ARRAY_LEN(changes); i++) {
		size_t len = strlen(changes[i].suffix);

		if (n > len && strcmp(path + n - len, changes[i].suffix) == 0) {
			path[n - len] = '\0';
			return changes[i].change;
		}
	}
	return CHANGE_NONE;
}

/* Section values first, then the table that is named as its section. */
static bool find_field(struct signal *s, const struct schema *schema, const char *section,
	const char *first, const char *second)
{
	if (!second) {
		s->field = schema_field(schema->fields, schema->nfields, first);
		if (s->field)
			return true;
		second = first;
		first = section;
	}
	s->table = schema_table(schema, first);
	if (s->table)
		s->field = schema_field(s->table->fields, s->table->nfields, second);
	return s->field != NULL;
}

static bool resolve_path(const char *name, struct signal *s)
{
	char path[sizeof(s->name)];

	snprintf(path, sizeof(path), "%s", name);
	s->change = cut_change(path);
	char *first = strchr(path, '.');

	if (!first)
		return false;
	*first++ = '\0';
	char *second = strchr(first, '.');

	if (second)
		*second++ = '\0';
	s->section = section_by_name(span_of(path));
	if (s->section == SECTION_COUNT ||
		strcmp(section_desc(s->section)->name, path) != 0) /* no aliases here */
		return false;
	if (!find_field(s, &section_desc(s->section)->schema, path, first, second))
		return false;
	if (s->change != CHANGE_NONE && s->field->type != FIELD_U64)
		return false;
	s->type = s->change == CHANGE_RATE ? FIELD_F64 : s->field->type;
	s->unit = s->field->unit;
	s->help = s->field->help;
	s->need = section_needs[s->section];
	set_part(s);
	return true;
}

bool signal_resolve(const char *name, struct signal *out)
{
	for (size_t i = 0; i < ARRAY_LEN(derived); i++)
		if (strcmp(derived[i].name, name) == 0)
			return signal_derived(i, out);
	struct signal s;

	memset(&s, 0, sizeof(s));
	if (strlen(name) >= sizeof(s.name) || !resolve_path(name, &s))
		return false;
	snprintf(s.name, sizeof(s.name), "%s", name);
	*out = s;
	return true;
}

struct sample *sample_add(const struct signal_ctx *c, const struct section *s)
{
	struct sample_list *l = c->out;

	if (l->n == l->cap)
		xgrow((void **)&l->items, &l->cap, l->n, sizeof(*l->items));
	struct sample *out = &l->items[l->n++];

	memset(out, 0, sizeof(*out));
	out->section = s;
	return out;
}

void sample_u64(const struct signal_ctx *c, const struct section *s, struct opt_u64 v)
{
	struct sample *out = sample_add(c, s);

	out->value = (struct value){.state = v.state, .type = FIELD_U64, .u64 = v.v};
}

void sample_f64(const struct signal_ctx *c, const struct section *s, struct opt_f64 v)
{
	struct sample *out = sample_add(c, s);

	out->value = (struct value){.state = v.state, .type = FIELD_F64, .f64 = v.v};
}

void sample_flag(const struct signal_ctx *c, const struct section *s, struct opt_bool v)
{
	struct sample *out = sample_add(c, s);

	out->value = (struct value){.state = v.state, .type = FIELD_FLAG, .flag = v.v};
}

void sample_str(const struct signal_ctx *c, const struct section *s, struct opt_str v)
{
	struct sample *out = sample_add(c, s);

	out->value = (struct value){.state = v.state, .type = FIELD_STR, .str = v.v};
}

static void name_part(struct sample *out, const struct signal *s, const char *row)
{
	struct value k = field_value(s->key, row);

	if (k.state != OPT_OK)
		return;
	if (k.type == FIELD_STR)
		out->name = k.str;
	else
		out->index = k.u64;
	if (s->part == PART_CODE || s->part == PART_SWITCH) {
		out->key = k.u64;
		out->index = UINT64_MAX;
	}
}

static bool same_key(const struct field *key, const char *a, const char *b)
{
	struct value x = field_value(key, a);
	struct value y = field_value(key, b);

	if (x.state != OPT_OK || y.state != OPT_OK)
		return false;
	return x.type == FIELD_STR ? strcmp(x.str, y.str) == 0 : x.u64 == y.u64;
}

/* The row of prev that has row's key: most often at the same place. NULL none. */
static const char *row_before(const struct signal *s, const void *prev, const char *row, size_t i)
{
	size_t n;
	const char *rows = table_rows(s->table, prev, &n);

	if (i < n && same_key(s->key, rows + i * s->table->row_size, row))
		return rows + i * s->table->row_size;
	for (size_t j = 0; j < n; j++)
		if (same_key(s->key, rows + j * s->table->row_size, row))
			return rows + j * s->table->row_size;
	return NULL;
}

/* A counter that went back was reset: its growth is not known. */
static struct value change_of(
	const struct signal *s, const struct node *n, const char *row, const char *before)
{
	struct value v = VALUE_UNKNOWN;
	const struct section *a = n->prev[s->section];
	const struct section *b = n->section[s->section];

	v.type = s->type;
	if (!a || !before)
		return v;
	struct value x = field_value(s->field, before);
	struct value y = field_value(s->field, row);
	int64_t ms = b->meta.mono_ms - a->meta.mono_ms;

	if (y.state != OPT_OK || x.state != OPT_OK || y.u64 < x.u64 || ms <= 0) {
		v.state = y.state == OPT_UNSUPPORTED ? OPT_UNSUPPORTED : OPT_UNKNOWN;
		return v;
	}
	v.state = OPT_OK;
	if (s->change == CHANGE_RATE)
		v.f64 = (double)(y.u64 - x.u64) * 1000.0 / (double)ms;
	else
		v.u64 = y.u64 - x.u64;
	return v;
}

/* Versions that the host does not have are no defect: jobs ship their own in containers. */
static bool unknown_is_fine(const struct signal *s)
{
	return s->section == SECTION_STACK || s->section == SECTION_GOVERNOR;
}

struct value signal_plain_value(const struct signal *s, const void *row)
{
	struct value v = field_value(s->field, row);

	if (v.state == OPT_UNKNOWN && unknown_is_fine(s))
		v.state = OPT_UNSUPPORTED;
	return v;
}

static void eval_row(const struct signal *s, const struct signal_ctx *c, const char *row, size_t i)
{
	const struct section *sec = c->node->section[s->section];
	const struct section *prev = c->node->prev[s->section];
	struct sample *out = sample_add(c, sec);

	out->row = row;
	if (s->change == CHANGE_NONE) {
		out->value = signal_plain_value(s, row);
	} else {
		const char *before = NULL;

		if (prev)
			before = s->table ? row_before(s, prev->reading, row, i) : prev->reading;
		out->value = change_of(s, c->node, row, before);
	}
	if (s->key)
		name_part(out, s, row);
}

static void eval_field(const struct signal *s, const struct signal_ctx *c)
{
	const struct section *sec = c->node->section[s->section];

	if (!s->table) {
		eval_row(s, c, sec->reading, 0);
		return;
	}
	size_t n;
	const char *row = table_rows(s->table, sec->reading, &n);

	for (size_t i = 0; i < n; i++, row += s->table->row_size)
		eval_row(s, c, row, i);
}

static enum has has_what(const struct node_facts *f, enum need need)
{
	switch (need) {
	case NEED_GPU:
		return f->gpu;
	case NEED_EFA:
		return f->efa;
	case NEED_NEURON:
		return f->neuron;
	case NEED_LUSTRE:
		return f->lustre;
	case NEED_NODE:
		break;
	}
	return HAS_YES;
}

/* A missing command where it is no loss; where devices are known to be there it is one. */
static bool unavailable_is_fine(const struct signal *s)
{
	return s->need == NEED_NODE || s->section == SECTION_FABRICMANAGER;
}

const void *signal_plain_rows(const struct signal *s, const struct signal_ctx *c, size_t *n)
{
	if (s->derive || s->change != CHANGE_NONE || has_what(c->facts, s->need) == HAS_NO)
		return NULL;
	const struct section *sec = c->node->section[s->section];

	if (!sec || sec->status == SECTION_UNAVAILABLE)
		return NULL;
	if (s->table)
		return table_rows(s->table, sec->reading, n);
	*n = 1;
	return sec->reading;
}

enum signal_state signal_eval(const struct signal *s, const struct signal_ctx *c)
{
	enum has has = has_what(c->facts, s->need);

	c->out->n = 0;
	if (has == HAS_NO)
		return SIGNAL_NOT_APPLICABLE;
	if (s->section != SECTION_COUNT) {
		const struct section *sec = c->node->section[s->section];

		if (!sec)
			return SIGNAL_UNKNOWN;
		if (sec->status == SECTION_UNAVAILABLE && unavailable_is_fine(s))
			return SIGNAL_NOT_APPLICABLE;
	}
	if (s->derive)
		s->derive(c);
	else
		eval_field(s, c);
	if (c->out->n)
		return SIGNAL_SAMPLED;
	if (s->section != SECTION_COUNT) {
		enum section_status st = c->node->section[s->section]->status;

		if (st != SECTION_OK && st != SECTION_PARTIAL)
			return SIGNAL_UNKNOWN;
	}
	/* Signals of several sections stand or fall with nvidia-smi's answer. */
	if (s->need == NEED_GPU && s->section == SECTION_COUNT && !c->node->section[SECTION_GPU])
		return SIGNAL_UNKNOWN;
	return has == HAS_MAYBE ? SIGNAL_UNKNOWN : SIGNAL_NOT_APPLICABLE;
}
