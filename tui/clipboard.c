#include "tui/clipboard.h"

#include <stdint.h>
#include <string.h>

#include "collectors/compiler.h"

/* Terminals without OSC: the console prints what it does not know. */
static const char *const without[] = {"linux", "vt100", "vt102", "vt220", "ansi", "dumb", "cons25"};

/* screen(1) passes strings of up to 768 bytes; a base64 group must not be torn. */
#define SCREEN_CHUNK 256

static size_t base64(char *out, const unsigned char *in, size_t n)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t o = 0;

	for (size_t i = 0; i < n; i += 3) {
		uint32_t v = (uint32_t)in[i] << 16;

		v |= i + 1 < n ? (uint32_t)in[i + 1] << 8 : 0;
		v |= i + 2 < n ? in[i + 2] : 0;
		out[o++] = digits[v >> 18];
		out[o++] = digits[v >> 12 & 63];
		out[o++] = i + 1 < n ? digits[v >> 6 & 63] : '=';
		out[o++] = i + 2 < n ? digits[v & 63] : '=';
	}
	out[o] = '\0';
	return o;
}

static enum err_code add_screen(struct buf *out, const char *payload, size_t n)
{
	enum err_code c = buf_add_str(out, "\033P\033]52;c;");

	for (size_t i = 0; i < n && c == ERR_OK; i += SCREEN_CHUNK) {
		if (i)
			c = buf_add_str(out, "\033\\\033P");
		if (c == ERR_OK)
			c = buf_add(out, payload + i, n - i < SCREEN_CHUNK ? n - i : SCREEN_CHUNK);
	}
	return c == ERR_OK ? buf_add_str(out, "\007\033\\") : c;
}

bool clipboard_sequence(struct buf *out, const char *text, const char *term, bool tmux)
{
	char payload[(CLIPBOARD_MAX + 2) / 3 * 4 + 1];
	size_t len = strlen(text);
	enum err_code c;

	for (size_t i = 0; i < ARRAY_LEN(without); i++)
		if (!term || strcmp(term, without[i]) == 0)
			return false;
	if (len > CLIPBOARD_MAX)
		return false;
	size_t n = base64(payload, (const unsigned char *)text, len);

	if (!tmux && strncmp(term, "screen", 6) == 0)
		return add_screen(out, payload, n) == ERR_OK;
	c = buf_addf(out, "\033]52;c;%s\007", payload);
	if (c == ERR_OK && tmux)
		c = buf_addf(out, "\033Ptmux;\033\033]52;c;%s\007\033\\", payload);
	return c == ERR_OK;
}
