/*
 * stack: versions of what NCCL runs on, on the host. What is loaded comes
 * before what is installed: for each field the first source that tells it wins.
 */
#include "collectors/section.h"

#include <string.h>

#include "collectors/marks.h"

struct stack_parse {
	struct section *s;
	struct stack_reading *r;
	struct opt_str nccl_package; /* counts only where no library file is listed */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static struct span after(struct span s, size_t n)
{
	return (struct span){s.p + n, s.n - n};
}

/*
 * A package version without epoch, release and distribution: "1:2.21.5-1+cuda12.4"
 * is 2.21.5, "1.8.0amzn1.0" is 1.8.0. Whatever else follows the digits (rc1, g)
 * belongs to the version and stays.
 */
static struct span upstream_version(struct span v)
{
	static const char *const ends[] = {"-", "+", "~", "amzn", ".amzn", "ubuntu"};
	size_t n = 0;
	struct span rest;
	uint64_t unused;

	if (span_lead_u64(v, &unused, &rest) && span_starts(rest, ":"))
		v = after(rest, 1);
	for (; n < v.n; n++)
		for (size_t i = 0; i < ARRAY_LEN(ends); i++)
			if (n && span_starts(after(v, n), ends[i]))
				return (struct span){v.p, n};
	return v;
}

static void set_version(struct stack_parse *p, struct opt_str *out, struct span v)
{
	v = span_trim(v);
	if (!opt_has(*out) && v.n && is_digit(v.p[0]))
		*out = section_str(p->s, upstream_version(v));
}

static void set_package(struct stack_parse *p, struct span name, struct span version)
{
	const struct {
		const char *name;
		bool prefix;
		struct opt_str *out;
	} known[] = {
		{"efa", false, &p->r->efa_package},
		{"libfabric-aws", false, &p->r->libfabric},
		{"libfabric1-aws", false, &p->r->libfabric},
		{"libfabric1", false, &p->r->libfabric},
		{"libfabric", false, &p->r->libfabric},
		{"aws-ofi-nccl", false, &p->r->ofi_nccl},
		{"libnccl-ofi", true, &p->r->ofi_nccl},
		{"libnccl2", false, &p->nccl_package},
		{"libnccl", false, &p->nccl_package},
		{"rdma-core", false, &p->r->rdma_core},
		{"nvidia-container-toolkit", false, &p->r->container_toolkit},
		{"lustre-client", true, &p->r->lustre_client},
		{"kmod-lustre-client", true, &p->r->lustre_client},
		{"aws-neuronx-dkms", false, &p->r->neuron_driver},
		{"aws-neuron-dkms", false, &p->r->neuron_driver},
		{"openmpi", false, &p->r->openmpi},
		{"openmpi40-aws", false, &p->r->openmpi},
		{"openmpi50-aws", false, &p->r->openmpi},
		{"openmpi-aws", false, &p->r->openmpi},
	};

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (known[i].prefix ? span_starts(name, known[i].name)
				    : span_eq(name, known[i].name))
			set_version(p, known[i].out, version);
}

/* Where sep is followed by a digit, or v.n. */
static size_t version_at(struct span v, char sep)
{
	for (size_t i = 1; i + 1 < v.n; i++)
		if (v.p[i] == sep && is_digit(v.p[i + 1]))
			return i;
	return v.n;
}

/*
 * "libfabric1_1.8.0amzn1.0_amd64" of Debian, or RPM's
 * "libfabric-aws-1.22.0amzn4.0-1.amzn2023.x86_64", which has a "_6" near its end.
 */
static void read_package_name(struct stack_parse *p, struct span word)
{
	size_t under = version_at(word, '_');
	size_t dash = version_at(word, '-');
	size_t at = under < dash ? under : dash;

	if (at == word.n)
		return;
	struct span rest = after(word, at + 1);
	struct span version;

	if (span_field(&rest, under < dash ? '_' : '\0', &version))
		set_package(p, (struct span){word.p, at}, version);
}

static void read_efa_packages(struct stack_parse *p, const struct marks_piece *piece)
{
	static const char head[] = "# EFA installer version:";
	struct span text = piece->body;
	struct span line;
	struct span word;

	while (span_line(&text, &line)) {
		if (span_starts(line, head))
			set_version(p, &p->r->efa_installer, after(line, sizeof(head) - 1));
		if (span_starts(line, "#"))
			continue;
		while (span_word(&line, &word))
			read_package_name(p, word);
	}
}

/* The suffix g of the efa driver's version: built with GPUDirect. */
static void set_efa_version(struct stack_parse *p, struct opt_str *out, struct span v)
{
	v = span_trim(v);
	if (!v.n || !is_digit(v.p[0]))
		return;
	*out = section_str(p->s, v);
	if (!opt_has(p->r->efa_kmod_gdr))
		p->r->efa_kmod_gdr = opt_bool(span_ends(v, "g"));
	if (!opt_has(p->r->efa_kmod_numeric))
		p->r->efa_kmod_numeric =
			section_str(p->s, span_ends(v, "g") ? (struct span){v.p, v.n - 1} : v);
}

/* The file's line, or "path:version". */
static struct span first_value(const struct marks_piece *piece)
{
	struct span text = piece->body;
	struct span line = SPAN_INIT;
	struct span path;
	struct span value;

	if (!span_line(&text, &line))
		return line;
	return marks_path(line, &path, &value) ? value : span_trim(line);
}

static void read_module(struct stack_parse *p, const struct marks_piece *piece)
{
	if (span_eq(piece->args, "efa"))
		set_efa_version(p, &p->r->efa_kmod, first_value(piece));
	else if (span_eq(piece->args, "lustre"))
		set_version(p, &p->r->lustre_client, first_value(piece));
	else if (span_eq(piece->args, "neuron"))
		set_version(p, &p->r->neuron_driver, first_value(piece));
}

/* srcversion and vermagic end in the same letters: only the line's start counts. */
static void read_modinfo(struct stack_parse *p, const struct marks_piece *piece)
{
	static const char key[] = "version:";
	struct span text = piece->body;
	struct span line;

	while (span_line(&text, &line))
		if (span_starts(line, key))
			set_efa_version(p, &p->r->efa_kmod_file, after(line, sizeof(key) - 1));
}

/* "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May 12 ..." */
static void read_nvidia(struct stack_parse *p, const struct marks_piece *piece)
{
	struct span text = piece->body;
	struct span line;
	struct span word;

	while (span_line(&text, &line)) {
		ptrdiff_t at = span_find(line, "Kernel Module");

		if (at < 0)
			continue;
		line = after(line, (size_t)at);
		while (span_word(&line, &word))
			if (is_digit(word.p[0]) && span_find(word, ".") > 0)
				set_version(p, &p->r->nvidia_driver, word);
	}
}

static void read_packages(struct stack_parse *p, const struct marks_piece *piece)
{
	struct span text = piece->body;
	struct span line;
	struct span name;
	struct span version;

	while (span_line(&text, &line))
		if (span_word(&line, &name) && span_word(&line, &version))
			set_package(p, name, version);
}

/* Library files "…/libnccl.so.2.21.5": every version that is there, in order of appearance. */
static void read_nccl(struct stack_parse *p, const struct marks_piece *piece)
{
	static const char so[] = "libnccl.so.";
	struct span text = piece->body;
	struct span line;
	char list[200];
	size_t n = 0;

	while (span_line(&text, &line)) {
		ptrdiff_t at = span_find(line, so);

		if (at < 0)
			continue;
		struct span v = span_trim(after(line, (size_t)at + sizeof(so) - 1));
		struct span seen = {list, n};
		struct span one;
		bool again = !v.n || span_find(v, ".") < 0;

		while (n && span_field(&seen, ',', &one))
			again = again || marks_same(one, v);
		if (again || n + v.n + 1 > sizeof(list))
			continue;
		if (n)
			list[n++] = ',';
		memcpy(list + n, v.p, v.n);
		n += v.n;
	}
	/* The library that programs load may be newer or older than the package. */
	if (n && piece->whole)
		p->r->nccl = section_str(p->s, (struct span){list, n});
}

/* "/usr/local/cuda -> /usr/local/cuda-12.4", then lines of version.json, which tells more. */
static void read_cuda(struct stack_parse *p, const struct marks_piece *piece)
{
	static const char dir[] = "/cuda-";
	static const char key[] = "\"version\"";
	struct span text = piece->body;
	struct span line;
	struct opt_str exact = {OPT_UNKNOWN, NULL};
	struct opt_str coarse = {OPT_UNKNOWN, NULL};

	while (span_line(&text, &line)) {
		ptrdiff_t at = span_find(line, dir);

		if (at >= 0) {
			set_version(p, &coarse, after(line, (size_t)at + sizeof(dir) - 1));
			continue;
		}
		at = span_find(line, key);
		if (at < 0)
			continue;
		line = after(line, (size_t)at + sizeof(key) - 1);
		while (line.n && !is_digit(line.p[0]))
			line = after(line, 1);
		while (line.n && line.p[line.n - 1] != '.' && !is_digit(line.p[line.n - 1]))
			line.n--;
		set_version(p, &exact, line);
	}
	/* "12.4" beside the peers' "12.4.1" would look like drift when only the text was cut. */
	if (opt_has(exact))
		p->r->cuda = exact;
	else if (piece->whole)
		p->r->cuda = coarse;
}

/* The plugin's library carries no version in its name; a text that names one is used. */
static void read_ofi_nccl(struct stack_parse *p, const struct marks_piece *piece)
{
	static const char *const names[] = {"aws-ofi-nccl", "NCCL OFI"};
	struct span text = piece->body;
	struct span line;
	struct span word;

	while (span_line(&text, &line)) {
		for (size_t i = 0; i < ARRAY_LEN(names); i++) {
			ptrdiff_t at = span_ifind(line, names[i]);
			struct span rest = at < 0 ? (struct span)SPAN_INIT
						  : after(line, (size_t)at + strlen(names[i]));

			if (span_word(&rest, &word))
				set_version(p, &p->r->ofi_nccl, word);
		}
	}
}

/* Names of loaded modules, one a line (lsmod's further columns are ignored). */
static void read_modules(struct stack_parse *p, const struct marks_piece *piece)
{
	struct span text = piece->body;
	struct span line;
	struct span name;
	bool gdrdrv = false;
	bool peermem = false;

	while (span_line(&text, &line)) {
		if (!span_word(&line, &name))
			continue;
		gdrdrv = gdrdrv || span_eq(name, "gdrdrv");
		peermem = peermem || span_eq(name, "nvidia_peermem") ||
			  span_eq(name, "nvidia-peermem");
	}
	/* "Not loaded" needs the whole list. */
	if (gdrdrv || piece->whole)
		p->r->gdrdrv = opt_bool(gdrdrv);
	if (peermem || piece->whole)
		p->r->peermem = opt_bool(peermem);
}

static void read_bare(struct stack_parse *p, const struct marks_piece *piece)
{
	if (span_find(piece->body, "# EFA installer version") >= 0) {
		read_efa_packages(p, piece);
	} else if (span_find(piece->body, "srcversion:") >= 0 ||
		   span_starts(piece->body, "filename:") || span_starts(piece->body, "version:")) {
		read_modinfo(p, piece);
	} else if (span_find(piece->body, "Kernel Module") >= 0) {
		read_nvidia(p, piece);
	} else if (!marks_missing(piece->body)) {
		struct span text = span_trim(piece->body);

		section_unread(p->s, "stack", "\"%.*s\"", (int)(text.n > 80 ? 80 : text.n), text.p);
	}
}

void parse_stack(struct section *s, struct span text)
{
	static const struct {
		const char *name;
		void (*read)(struct stack_parse *p, const struct marks_piece *piece);
	} pieces[] = {
		{"efa_installed_packages", read_efa_packages},
		{"module", read_module},
		{"modinfo", read_modinfo},
		{"nvidia", read_nvidia},
		{"packages", read_packages},
		{"ofi_nccl", read_ofi_nccl},
		{"nccl", read_nccl},
		{"cuda", read_cuda},
		{"modules", read_modules},
	};
	struct stack_parse p = {.s = s, .r = s->mutable_reading};
	struct marks m;
	struct marks_piece piece;
	bool any = false;

	marks_init(&m, s, text);
	while (marks_next(&m, &piece)) {
		any = true;
		if (!piece.mark.n)
			read_bare(&p, &piece);
		for (size_t i = 0; i < ARRAY_LEN(pieces); i++)
			if (span_eq(piece.name, pieces[i].name))
				pieces[i].read(&p, &piece);
	}
	if (!opt_has(p.r->nccl) && !m.cut)
		p.r->nccl = p.nccl_package;
	if (!any && s->unread_n == 0 && s->status == SECTION_OK)
		section_unread(s, "stack", "nothing was printed");
}
