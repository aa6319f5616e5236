#include "tui/detail.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "collectors/compiler.h"
#include "tui/detail_table.h"
#include "tui/fmt.h"

static void put_state(struct doc *d, const struct ui *ui, const struct node *n)
{
	char text[256];
	char ago[FMT_MAX];
	char took[FMT_MAX] = "";
	int64_t age = n->last_ok_mono_ms ? ui->now_mono_ms - n->last_ok_mono_ms : -1;

	if (n->answer_ms >= 0)
		snprintf(took, sizeof(took), " in %lld ms", (long long)n->answer_ms);
	snprintf(text, sizeof(text), "%s %s %s %s%s", theme_state_glyph(ui->gl, n->state),
		node_state_name(n->state), ui->gl->sep,
		age < 0 ? "never answered" : fmt_ago(ago, age), age < 0 ? "" : took);
	doc_line(d);
	doc_put(d, 1, theme_state_style(n->state), text);
	if (n->error) {
		doc_line(d);
		doc_wrap(d, 3, STYLE_LOST, n->error);
	}
	if (n->next_try_mono_ms > ui->now_mono_ms) {
		doc_line(d);
		doc_putf(d, 3, STYLE_DIM,
			"%u failure%s in a row %s next try in %lld s (F5 tries now)", n->failures,
			n->failures == 1 ? "" : "s", ui->gl->sep,
			(long long)(n->next_try_mono_ms - ui->now_mono_ms + 999) / 1000);
	}
}

void detail_identity(struct doc *d, const struct ui *ui, size_t node)
{
	const struct node *n = &ui->snap->nodes[node];
	const char *type = node_instance_type(n);
	const struct {
		const char *label;
		const char *value;
	} items[] = {
		{"type", type},
		{"group", n->group},
		{"az", n->placement.az},
		{"spine", n->placement.spine},
		{"leaf", n->placement.leaf},
		{"ultraserver", n->placement.ultraserver},
		{"id", strcmp(n->id, n->name) == 0 ? NULL : n->id},
		{"address", n->address},
	};
	int x = grid_width(n->name) + 3;

	doc_line(d);
	doc_put(d, 1, STYLE_BRIGHT, n->name);
	doc_copy(d, n->name);
	for (size_t i = 0; i < ARRAY_LEN(items); i++) {
		if (!items[i].value)
			continue;
		int w = grid_width(items[i].label) + 1 + grid_width(items[i].value);

		if (x > 3 && x + w > d->width) {
			doc_line(d);
			x = 3;
		}
		doc_put(d, x, STYLE_DIM, items[i].label);
		doc_put(d, x + grid_width(items[i].label) + 1, STYLE_TEXT, items[i].value);
		x += w + 2;
	}
	put_state(d, ui, n);
}

static void add_unread(struct doc *d, const struct ui *ui, const struct section *s)
{
	for (size_t i = 0; i < s->unread_n; i++) {
		doc_line(d);
		doc_put(d, 3, STYLE_UNKNOWN, ui->gl->unknown);
		doc_putf(d, 5, STYLE_UNKNOWN, "%s could not be read:", s->unread[i].what);
		doc_wrap(d, 5 + grid_width(s->unread[i].what) + 20, STYLE_TEXT, s->unread[i].why);
	}
}

/* Words and values that a reading does not hold itself. */
static void add_extra(struct doc *d, const struct node *n, enum section_id id)
{
	char text[FMT_MAX];

	if (id == SECTION_CPU) {
		struct opt_f64 iowait = node_iowait_pct(n);

		doc_line(d);
		doc_put(d, 3, STYLE_DIM, "iowait");
		doc_put(d, 23, opt_has(iowait) ? STYLE_TEXT : STYLE_DIM,
			opt_has(iowait) ? fmt_pct(text, iowait.v) : "- (needs two answers)");
	} else if (id == SECTION_STACK) {
		doc_line(d);
		doc_wrap(d, 3, STYLE_DIM,
			"Read on the host. A job's container may bring its own EFA, libfabric, "
			"NCCL and "
			"CUDA: what is missing here is no fault.");
	}
}

static void add_section(struct doc *d, const struct ui *ui, const struct node *n,
	enum section_id id, const struct detail_marks *marks)
{
	const struct section *s = n->section[id];
	const struct section_desc *desc = section_desc(id);
	char note[128];
	char ago[FMT_MAX];

	fmt_ago(ago, ui->now_mono_ms - s->meta.mono_ms);
	if (s->status == SECTION_OK)
		snprintf(note, sizeof(note), "%s", ago);
	else
		snprintf(note, sizeof(note), "%s %s %s", section_status_name(s->status),
			ui->gl->sep, ago);
	doc_line(d);
	doc_heading(d, desc->title, note, s->status == SECTION_OK ? STYLE_DIM : STYLE_UNKNOWN);
	add_extra(d, n, id);
	for (size_t i = 0; i < desc->schema.ntables; i++)
		detail_table(d, s, &desc->schema.tables[i], marks);
	detail_values(d, s);
	add_unread(d, ui, s);
}

static void find_marks(const struct ui *ui, size_t node, struct detail_marks *marks)
{
	marks->n = 0;
	for (size_t i = 0; ui->jm && i < ui->jm->n && marks->n < ARRAY_LEN(marks->parts); i++) {
		const struct finding *f = &ui->jm->findings[i];

		if (f->node == node && f->severity == SEVERITY_CONCERN && f->part && f->part[0])
			marks->parts[marks->n++] = f->part;
	}
}

/* One line that names the sections with this status, or without an answer. */
static void add_names(struct doc *d, const struct node *n, const char *title, bool answered)
{
	char text[512];
	size_t used = 0;

	text[0] = '\0';
	for (int id = 0; id < SECTION_COUNT; id++) {
		const struct section *s = n->section[id];

		if (answered ? !(s && s->status == SECTION_UNAVAILABLE) : s != NULL)
			continue;
		int put = snprintf(text + used, sizeof(text) - used, "%s%s", used ? ", " : "",
			section_desc((enum section_id)id)->title);

		if (put > 0 && used + (size_t)put < sizeof(text))
			used += (size_t)put;
	}
	if (!used)
		return;
	doc_line(d);
	doc_line(d);
	doc_put(d, 1, STYLE_DIM, title);
	doc_wrap(d, 2 + grid_width(title), answered ? STYLE_DIM : STYLE_UNKNOWN, text);
}

void detail_sections(struct doc *d, const struct ui *ui, size_t node)
{
	static const enum section_id order[] = {SECTION_GPU, SECTION_XID, SECTION_NVLINK,
		SECTION_EFA, SECTION_EFA_COUNTERS, SECTION_CPU, SECTION_GOVERNOR, SECTION_CAPACITY,
		SECTION_LUSTRE_DF, SECTION_CLIENT_IO, SECTION_MOUNTS, SECTION_SHM, SECTION_STACK,
		SECTION_RAS, SECTION_NEURON, SECTION_FABRICMANAGER, SECTION_GPU_TOPO, SECTION_HOST};
	const struct node *n = &ui->snap->nodes[node];
	struct detail_marks marks;

	_Static_assert(ARRAY_LEN(order) == SECTION_COUNT, "every section has its place");
	find_marks(ui, node, &marks);
	for (size_t i = 0; i < ARRAY_LEN(order); i++) {
		const struct section *s = n->section[order[i]];

		if (s && s->status != SECTION_UNAVAILABLE)
			add_section(d, ui, n, order[i], &marks);
	}
	add_names(d, n, "Not on this node:", true);
	add_names(d, n, "Not answered:", false);
}
