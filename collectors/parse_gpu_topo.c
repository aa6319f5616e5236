/*
 * nvidia-smi topo -m: a matrix of GPUs and NICs, tab-separated. Copies from a terminal have
 * blanks instead of tabs: there an empty cell cannot be seen.
 */
#include "collectors/section.h"

#include <string.h>

#include "collectors/answer.h"
#include "collectors/nvsmi.h"

#define COLUMNS_MAX 128
#define GPUS_MAX    64

/* A pair of GPUs: links between them, as either row of the matrix says. */
enum pair_state { PAIR_UNKNOWN, PAIR_OTHER, PAIR_NVLINK };

struct parse {
	struct section *s;
	struct gpu_topo_reading *r;
	bool tabs;
	bool header;
	bool cut;                   /* the text may end early */
	size_t ncells;              /* columns of the matrix, GPUs and NICs */
	size_t gpu_at[COLUMNS_MAX]; /* GPU index of a column, GPUS_MAX for a NIC */
	size_t nic_at[COLUMNS_MAX]; /* row in the nic table, for a NIC */
	size_t ntail;               /* columns after the matrix */
	bool has_cpu;
	bool has_numa;
	unsigned char pair[GPUS_MAX][GPUS_MAX];
};

/* Shortest path first, as in the legend that nvidia-smi prints. */
static const char *const paths[] = {"PSB", "PIX", "PXB", "PHB", "NODE", "SYS"};

/* Splits at every tab, or at runs of two blanks and more. */
static bool next_cell(const struct parse *p, struct span *rest, struct span *cell)
{
	if (p->tabs) {
		if (!span_field(rest, '\t', cell))
			return false;
		*cell = span_trim(*cell);
		return true;
	}
	*rest = span_trim(*rest);
	if (rest->n == 0)
		return false;
	ptrdiff_t end = span_find(*rest, "  ");
	size_t n = end < 0 ? rest->n : (size_t)end;

	*cell = (struct span){rest->p, n};
	*rest = (struct span){rest->p + n, rest->n - n};
	return true;
}

static bool gpu_name(struct span name, uint64_t *index)
{
	struct span digits = {name.p + 3, name.n - 3};

	return span_starts(name, "GPU") && span_u64(digits, index);
}

static bool is_tail_name(struct span name)
{
	return span_eq(name, "CPU Affinity") || span_eq(name, "NUMA Affinity") ||
	       span_eq(name, "GPU NUMA ID");
}

static void add_nic(struct parse *p, struct span name)
{
	struct gpu_topo_nic *nic = SECTION_ROW(p->s, p->r, nic);
	uint64_t n;

	p->gpu_at[p->ncells] = GPUS_MAX;
	p->nic_at[p->ncells] = p->r->nic_n ? p->r->nic_n - 1 : 0;
	if (!nic)
		return;
	nic->name = section_str(p->s, name);
	/* Old drivers name the column after the device; new ones print NICn and a legend. */
	struct span digits = {name.p + 3, name.n - 3};

	if (!span_starts(name, "NIC") || !span_u64(digits, &n))
		nic->device = section_str(p->s, name);
}

static bool header_line(struct parse *p, struct span line)
{
	struct span trimmed = span_trim(line);
	struct span rest = line;
	struct span cell;
	uint64_t index;

	if (!span_starts(trimmed, "GPU") || span_find(line, "Affinity") < 0)
		return false;
	p->tabs = span_find(line, "\t") >= 0;
	p->header = true;
	while (next_cell(p, &rest, &cell)) {
		if (is_tail_name(cell)) {
			p->has_cpu |= span_eq(cell, "CPU Affinity");
			p->has_numa |= span_eq(cell, "NUMA Affinity");
			p->ntail++;
		} else if (cell.n && p->ncells < COLUMNS_MAX) {
			if (gpu_name(cell, &index)) {
				p->gpu_at[p->ncells] = index < GPUS_MAX ? index : GPUS_MAX - 1;
				p->r->gpus.v++;
			} else {
				add_nic(p, cell);
			}
			p->ncells++;
		}
	}
	p->r->gpus.state = OPT_OK;
	p->r->nics = opt_u64(p->r->nic_n);
	return true;
}

static int path_rank(struct span cell)
{
	for (size_t i = 0; i < ARRAY_LEN(paths); i++)
		if (span_eq(cell, paths[i]))
			return (int)i;
	return -1;
}

static bool nv_links(struct span cell, uint64_t *links)
{
	struct span digits = {cell.p + 2, cell.n - 2};

	return span_starts(cell, "NV") && span_u64(digits, links);
}

static bool is_path(struct span cell)
{
	uint64_t links;

	return span_eq(cell, "X") || path_rank(cell) >= 0 || nv_links(cell, &links);
}

/* A bounded comma-separated list that is being written. */
struct list {
	char text[512];
	size_t n;
	bool any;
};

static void list_add(struct list *l, struct span item)
{
	if (l->n + item.n + 2 > sizeof(l->text))
		return;
	if (l->any)
		l->text[l->n++] = ',';
	memcpy(l->text + l->n, item.p, item.n);
	l->n += item.n;
	l->any = true;
}

static struct opt_str list_str(struct section *s, const struct list *l)
{
	return section_str(s, (struct span){l->text, l->n});
}

struct row_lists {
	struct list peers;
	struct list nics;
	struct list nearest;
	int nearest_rank;
	bool peers_known;
};

static void gpu_cell(struct parse *p, struct gpu_topo_row *row, size_t peer, struct span cell,
	struct row_lists *l)
{
	uint64_t links;
	size_t me = row->index.v < GPUS_MAX ? (size_t)row->index.v : GPUS_MAX - 1;
	bool known = is_path(cell);

	list_add(&l->peers, known ? cell : span_of("?"));
	if (!known)
		l->peers_known = false;
	else if (nv_links(cell, &links)) {
		row->nv_peers.v++;
		row->nv_links.v += links;
		p->pair[me][peer] = p->pair[peer][me] = PAIR_NVLINK;
	} else if (!p->pair[me][peer]) {
		p->pair[me][peer] = p->pair[peer][me] = PAIR_OTHER;
	}
}

static void nic_cell(struct parse *p, size_t column, struct span cell, struct row_lists *l)
{
	int rank = path_rank(cell);
	const char *name =
		p->nic_at[column] < p->r->nic_n ? p->r->nic[p->nic_at[column]].name.v : NULL;

	list_add(&l->nics, rank >= 0 ? cell : span_of("?"));
	if (rank < 0 || !name)
		return;
	if (l->nearest_rank < 0 || rank < l->nearest_rank) {
		l->nearest.n = 0;
		l->nearest.any = false;
		l->nearest_rank = rank;
	}
	if (rank == l->nearest_rank)
		list_add(&l->nearest, span_of(name));
}

/*
 * The columns after the matrix. `over` holds what ran into the last cell of the matrix: the
 * 535 series writes "PH0-115" when the affinity overruns it.
 */
static void tail_cells(
	struct parse *p, struct gpu_topo_row *row, struct span rest, struct span over)
{
	struct span cells[8];
	struct span cell;
	size_t n = 0;

	if (over.n)
		cells[n++] = over;
	while (n < ARRAY_LEN(cells) && next_cell(p, &rest, &cell))
		cells[n++] = cell;
	/* Without tabs an empty cell is lost, and with it the place of those after it. */
	if (!p->tabs && n < p->ntail)
		return;
	size_t i = 0;

	if (p->has_cpu && i < n)
		row->cpu_affinity = section_str(p->s, cells[i++]);
	if (p->has_numa && i < n) {
		struct span numa = cells[i];

		if (nvsmi_cell_state(numa) == OPT_UNSUPPORTED)
			row->numa.state = OPT_UNSUPPORTED;
		else
			row->numa = section_str(p->s, numa);
	}
}

/* The digits at the end of a cell that begins as a path does. */
static struct span overrun(struct span cell)
{
	size_t i = 0;

	while (i < cell.n && cell.p[i] >= 'A' && cell.p[i] <= 'Z')
		i++;
	if (i == 0 || i == cell.n || cell.p[i] < '0' || cell.p[i] > '9')
		return (struct span)SPAN_INIT;
	return (struct span){cell.p + i, cell.n - i};
}

static void matrix_row(struct parse *p, uint64_t index, struct span rest)
{
	struct row_lists l = {.nearest_rank = -1, .peers_known = true};
	struct gpu_topo_row *row = SECTION_ROW(p->s, p->r, gpu);
	struct span over = SPAN_INIT;
	struct span cell;
	size_t i = 0;

	if (!row)
		return;
	row->index = opt_u64(index);
	for (; i < p->ncells && next_cell(p, &rest, &cell); i++) {
		if (!is_path(cell)) {
			section_unread(p->s, "cell", "GPU%u column %zu is \"%.*s\"",
				(unsigned)index, i + 1, (int)(cell.n < 40 ? cell.n : 40), cell.p);
			if (i + 1 == p->ncells)
				over = overrun(cell);
		}
		if (p->gpu_at[i] < GPUS_MAX)
			gpu_cell(p, row, p->gpu_at[i], cell, &l);
		else
			nic_cell(p, i, cell, &l);
	}
	if (i < p->ncells) {
		section_unread(
			p->s, "row", "GPU%u has %zu of %zu cells", (unsigned)index, i, p->ncells);
		l.peers_known = false;
	}
	row->peers = list_str(p->s, &l.peers);
	row->nics = list_str(p->s, &l.nics);
	row->nearest_nic = list_str(p->s, &l.nearest);
	row->nv_peers.state = row->nv_links.state = l.peers_known ? OPT_OK : OPT_ERROR;
	tail_cells(p, row, rest, over);
}

/* "  NIC0: mlx5_0" below "NIC Legend:" */
static bool legend_line(struct parse *p, struct span line)
{
	struct span name;

	if (!span_starts(line, "NIC") || !span_field(&line, ':', &name) || !line.p)
		return false;
	for (size_t i = 0; i < p->r->nic_n; i++) {
		struct gpu_topo_nic *nic = &p->r->nic[i];

		if (opt_has(nic->name) && span_eq(name, nic->name.v))
			nic->device = section_str(p->s, line);
	}
	return true;
}

static void one_line(struct parse *p, struct span line)
{
	struct span rest = line;
	struct span name;
	struct nvsmi_failure f;
	uint64_t index;

	if (!p->header && header_line(p, line))
		return;
	if (!p->header) {
		if (nvsmi_failure(line, &f)) {
			section_unread(p->s, "gpus", "nvidia-smi: %.*s",
				(int)(line.n < 120 ? line.n : 120), line.p);
			section_set_status(p->s, SECTION_FAILED);
		}
		return;
	}
	if (next_cell(p, &rest, &name) && gpu_name(name, &index) && index < GPUS_MAX)
		matrix_row(p, index, rest);
	else
		legend_line(p, span_trim(line));
}

/* State of a GPU's pairs: how many are NVLink, and whether all are known. */
static size_t count_nvlink(const struct parse *p, size_t gpu, bool *all_known)
{
	size_t n = 0;

	*all_known = true;
	for (size_t i = 0; i < p->ncells; i++) {
		size_t peer = p->gpu_at[i];

		if (peer >= GPUS_MAX || peer == gpu)
			continue;
		n += p->pair[gpu][peer] == PAIR_NVLINK;
		if (p->pair[gpu][peer] == PAIR_UNKNOWN)
			*all_known = false;
	}
	return n;
}

static void finish(struct parse *p)
{
	struct gpu_topo_reading *r = p->r;
	struct list lost = {.n = 0};
	bool all_known = true;
	size_t ends = 0;
	size_t i;

	for (i = 0; i < p->ncells; i++) {
		bool known;

		if (p->gpu_at[i] >= GPUS_MAX)
			continue;
		ends += count_nvlink(p, p->gpu_at[i], &known);
		all_known &= known;
	}
	for (i = 0; ends && i < p->ncells; i++) {
		char name[8];
		bool known;

		if (p->gpu_at[i] >= GPUS_MAX || count_nvlink(p, p->gpu_at[i], &known) || !known)
			continue;
		snprintf(name, sizeof(name), "%zu", p->gpu_at[i]);
		list_add(&lost, span_of(name));
	}
	if (!p->cut)
		r->rows_seen = opt_u64(r->gpu_n);
	if (all_known)
		r->nvlink_pairs = opt_u64(ends / 2);
	if (lost.any)
		r->lost_gpus = list_str(p->s, &lost);
	else if (all_known)
		r->lost_gpus = (struct opt_str){OPT_OK, ""};
	if (r->gpu_n < r->gpus.v)
		section_unread(p->s, "rows", "%zu of %u GPU rows are there", r->gpu_n,
			(unsigned)r->gpus.v);
}

void parse_gpu_topo(struct section *s, struct span text)
{
	struct parse p = {.s = s, .r = s->mutable_reading};
	struct marks_piece piece;
	struct marks pieces;
	struct span line;

	if (answer_is_missing(s, text, &line))
		return;
	pieces = answer_pieces(s, text);
	p.cut = pieces.cut;
	while (marks_next(&pieces, &piece))
		while (span_line(&piece.body, &line))
			one_line(&p, line);
	if (p.header) {
		finish(&p);
		return;
	}
	section_unread(s, "gpus", "nvidia-smi topo printed no matrix");
	section_set_status(s, SECTION_FAILED);
}
