#include "tui/page.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "collectors/compiler.h"
#include "tui/args.h"

#define TEXT_MAX (64u << 10) /* of one paragraph */

/* SGR: bold red, bold cyan, green, bold; meaning never hangs on colour alone. */
static const char *const tag_names[] = {"[OK]", "[INFO]", "[CONCERN]"};
static const char *const tag_colors[] = {"\033[32m", "\033[36m", "\033[1;31m"};

#define BOLD  "\033[1m"
#define PLAIN "\033[0m"

void page_init(struct page *p, struct buf *out, const struct report_style *style)
{
	*p = (struct page){out, style, ERR_OK};
}

enum err_code page_error(const struct page *p)
{
	return p->rc;
}

const char *page_tag_name(enum severity tag)
{
	return tag_names[tag];
}

static void add(struct page *p, const char *text)
{
	if (p->rc == ERR_OK)
		p->rc = buf_add_str(p->out, text);
}

static void pad(struct page *p, size_t n)
{
	if (p->rc == ERR_OK)
		p->rc = buf_addf(p->out, "%*s", (int)n, "");
}

enum err_code page_ascii(struct buf *out, const char *text)
{
	static const struct {
		const char *sign;
		const char *spelling;
	} known[] = {
		{"\xe2\x86\x92", "->"},  /* arrow */
		{"\xc2\xa7", "S."},      /* section sign */
		{"\xe2\x80\xa6", "..."}, /* ellipsis */
		{"\xc2\xb0", ""},        /* degree */
		{"\xc2\xb7", "-"},       /* middle dot */
		{"\xe2\x89\xa5", ">="}, {"\xe2\x89\xa4", "<="}, {"\xc3\x97", "x"}, /* times */
		{"\xe2\x80\x93", "-"},                                             /* en dash */
		{"\xe2\x80\x94", "-"},                                             /* em dash */
		{"\xe2\x80\x99", "'"}, {"\xc2\xb5", "u"},                          /* micro */
	};
	enum err_code rc = ERR_OK;

	while (*text && rc == ERR_OK) {
		size_t n = 1;
		const char *as = "?";

		if (!((unsigned char)*text & 0x80)) {
			rc = buf_add(out, text++, 1);
			continue;
		}
		while (((unsigned char)text[n] & 0xc0) == 0x80)
			n++;
		for (size_t i = 0; i < ARRAY_LEN(known); i++)
			if (strlen(known[i].sign) == n && memcmp(known[i].sign, text, n) == 0)
				as = known[i].spelling;
		rc = buf_add_str(out, as);
		text += n;
	}
	return rc;
}

static void format(struct page *p, struct buf *b, const char *fmt, va_list ap) ATTR_PRINTF(3, 0);

/* Formats into b, in ASCII where the style says so. */
static void format(struct page *p, struct buf *b, const char *fmt, va_list ap)
{
	va_list again;

	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, again);

	va_end(again);
	if (n < 0 || (size_t)n > TEXT_MAX) {
		p->rc = ERR_TOOBIG;
		return;
	}
	struct buf raw = BUF_INIT(TEXT_MAX);
	char chunk[512];
	char *text = chunk;
	enum err_code rc = ERR_OK;

	if ((size_t)n < sizeof(chunk)) {
		vsnprintf(chunk, sizeof(chunk), fmt, ap);
	} else {
		/* Room for the text, then the text over it. */
		rc = buf_addf(&raw, "%*s", n, "");
		if (rc == ERR_OK) {
			vsnprintf(raw.data, (size_t)n + 1, fmt, ap);
			text = raw.data;
		}
	}
	if (rc == ERR_OK)
		rc = p->style->utf8 ? buf_add_str(b, text) : page_ascii(b, text);
	if (p->rc == ERR_OK)
		p->rc = rc;
	buf_release(&raw);
}

void page_blank(struct page *p)
{
	add(p, "\n");
}

void page_heading(struct page *p, const char *text)
{
	struct buf b = BUF_INIT(TEXT_MAX);

	if (p->rc == ERR_OK)
		p->rc = p->style->utf8 ? buf_add_str(&b, text) : page_ascii(&b, text);
	add(p, "\n");
	if (p->style->color)
		add(p, BOLD);
	add(p, buf_str(&b));
	if (p->style->color)
		add(p, PLAIN);
	add(p, "\n");
	buf_release(&b);
}

static void wrapped(struct page *p, const struct buf *text, size_t at)
{
	if (p->rc == ERR_OK)
		p->rc = args_wrap(p->out, buf_str(text), at, at, p->style->width);
	add(p, "\n");
}

void page_tagged(struct page *p, enum severity tag, const char *fmt, ...)
{
	struct buf b = BUF_INIT(TEXT_MAX * 2);
	va_list ap;

	va_start(ap, fmt);
	format(p, &b, fmt, ap);
	va_end(ap);
	if (p->style->color)
		add(p, tag_colors[tag]);
	add(p, tag_names[tag]);
	if (p->style->color)
		add(p, PLAIN);
	pad(p, PAGE_INDENT - strlen(tag_names[tag]));
	wrapped(p, &b, PAGE_INDENT);
	buf_release(&b);
}

void page_item(struct page *p, size_t indent, const char *lead, const char *fmt, ...)
{
	struct buf b = BUF_INIT(TEXT_MAX * 2);
	struct buf front = BUF_INIT(256);
	size_t cells = 0;
	va_list ap;

	va_start(ap, fmt);
	format(p, &b, fmt, ap);
	va_end(ap);
	if (p->rc == ERR_OK)
		p->rc = p->style->utf8 ? buf_add_str(&front, lead) : page_ascii(&front, lead);
	for (const char *c = buf_str(&front); *c; c++)
		cells += ((unsigned char)*c & 0xc0) != 0x80;
	pad(p, indent);
	add(p, buf_str(&front));
	wrapped(p, &b, indent + cells);
	buf_release(&front);
	buf_release(&b);
}

void page_verbatim(struct page *p, size_t indent, const char *text)
{
	pad(p, indent);
	add(p, text);
	add(p, "\n");
}
