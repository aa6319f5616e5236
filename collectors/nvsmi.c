#include "collectors/nvsmi.h"

#include <string.h>

/* Cells without brackets: nvidia-smi prints most of them with and without. */
static const struct {
	const char *words;
	enum opt_state state;
} specials[] = {
	{"N/A", OPT_UNSUPPORTED},
	{"Not Supported", OPT_UNSUPPORTED},
	{"Requested functionality has been deprecated", OPT_UNSUPPORTED},
	{"Not Found", OPT_UNSUPPORTED},
	{"Unknown Error", OPT_ERROR},
	{"Unknown error", OPT_ERROR},
	{"GPU requires reset", OPT_ERROR},
	{"GPU is lost", OPT_ERROR},
	{"Insufficient Permissions", OPT_ERROR},
	{"ERR!", OPT_ERROR},
	{"Error", OPT_ERROR},
};

static struct span without_brackets(struct span cell)
{
	cell = span_trim(cell);
	if (cell.n >= 2 && cell.p[0] == '[' && cell.p[cell.n - 1] == ']') {
		cell.p++;
		cell.n -= 2;
	}
	return cell;
}

enum opt_state nvsmi_cell_state(struct span cell)
{
	struct span bare = without_brackets(cell);

	if (span_trim(cell).n == 0)
		return OPT_UNKNOWN;
	for (size_t i = 0; i < ARRAY_LEN(specials); i++)
		if (span_eq(bare, specials[i].words))
			return specials[i].state;
	/* Brackets mark a message: one that we do not know is no value. */
	return bare.n == span_trim(cell).n ? OPT_OK : OPT_ERROR;
}

bool nvsmi_cell_is_lost(struct span cell)
{
	return span_eq(without_brackets(cell), "GPU is lost");
}

bool nvsmi_cell_needs_reset(struct span cell)
{
	return span_eq(without_brackets(cell), "GPU requires reset");
}

static bool is_unit(struct span s)
{
	static const char *const units[] = {
		"", "W", "MiB", "MHz", "%", "C", "us", "ms", "KB", "GB/s"};

	s = span_trim(s);
	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (span_eq(s, units[i]))
			return true;
	return false;
}

bool nvsmi_f64(struct span cell, double *out)
{
	struct span rest;
	double v;

	if (!span_lead_f64(span_trim(cell), &v, &rest) || !is_unit(rest))
		return false;
	*out = v;
	return true;
}

bool nvsmi_u64(struct span cell, uint64_t *out)
{
	struct span rest;
	uint64_t v;

	if (!span_lead_u64(span_trim(cell), &v, &rest) || !is_unit(rest))
		return false;
	*out = v;
	return true;
}

bool nvsmi_flag(struct span cell, bool *out)
{
	static const struct {
		const char *word;
		bool v;
	} words[] = {
		{"Yes", true},
		{"No", false},
		{"Enabled", true},
		{"Disabled", false},
		{"Active", true},
		{"Not Active", false},
		{"True", true},
		{"False", false},
	};

	cell = span_trim(cell);
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (!span_ieq(cell, words[i].word))
			continue;
		*out = words[i].v;
		return true;
	}
	return false;
}

/* Reads a cell that holds a value; false when it does not fit the type. */
static bool read_value(const struct field *f, struct span cell, struct value *v)
{
	v->type = f->type;
	switch (f->type) {
	case FIELD_U64:
		return nvsmi_u64(cell, &v->u64);
	case FIELD_HEX:
		/* Without the prefix it could be any number. */
		return span_starts(cell, "0x") && span_hex(cell, &v->u64);
	case FIELD_F64:
		return nvsmi_f64(cell, &v->f64);
	case FIELD_FLAG:
		return nvsmi_flag(cell, &v->flag);
	case FIELD_I64:
		return span_i64(cell, &v->i64);
	case FIELD_STR:
		return true;
	}
	return false;
}

static void store(
	struct section *s, const struct field *f, void *at, const struct value *v, struct span cell)
{
	switch (f->type) {
	case FIELD_U64:
	case FIELD_HEX:
		*(struct opt_u64 *)at = opt_u64(v->u64);
		break;
	case FIELD_I64:
		*(struct opt_i64 *)at = opt_i64(v->i64);
		break;
	case FIELD_F64:
		*(struct opt_f64 *)at = opt_f64(v->f64);
		break;
	case FIELD_FLAG:
		*(struct opt_bool *)at = opt_bool(v->flag);
		break;
	case FIELD_STR:
		*(struct opt_str *)at = section_str(s, cell);
		break;
	}
}

/* Every opt_* begins with its state. */
static void store_state(const struct field *f, void *base, enum opt_state state)
{
	struct opt_any *at = (struct opt_any *)((char *)base + f->offset);

	if (at->state != OPT_OK)
		at->state = state;
}

enum opt_state nvsmi_check(const struct field *f, struct span cell)
{
	enum opt_state state = nvsmi_cell_state(cell);
	struct value v;

	if (state != OPT_OK)
		return state;
	return read_value(f, span_trim(cell), &v) ? OPT_OK : OPT_ERROR;
}

enum opt_state nvsmi_set(struct section *s, const struct field *f, void *base, struct span cell)
{
	enum opt_state state = nvsmi_cell_state(cell);
	struct value v;

	cell = span_trim(cell);
	if (state == OPT_OK && !read_value(f, cell, &v))
		state = OPT_ERROR;
	if (state == OPT_OK)
		store(s, f, (char *)base + f->offset, &v, cell);
	else
		store_state(f, base, state);
	return state;
}

static struct span after(struct span s, size_t n)
{
	return (struct span){s.p + n, s.n - n};
}

/* "Unable to determine the device handle for GPU0000:91:00.0: Unknown Error" */
static bool handle_failure(struct span line, struct nvsmi_failure *f)
{
	static const char head[] = "Unable to determine the device handle for ";

	if (!span_starts(line, head))
		return false;
	struct span rest = after(line, sizeof(head) - 1);
	ptrdiff_t colon = span_find(rest, ": ");

	/* Older drivers print a blank after GPU; some print "gpu 0000:...". */
	if (rest.n >= 3 && (span_starts(rest, "GPU") || span_starts(rest, "gpu")))
		f->bus = after(rest, 3);
	if (f->bus.n && colon >= 3) {
		f->bus.n = (size_t)colon - 3;
		f->error = span_trim(after(rest, (size_t)colon + 2));
	} else {
		f->error = line;
	}
	f->bus = span_trim(f->bus);
	return true;
}

/* "Field "x" is not a valid field to query." */
static bool field_failure(struct span line, struct nvsmi_failure *f)
{
	if (!span_starts(line, "Field \"") || span_find(line, "is not a valid field") < 0)
		return false;
	struct span name = after(line, strlen("Field \""));
	ptrdiff_t quote = span_find(name, "\"");

	if (quote >= 0)
		f->bad_field = (struct span){name.p, (size_t)quote};
	f->error = line;
	return true;
}

bool nvsmi_failure(struct span line, struct nvsmi_failure *f)
{
	static const char init[] = "Failed to initialize NVML: ";
	static const char *const others[] = {
		"NVIDIA-SMI has failed",
		"NVIDIA-SMI couldn't",
		"NVIDIA-SMI makes use of",
		"Failed to ",
		"Unable to ",
		"Error: ",
		"ERROR: ",
		"Invalid combination",
		"Option ",
		"Unknown Error",
		"GPU is lost",
		"Insufficient Permissions",
	};

	*f = (struct nvsmi_failure){0};
	line = span_trim(line);
	if (span_starts(line, "No devices were found")) {
		f->no_devices = true;
		f->error = line;
		return true;
	}
	if (handle_failure(line, f) || field_failure(line, f))
		return true;
	if (span_starts(line, init)) {
		f->error = span_trim(after(line, sizeof(init) - 1));
		return true;
	}
	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		if (!span_starts(line, others[i]))
			continue;
		f->error = line;
		return true;
	}
	return false;
}
