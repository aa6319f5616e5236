#include "collectors/gpu_columns.h"

#include <string.h>

#include "collectors/section_schema.h"

/* More commas than this in a product name are some other list. */
#define NAME_COMMAS_MAX 2

/* What a value of the column looks like, to tell columns that have no header. */
enum shape { SHAPE_ANY, SHAPE_NUMBER, SHAPE_BUS, SHAPE_UUID, SHAPE_NAME, SHAPE_SWITCH, SHAPE_HEX };

struct known_column {
	const char *name;
	const char *field;
	enum shape shape;
	bool fallback;
	bool whole_call;
};

/*
 * Column names of all driver branches (nvidia-smi --help-query-gpu). Where two columns
 * feed one field, the one that says less exactly what the field means is the fallback.
 */
static const struct known_column known[] = {
	{"index", "index", SHAPE_NUMBER, false, false},
	{"uuid", "uuid", SHAPE_UUID, false, false},
	{"gpu_uuid", "uuid", SHAPE_UUID, false, false},
	{"name", "name", SHAPE_NAME, false, false},
	{"gpu_name", "name", SHAPE_NAME, false, false},
	{"pci.bus_id", "bus", SHAPE_BUS, false, false},
	{"gpu_bus_id", "bus", SHAPE_BUS, false, false},
	{"serial", "serial", SHAPE_ANY, false, false},
	{"gpu_serial", "serial", SHAPE_ANY, false, false},
	{"driver_version", "driver", SHAPE_ANY, false, true},
	{"persistence_mode", "persistence", SHAPE_SWITCH, false, false},
	{"mig.mode.current", "mig", SHAPE_SWITCH, false, false},
	{"pstate", "pstate", SHAPE_ANY, false, false},
	{"pcie.link.gen.current", "gen", SHAPE_NUMBER, false, false},
	{"pcie.link.gen.gpucurrent", "gen", SHAPE_NUMBER, true, false},
	{"pcie.link.gen.max", "gen_max", SHAPE_NUMBER, false, false},
	{"pcie.link.gen.hostmax", "gen_hostmax", SHAPE_NUMBER, false, false},
	{"pcie.link.width.current", "width", SHAPE_NUMBER, false, false},
	{"pcie.link.width.max", "width_max", SHAPE_NUMBER, false, false},
	{"temperature.gpu", "temp_c", SHAPE_NUMBER, false, false},
	{"temperature.memory", "temp_mem_c", SHAPE_NUMBER, false, false},
	{"utilization.gpu", "util_pct", SHAPE_NUMBER, false, false},
	{"memory.used", "mem_used_mib", SHAPE_NUMBER, false, false},
	{"memory.total", "mem_total_mib", SHAPE_NUMBER, false, false},
	{"power.draw", "power_w", SHAPE_NUMBER, false, false},
	{"power.draw.average", "power_w", SHAPE_NUMBER, true, false},
	{"gpu.power.draw.average", "power_w", SHAPE_NUMBER, true, false},
	{"power.draw.instant", "power_w", SHAPE_NUMBER, true, false},
	{"enforced.power.limit", "power_limit_w", SHAPE_NUMBER, false, false},
	{"power.limit", "power_limit_w", SHAPE_NUMBER, true, false},
	{"clocks.current.sm", "sm_mhz", SHAPE_NUMBER, false, false},
	{"clocks.sm", "sm_mhz", SHAPE_NUMBER, false, false},
	{"clocks.max.sm", "sm_max_mhz", SHAPE_NUMBER, false, false},
	{"clocks_event_reasons.active", "reasons", SHAPE_HEX, false, false},
	{"clocks_throttle_reasons.active", "reasons", SHAPE_HEX, false, false},
	{"ecc.errors.uncorrected.volatile.total", "ecc_unc_vol", SHAPE_NUMBER, false, false},
	{"ecc.errors.uncorrected.aggregate.total", "ecc_unc_agg", SHAPE_NUMBER, false, false},
	{"ecc.errors.corrected.volatile.total", "ecc_cor_vol", SHAPE_NUMBER, false, false},
	{"remapped_rows.pending", "remap_pending", SHAPE_SWITCH, false, false},
	{"remapped_rows.failure", "remap_failure", SHAPE_SWITCH, false, false},
	{"retired_pages.pending", "retired_pending", SHAPE_SWITCH, false, false},
	{"gpu_recovery_action", "recovery_action", SHAPE_ANY, false, false},
	{"fabric.state", "fabric_state", SHAPE_ANY, false, false},
	{"fabric.status", "fabric_status", SHAPE_ANY, false, false},
};

/* Lists that are in use without a header, longest first. */
static const char *const layouts[] = {
	"index,name,pci.bus_id,persistence_mode,pcie.link.gen.current,pcie.link.gen.max,"
	"pcie.link.width.current,pcie.link.width.max,temperature.gpu,utilization.gpu,memory.used,"
	"memory.total,power.draw,power.limit,clocks.current.sm,clocks_event_reasons.active,"
	"ecc.errors.uncorrected.volatile.total,remapped_rows.pending,remapped_rows.failure",
	"index,uuid,name,temperature.gpu,utilization.gpu,memory.used,memory.total",
	"index,uuid,utilization.gpu,memory.used,power.draw,temperature.gpu",
	"clocks.max.sm,memory.total,gpu_name",
};

static const struct known_column *known_column(struct span name)
{
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (span_eq(name, known[i].name))
			return &known[i];
	return NULL;
}

static const struct field *field_of(const struct known_column *k)
{
	const struct schema *schema = &section_desc(SECTION_GPU)->schema;

	if (k->whole_call)
		return schema_field(schema->fields, schema->nfields, k->field);
	return schema_field(schema->tables[0].fields, schema->tables[0].nfields, k->field);
}

static void add_column(struct gpu_columns *c, const struct known_column *k)
{
	struct gpu_column *col = &c->col[c->n];

	*col = (struct gpu_column){0};
	if (k) {
		*col = (struct gpu_column){k->name, field_of(k), k->whole_call, k->fallback};
		if (k->shape == SHAPE_NAME)
			c->name_at = c->n;
	}
	c->n++;
}

/* "power.draw [W]" without its unit. */
static struct span without_unit(struct span cell)
{
	ptrdiff_t at = span_find(cell, " [");

	if (at > 0 && cell.p[cell.n - 1] == ']')
		cell.n = (size_t)at;
	return cell;
}

static bool is_column_name(struct span s)
{
	if (s.n == 0 || s.p[0] < 'a' || s.p[0] > 'z')
		return false;
	for (size_t i = 0; i < s.n; i++) {
		char ch = s.p[i];
		bool letter = (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z');

		if (!letter && !(ch >= '0' && ch <= '9') && ch != '.' && ch != '_')
			return false;
	}
	return true;
}

bool gpu_columns_from_header(struct gpu_columns *c, struct span line)
{
	struct span cells[CSV_CELLS_MAX];
	size_t n = csv_split(line, cells, CSV_CELLS_MAX);
	size_t known_n = 0;

	if (n > CSV_CELLS_MAX)
		return false;
	for (size_t i = 0; i < n; i++) {
		cells[i] = without_unit(cells[i]);
		if (!is_column_name(cells[i]))
			return false;
		known_n += known_column(cells[i]) != NULL;
	}
	if (known_n == 0)
		return false;
	c->n = 0;
	c->name_at = n;
	for (size_t i = 0; i < n; i++)
		add_column(c, known_column(cells[i]));
	return true;
}

static bool has_letter(struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((s.p[i] >= 'a' && s.p[i] <= 'z') || (s.p[i] >= 'A' && s.p[i] <= 'Z'))
			return true;
	return false;
}

static bool fits(enum shape shape, struct span cell)
{
	double f64;
	uint64_t u64;
	bool flag;

	if (nvsmi_cell_state(cell) != OPT_OK)
		return cell.n > 0;
	switch (shape) {
	case SHAPE_NUMBER:
		return nvsmi_f64(cell, &f64);
	case SHAPE_HEX:
		return span_starts(cell, "0x") && span_hex(cell, &u64);
	case SHAPE_BUS:
		return span_ends(cell, ".0") && span_find(cell, ":") > 0;
	case SHAPE_UUID:
		return span_starts(cell, "GPU-") || span_starts(cell, "MIG-");
	case SHAPE_NAME:
		return has_letter(cell) && span_find(cell, ":") < 0 && !span_starts(cell, "GPU-");
	case SHAPE_SWITCH:
		return nvsmi_flag(cell, &flag);
	case SHAPE_ANY:
		return true;
	}
	return false;
}

/* Columns of a layout list and whether the cells, joined where needed, fit them. */
static bool layout_fits(struct gpu_columns *c, const char *layout, const struct span *row, size_t n)
{
	struct span cells[CSV_CELLS_MAX];
	struct span rest = span_of(layout);
	struct span name;

	c->n = 0;
	c->name_at = CSV_CELLS_MAX;
	while (span_field(&rest, ',', &name))
		add_column(c, known_column(name));
	memcpy(cells, row, n * sizeof(*cells));
	if (n > c->n + NAME_COMMAS_MAX || !csv_join(cells, n, c->n, c->name_at))
		return false;
	for (size_t i = 0; i < c->n; i++)
		if (!fits(known_column(span_of(c->col[i].name))->shape, cells[i]))
			return false;
	return true;
}

bool gpu_columns_from_row(struct gpu_columns *c, const struct span *cells, size_t n)
{
	if (n > CSV_CELLS_MAX)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(layouts); i++)
		if (layout_fits(c, layouts[i], cells, n))
			return true;
	c->n = 0;
	return false;
}
