#include "collectors/probe.h"

#include "collectors/frame.h"

/* Made from collectors/probe.sh by the Makefile. */
extern const char embed_probe_sh[];
extern const size_t embed_probe_sh_len;

const char *probe_script(size_t *len)
{
	if (len)
		*len = embed_probe_sh_len;
	return embed_probe_sh;
}

static enum err_code add_names(struct buf *out, unsigned mask, const char *between)
{
	const char *lead = between;

	for (int id = 0; id < SECTION_COUNT; id++) {
		if (!(mask & (1u << id)))
			continue;
		enum err_code rc = buf_addf(out, "%s%s", lead, section_desc(id)->name);

		if (rc)
			return rc;
		lead = " ";
	}
	return buf_add_str(out, "\n");
}

/* The nonce becomes a word of shell text: it must be nothing but hex digits. */
static bool nonce_is_plain(const char *nonce)
{
	size_t n = strspn(nonce, "0123456789abcdef");

	return n == FRAME_NONCE_LEN && nonce[n] == '\0';
}

enum err_code probe_start_text(struct buf *out, const char *nonce, unsigned mask)
{
	if (!nonce_is_plain(nonce))
		return ERR_BUG;
	enum err_code rc = buf_add(out, embed_probe_sh, embed_probe_sh_len);

	if (rc)
		return rc;
	rc = buf_addf(out, "hp_main %s", nonce);
	if (rc)
		return rc;
	return add_names(out, mask, " ");
}

enum err_code probe_request_text(struct buf *out, unsigned mask)
{
	return add_names(out, mask, "");
}
