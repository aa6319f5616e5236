#include "tui/detail_pair.h"
#include "tui/heat_view.h"

void heat_pair_draw(struct heat_view *v, const struct ui *ui, struct grid *g, struct rect r)
{
	int64_t second = ui->now_mono_ms / 1000;

	if (v->doc_s != second || v->doc.width != r.w - 2) {
		doc_reset(&v->doc, r.w - 2);
		detail_pair(&v->doc, ui, v->row_node, v->col_node);
		v->doc_s = second;
		v->doc_scroll.n = v->doc.nlines;
	}
	v->doc_scroll.page = r.h > 0 ? (size_t)r.h : 0;
	scroll_fix(&v->doc_scroll);
	doc_draw(&v->doc, ui, g, r, &v->doc_scroll);
}
