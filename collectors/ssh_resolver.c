/*
 * The asking side of ssh_options.h: which hosts share an answer of `ssh -G`,
 * the running children, and the answers kept.
 */
#include "collectors/ssh_options.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "collectors/buf.h"
#include "collectors/clock.h"
#include "collectors/log.h"
#include "collectors/spawn.h"
#include "collectors/ssh_config.h"
#include "collectors/xmalloc.h"

#define RUNNING_MAX 4 /* children at a time: more only wait for a CPU */
#define ANSWER_CAP  (1u << 20)
#define RUN_MAX_MS  20000 /* Match exec may take its time, but not for ever */

enum query_state { QUERY_WAITING, QUERY_RUNNING, QUERY_DONE, QUERY_FAILED };

struct ssh_query {
	char *key;  /* class, user and port */
	char *host; /* the first host of the class: the one that ssh is asked about */
	char *user;
	uint16_t port;
	enum query_state state;
	pid_t pid;
	int out_fd;
	int err_fd;
	int64_t started_ms;
	struct buf out;
	struct buf errors;
	struct ssh_options options;
	struct err err;
};

struct ssh_resolver {
	struct ssh_query **queries;
	size_t n;
	size_t cap;
	unsigned running;
	unsigned runs;
	struct ssh_config config;
	char *config_file;
	char *identity_file;
	char *known_hosts;
	bool accept_new;
	bool have_ssh;
	char *home;
	char *user;
	char local_host[256];
};

static void read_passwd(struct ssh_resolver *r)
{
	char space[4096];
	struct passwd pw;
	struct passwd *found = NULL;
	const char *home = getenv("HOME");
	const char *user = getenv("LOGNAME");

	/* As ssh: the password file's word on the home folder goes before $HOME. */
	if (getpwuid_r(getuid(), &pw, space, sizeof(space), &found) == 0 && found) {
		home = found->pw_dir;
		user = found->pw_name;
	}
	r->home = xstrdup(home && *home ? home : "/");
	r->user = xstrdup(user && *user ? user : "root");
	if (gethostname(r->local_host, sizeof(r->local_host) - 1) != 0)
		snprintf(r->local_host, sizeof(r->local_host), "localhost");
}

struct ssh_resolver *ssh_resolver_new(const struct ssh_settings *set)
{
	struct ssh_resolver *r = xcalloc(1, sizeof(*r));
	char *ssh = set->use_ssh_g ? spawn_find("ssh") : NULL;

	read_passwd(r);
	r->have_ssh = ssh != NULL;
	free(ssh);
	r->config_file = set->config_file ? xstrdup(set->config_file) : NULL;
	r->identity_file = set->identity_file ? xstrdup(set->identity_file) : NULL;
	r->known_hosts = set->known_hosts ? xstrdup(set->known_hosts) : NULL;
	r->accept_new = set->accept_new;
	ssh_config_read(&r->config, set->config_file, r->home);
	return r;
}

static void query_stop(struct ssh_resolver *r, struct ssh_query *q)
{
	if (q->state != QUERY_RUNNING)
		return;
	close(q->out_fd);
	close(q->err_fd);
	q->out_fd = q->err_fd = -1;
	spawn_abandon(q->pid, clock_mono_ms());
	q->pid = 0;
	r->running--;
}

static void query_free(struct ssh_query *q)
{
	buf_release(&q->out);
	buf_release(&q->errors);
	ssh_options_release(&q->options);
	free(q->key);
	free(q->host);
	free(q->user);
	free(q);
}

void ssh_resolver_free(struct ssh_resolver *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n; i++) {
		query_stop(r, r->queries[i]);
		query_free(r->queries[i]);
	}
	free(r->queries);
	ssh_config_release(&r->config);
	free(r->config_file);
	free(r->identity_file);
	free(r->known_hosts);
	free(r->home);
	free(r->user);
	free(r);
}

unsigned ssh_resolver_runs(const struct ssh_resolver *r)
{
	return r->runs;
}

/* ---- running ssh -G ---- */

static void query_fail(struct ssh_query *q, const char *why)
{
	struct span rest = {buf_str(&q->errors), q->errors.len};
	struct span line;
	struct span last = SPAN_INIT;
	char said[160];

	while (span_line(&rest, &line))
		if (span_trim(line).n)
			last = span_trim(line);
	text_printable(said, sizeof(said), last.p ? last.p : "", last.n);
	q->state = QUERY_FAILED;
	err_set(&q->err, ERR_USAGE, "ssh -G %.60s: %s%s%s (correct the ssh configuration)", q->host,
		why, *said ? ": " : "", said);
}

static void query_start(struct ssh_resolver *r, struct ssh_query *q)
{
	char port[8];
	const char *argv[12];
	size_t n = 0;
	int out[2];
	int err[2];

	snprintf(port, sizeof(port), "%u", (unsigned)q->port);
	argv[n++] = "ssh";
	if (r->config_file) {
		argv[n++] = "-F";
		argv[n++] = r->config_file;
	}
	if (q->user) {
		argv[n++] = "-l";
		argv[n++] = q->user;
	}
	if (q->port) {
		argv[n++] = "-p";
		argv[n++] = port;
	}
	argv[n++] = "-G";
	argv[n++] = "--";
	argv[n++] = q->host;
	argv[n] = NULL;
	q->state = QUERY_FAILED;
	if (spawn_pipe(out, &q->err))
		return;
	if (spawn_pipe(err, &q->err) == ERR_OK) {
		if (spawn_start(&q->pid, argv, -1, out[1], err[1], &q->err) == ERR_OK) {
			q->state = QUERY_RUNNING;
			q->out_fd = out[0];
			q->err_fd = err[0];
			q->started_ms = clock_mono_ms();
			r->running++;
			r->runs++;
		}
		close(err[1]);
	}
	close(out[1]);
	if (q->state != QUERY_RUNNING)
		close(out[0]);
	if (q->state != QUERY_RUNNING && q->err_fd >= 0)
		close(err[0]);
}

/* Reads what is there. True at the end of the stream. */
static bool drain(int fd, struct buf *b)
{
	char chunk[4096];

	for (;;) {
		ssize_t n = read(fd, chunk, sizeof(chunk));

		if (n == 0)
			return true;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno != EAGAIN && errno != EWOULDBLOCK;
		if (buf_add(b, chunk, (size_t)n))
			return true;
	}
}

static void query_pump(struct ssh_resolver *r, struct ssh_query *q)
{
	int status = 0;
	bool ended = drain(q->out_fd, &q->out);

	drain(q->err_fd, &q->errors);
	if (!ended && clock_mono_ms() - q->started_ms < RUN_MAX_MS)
		return;
	bool exited = ended && spawn_exited(q->pid, &status);

	if (ended && !exited && clock_mono_ms() - q->started_ms < RUN_MAX_MS)
		return; /* its descriptors are closed, it will be gone the next time */
	if (exited)
		q->pid = 0;
	query_stop(r, q);
	if (!ended)
		query_fail(q, "no answer within 20 s");
	else if (status != 0 || q->out.len == 0)
		query_fail(q, "failed");
	else {
		ssh_options_parse(&q->options, (struct span){buf_str(&q->out), q->out.len});
		/* A name that ssh took over unchanged is each host's own: see fill_query. */
		q->state = QUERY_DONE;
	}
	buf_release(&q->out);
	buf_release(&q->errors);
}

static void resolver_pump(struct ssh_resolver *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->queries[i]->state == QUERY_RUNNING)
			query_pump(r, r->queries[i]);
	for (size_t i = 0; i < r->n && r->running < RUNNING_MAX; i++)
		if (r->queries[i]->state == QUERY_WAITING)
			query_start(r, r->queries[i]);
}

/* ---- asking ---- */

struct ssh_query *ssh_options_ask(
	struct ssh_resolver *r, const char *host, const char *user, uint16_t port)
{
	char *class = r->have_ssh ? ssh_config_class(&r->config, host) : xstrdup("");
	size_t size = strlen(class) + (user ? strlen(user) : 0) + 16;
	char *key = xmalloc(size);
	struct ssh_query *q = NULL;

	/* Without ssh nothing but the defaults can come out, whoever asks. */
	snprintf(key, size, "%s\n%s\n%u", class, *class && user ? user : "",
		*class ? (unsigned)port : 0);
	for (size_t i = 0; i < r->n && !q; i++)
		if (strcmp(r->queries[i]->key, key) == 0)
			q = r->queries[i];
	if (q) {
		free(key);
		if (q->state == QUERY_FAILED)
			q->state = QUERY_WAITING; /* somebody may have corrected it */
	} else {
		q = xcalloc(1, sizeof(*q));
		q->key = key;
		q->host = xstrdup(host);
		q->user = user ? xstrdup(user) : NULL;
		q->port = port;
		q->out_fd = q->err_fd = -1;
		buf_init(&q->out, ANSWER_CAP);
		buf_init(&q->errors, ANSWER_CAP);
		ssh_options_default(&q->options);
		q->options.hash_known_hosts = r->config.hash_known_hosts;
		q->state = *class ? QUERY_WAITING : QUERY_DONE;
		xgrow((void **)&r->queries, &r->cap, r->n, sizeof(struct ssh_query *));
		r->queries[r->n++] = q;
	}
	free(class);
	return q;
}

/* What the operator's own options put over the configuration. */
static void apply_settings(const struct ssh_resolver *r, struct ssh_options *o)
{
	struct ssh_strings *ids = &o->identity_files;

	if (r->identity_file) {
		xgrow((void **)&ids->items, &ids->cap, ids->n, sizeof(*ids->items));
		memmove(ids->items + 1, ids->items, ids->n * sizeof(*ids->items));
		ids->items[0] = xstrdup(r->identity_file);
		ids->n++;
		o->identity_explicit = true;
	}
	if (r->known_hosts) {
		struct ssh_strings *lists[] = {&o->user_known_hosts, &o->global_known_hosts};

		for (size_t l = 0; l < ARRAY_LEN(lists); l++) {
			for (size_t i = 0; i < lists[l]->n; i++)
				free(lists[l]->items[i]);
			lists[l]->n = 0;
		}
		ids = &o->user_known_hosts;
		xgrow((void **)&ids->items, &ids->cap, 0, sizeof(*ids->items));
		ids->items[ids->n++] = xstrdup(r->known_hosts);
	}
	if (r->accept_new)
		o->strict = SSH_STRICT_ACCEPT_NEW;
}

static enum err_code fill_query(struct ssh_resolver *r, const struct ssh_query *q, const char *host,
	const char *user, uint16_t port, struct ssh_options *out, struct err *e)
{
	struct ssh_identity id = {host, r->home, r->user, r->local_host};
	struct ssh_options asked = q->options; /* shallow: strings stay the query's */
	char *name = xstrdup(host);

	for (char *c = name; *c; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c - 'A' + 'a');
	/* Classes with a HostName hold one host only, so an equal name means "none given". */
	bool own = !asked.hostname || strcasecmp(asked.hostname, q->host) == 0;

	if (own)
		asked.hostname = name;
	if (user)
		asked.user = (char *)user;
	if (port)
		asked.port = port;
	enum err_code rc = ssh_options_fill(out, &asked, &id, e);

	free(name);
	if (rc == ERR_OK)
		apply_settings(r, out);
	return rc;
}

enum err_code ssh_options_step(struct ssh_resolver *r, struct ssh_query *q, const char *host,
	const char *user, uint16_t port, struct ssh_options *out, struct err *e)
{
	if (q->state == QUERY_WAITING || q->state == QUERY_RUNNING)
		resolver_pump(r);
	if (q->state == QUERY_FAILED)
		return err_set(e, q->err.code, "%s", q->err.msg);
	if (q->state != QUERY_DONE)
		return ERR_AGAIN;
	return fill_query(r, q, host, user, port, out, e);
}

int ssh_options_fd(const struct ssh_resolver *r, const struct ssh_query *q)
{
	if (q->state == QUERY_RUNNING)
		return q->out_fd;
	/* A query in the queue starts when a running one ends. */
	for (size_t i = 0; q->state == QUERY_WAITING && i < r->n; i++)
		if (r->queries[i]->state == QUERY_RUNNING)
			return r->queries[i]->out_fd;
	return -1;
}
