/*
 * A page of text being written: tags, headings, paragraphs that wrap. Errors
 * stick: write on, ask for page_error at the end. Pure.
 */
#ifndef TUI_PAGE_H
#define TUI_PAGE_H

#include <stddef.h>

#include "collectors/buf.h"
#include "rules/rule.h"
#include "tui/report.h"

/* Where the words behind a tag start: the widest tag and a blank. */
#define PAGE_INDENT 10

struct page {
	struct buf *out; /* borrowed */
	const struct report_style *style;
	enum err_code rc;
};

void page_init(struct page *p, struct buf *out, const struct report_style *style);
enum err_code page_error(const struct page *p);

void page_heading(struct page *p, const char *text);
void page_blank(struct page *p);

/* "[CONCERN] text", wrapped, further lines under the text. */
void page_tagged(struct page *p, enum severity tag, const char *fmt, ...) ATTR_PRINTF(3, 4);

/* A paragraph that starts with lead at the indent; further lines are under what follows lead. */
void page_item(struct page *p, size_t indent, const char *lead, const char *fmt, ...)
	ATTR_PRINTF(4, 5);

/* One line as it is, never wrapped: commands, which are to be copied. */
void page_verbatim(struct page *p, size_t indent, const char *text);

/* "[OK]", "[INFO]", "[CONCERN]"; static. */
const char *page_tag_name(enum severity tag);

/* text in ASCII: known signs by their spelling, the rest as '?'. Appends to out. */
enum err_code page_ascii(struct buf *out, const char *text) ATTR_MUST_CHECK;

#endif
