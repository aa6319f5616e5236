/* What is shown, and what is wrong, in two lines; and a screen for when there is nothing. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tui/fmt.h"
#include "tui/heat_view.h"
#include "tui/heat_words.h"

static int put(struct grid *g, struct rect r, int x, int style, const char *text)
{
	return x < r.x + r.w ? x + grid_put(g, r, x, r.y, style, text, -1) : x;
}

/* "watching /fsx/sweep, 31 files" of the first feed that has something to say. */
static void feed_words(const struct ui *ui, char *out, size_t size, int *style)
{
	const struct sweep_picture *p = ui->sweep;

	out[0] = '\0';
	*style = STYLE_DIM;
	for (size_t i = 0; i < p->n_feeds; i++) {
		if (p->feeds[i].error[0]) {
			snprintf(out, size, "%s", p->feeds[i].error);
			*style = STYLE_LOST;
			return;
		}
	}
	if (p->n_feeds && p->feeds[0].growing)
		snprintf(out, size, "%zu %s being written", p->feeds[0].growing,
			p->feeds[0].growing == 1 ? "file" : "files");
	else if (p->n_feeds && !p->feeds[0].first_look)
		snprintf(out, size, "reading %.60s", p->feeds[0].label);
}

static void draw_what(const struct ui *ui, struct grid *g, struct rect r)
{
	const struct pair_set *set = ui->sweep->set;
	char key[96];
	char text[200];
	char age[FMT_MAX];
	int style;
	int x = put(g, r, r.x + 1, STYLE_BRIGHT,
		heat_key_words(key, sizeof(key), &set->key, ui->gl->sep));

	/* The usual half goes without saying where there is little room. */
	if (set->key.tool == BW_NCCL_TESTS && (r.w >= 100 || set->in_place))
		x = put(g, r, x, STYLE_DIM, set->in_place ? " in-place" : " out-of-place");
	snprintf(text, sizeof(text), "  %zu of %zu pairs", set->measured, pair_count(set->n));
	x = put(g, r, x, STYLE_TEXT, text);
	if (ui->sweep->at->n_untested) {
		snprintf(text, sizeof(text), ", %zu %s not tested", ui->sweep->at->n_untested,
			ui->sweep->at->n_untested == 1 ? "node" : "nodes");
		x = put(g, r, x, STYLE_UNKNOWN, text);
	}
	if (set->newest_wall_ms) {
		snprintf(text, sizeof(text), "  newest %s",
			fmt_ago(age, ui->now_wall_ms > set->newest_wall_ms
					     ? ui->now_wall_ms - set->newest_wall_ms
					     : 0));
		x = put(g, r, x, STYLE_DIM, text);
	}
	feed_words(ui, text, sizeof(text), &style);
	if (text[0]) {
		x = put(g, r, x, STYLE_DIM, "  ");
		grid_put_cut(g, r, x, r.y, r.x + r.w - x, style, text);
	}
}

/* As many suspects as fit, the surest first; else that there are none. */
static void draw_wrong(
	const struct heat_view *v, const struct ui *ui, struct grid *g, struct rect r)
{
	const struct attribution *at = ui->sweep->at;
	const struct pair_set *set = ui->sweep->set;
	char text[256];
	int x = r.x + 1;

	for (size_t i = 0; i < at->n_nodes; i++) {
		snprintf(text, sizeof(text), "%s %s %s%.0f%%  ", ui->gl->concern,
			set->nodes[at->nodes[i].node].name, ui->ascii ? "-" : "−",
			100 * at->nodes[i].deficit);
		if (x + grid_width(text) > r.x + r.w - 10) {
			snprintf(text, sizeof(text), "+%zu", at->n_nodes - i);
			put(g, r, x, STYLE_CONCERN, text);
			return;
		}
		x = put(g, r, x, STYLE_CONCERN, text);
	}
	for (size_t i = 0; i < at->n_links; i++) {
		const struct suspect_link *l = &at->links[i];

		snprintf(text, sizeof(text), "%s link %s %s %s %s%.0f%%  ", ui->gl->concern,
			set->nodes[l->a].name, ui->gl->dash, set->nodes[l->b].name,
			ui->ascii ? "-" : "−", 100 * l->deficit);
		if (x + grid_width(text) > r.x + r.w - 10)
			break;
		x = put(g, r, x, STYLE_CONCERN, text);
	}
	if (at->topology != TOPOLOGY_NONE) {
		snprintf(text, sizeof(text), "%s %s %s%.0f%%%s%s  ", ui->gl->info,
			topology_class_name(at->topology), ui->ascii ? "-" : "−",
			100 * at->topology_effect, at->topology_where ? " " : "",
			at->topology_where ? at->topology_where : "");
		x = put(g, r, x, STYLE_INFO, text);
	}
	size_t failed = v->levels->failed;

	if (failed) {
		snprintf(text, sizeof(text), "%s %zu failed  ", heat_glyph(HEAT_FAILED, ui->ascii),
			failed);
		x = put(g, r, x, STYLE_LOST, text);
	}
	if (at->n_transients && x < r.x + r.w - 16) {
		snprintf(text, sizeof(text), "%zu passing  ", at->n_transients);
		x = put(g, r, x, STYLE_DIM, text);
	}
	if (x == r.x + 1)
		grid_put_cut(g, r, x, r.y, r.w - 2, at->enough ? STYLE_OK : STYLE_UNKNOWN,
			at->n_why ? at->why[0] : "no node and no link stands out");
}

void heat_head_draw(const struct heat_view *v, const struct ui *ui, struct grid *g, struct rect r)
{
	if (r.h > 1)
		draw_what(ui, g, layout_top(&r, 1));
	draw_wrong(v, ui, g, layout_top(&r, 1));
}

/* ---- nothing to show ---- */

static void line(struct grid *g, struct rect *r, int style, const char *text)
{
	struct rect l = layout_top(r, 1);

	if (l.h)
		grid_put_cut(g, l, l.x + 2, l.y, l.w - 3, style, text);
}

static void how_to(struct grid *g, struct rect *r)
{
	line(g, r, STYLE_DIM, "");
	line(g, r, STYLE_HEAD, "Show a sweep, read as it is written:");
	line(g, r, STYLE_COMMAND, "  hyperpod-perf SOURCE --pairs /fsx/sweep");
	line(g, r, STYLE_COMMAND, "  hyperpod-perf SOURCE --pairs headnode:/fsx/sweep");
	line(g, r, STYLE_HEAD, "Print one to run (this program runs none):");
	line(g, r, STYLE_COMMAND, "  hyperpod-perf plan --nodes HOSTLIST --strategy fast");
	line(g, r, STYLE_HEAD, "See one:");
	line(g, r, STYLE_COMMAND, "  hyperpod-perf --demo=sweep");
}

void heat_empty_draw(const struct ui *ui, struct grid *g, struct rect r)
{
	char text[400];
	char words[300];

	line(g, &r, STYLE_DIM, "");
	if (!ui->sweep) {
		line(g, &r, STYLE_BRIGHT, "No benchmark of pairs is being read.");
		how_to(g, &r);
		return;
	}
	const struct sweep_picture *p = ui->sweep;

	if (p->set->n && ui->filter[0] && p->set->measured) {
		line(g, &r, STYLE_BRIGHT, "Fewer than two nodes match. Esc shows all.");
		return;
	}
	for (size_t i = 0; i < p->n_feeds; i++) {
		snprintf(text, sizeof(text), "%s %s: %zu files read%s%s",
			p->feeds[i].first_look ? "Watching" : "Reading", p->feeds[i].label,
			p->feeds[i].files, p->feeds[i].error[0] ? "; " : "", p->feeds[i].error);
		line(g, &r, p->feeds[i].error[0] ? STYLE_LOST : STYLE_BRIGHT, text);
	}
	line(g, &r, STYLE_UNKNOWN, "No pair has a figure yet.");
	heat_left_out_words(words, sizeof(words), &p->set->left_out);
	if (words[0]) {
		snprintf(text, sizeof(text), "Runs in no matrix: %s", words);
		line(g, &r, STYLE_TEXT, text);
	}
	if (p->set->left_out.nothing) {
		snprintf(text, sizeof(text), "%zu files hold nothing of a benchmark",
			p->set->left_out.nothing);
		line(g, &r, STYLE_TEXT, text);
	}
	how_to(g, &r);
}
