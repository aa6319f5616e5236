/* doctor.h: ssh, its keys and its agent. */
#include "tui/doctor.h"

#include <errno.h>
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collectors/clock.h"
#include "collectors/ssh_agent.h"
#include "collectors/ssh_key.h"
#include "collectors/transport.h"
#include "collectors/versions.h"

#define AGENT_DEADLINE_MS 2000
#define PATH_SIZE         4096

static const char *home_dir(void)
{
	const char *home = getenv("HOME");

	return home && *home ? home : NULL;
}

/* ---- programs and libraries ---- */

/* Whether a program of that name is in PATH; out gets where. */
static bool find_program(const char *name, char *out, size_t size)
{
	const char *path = getenv("PATH");

	for (const char *p = path ? path : ""; *p;) {
		size_t n = strcspn(p, ":");
		struct stat st;

		snprintf(out, size, "%.*s/%s", (int)n, p, name);
		if (n && stat(out, &st) == 0 && S_ISREG(st.st_mode) && access(out, X_OK) == 0)
			return true;
		p += n + (p[n] == ':');
	}
	return false;
}

static void check_programs(struct doctor *d)
{
	char path[PATH_SIZE];

	if (find_program("ssh", path, sizeof(path)))
		doctor_say(
			d, SEVERITY_OK, "ssh: %.200s; options of hosts come from `ssh -G`", path);
	else
		doctor_say(d, SEVERITY_INFO,
			"ssh: not in PATH; ssh_config is not read and defaults are used (install "
			"the openssh "
			"client to use aliases, ProxyJump and so on)");
	if (versions_rsa_sha2())
		doctor_say(d, SEVERITY_OK, "libssh2 %s, libcurl %s", versions_libssh2(),
			versions_libcurl());
	else
		doctor_say(d, SEVERITY_INFO,
			"libssh2 %s signs RSA keys with SHA-1 only, which servers since OpenSSH "
			"8.8 refuse "
			"(use an Ed25519 key, or put RSA keys into the agent)",
			versions_libssh2());
}

/* ---- the agent ---- */

struct agent_keys {
	size_t n;
	size_t rsa;
};

static void count_key(void *ctx, struct span blob, struct span comment)
{
	struct agent_keys *k = ctx;

	(void)comment;
	k->n++;
	/* The blob begins with the type's length and name. */
	k->rsa += blob.n > 11 && memcmp(blob.p + 4, "ssh-rsa", 7) == 0;
}

/* Asks for the keys under a deadline; a hung agent must not hang this. */
static enum err_code ask_agent(
	struct ssh_agent *a, const char *path, struct agent_keys *k, struct err *e)
{
	int64_t deadline = clock_mono_ms() + AGENT_DEADLINE_MS;
	enum err_code rc = ssh_agent_connect(a, path, e);

	if (rc == ERR_OK)
		rc = ssh_agent_ask_keys(a, e);
	while (rc == ERR_OK && (rc = ssh_agent_step(a, e)) == ERR_AGAIN) {
		int events = ssh_agent_events(a);
		struct pollfd fd = {.fd = a->fd,
			.events = (short)((events & TRANSPORT_IN ? POLLIN : 0) |
					  (events & TRANSPORT_OUT ? POLLOUT : 0))};
		int64_t left = deadline - clock_mono_ms();

		if (left <= 0 || (poll(&fd, 1, (int)left) < 0 && errno != EINTR))
			return err_set(e, ERR_TIMEOUT, "no answer in %d ms", AGENT_DEADLINE_MS);
		rc = ERR_OK;
	}
	return rc ? rc : ssh_agent_keys(a, count_key, k, e);
}

static void check_agent(struct doctor *d)
{
	const char *path = getenv("SSH_AUTH_SOCK");
	struct ssh_agent agent;
	struct agent_keys keys = {0, 0};
	struct err e = ERR_INIT;

	if (!path || !*path) {
		doctor_say(d, SEVERITY_INFO,
			"agent: none (SSH_AUTH_SOCK is not set); keys with a passphrase cannot be "
			"used");
		return;
	}
	ssh_agent_init(&agent);
	if (ask_agent(&agent, path, &keys, &e))
		doctor_say(d, SEVERITY_CONCERN, "agent: %s (start one, or unset SSH_AUTH_SOCK)",
			e.msg);
	else if (keys.n == 0)
		doctor_say(d, SEVERITY_CONCERN, "agent: it holds no key (ssh-add)");
	else
		doctor_say(d, SEVERITY_OK, "agent: %zu key%s, %zu of them RSA", keys.n,
			keys.n == 1 ? "" : "s", keys.rsa);
	ssh_agent_close(&agent);
}

/* ---- files ---- */

/* A key file that others may read: ssh refuses it. */
static bool is_open_to_others(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && (st.st_mode & 077) != 0;
}

/* Returns whether the file is there. */
static bool check_key(struct doctor *d, const char *path, bool asked_for)
{
	struct ssh_key *k = ssh_key_load(path);
	bool there = k->state != SSH_KEY_MISSING;
	const char *type = k->type[0] ? k->type : "unknown type";

	if (!there && asked_for)
		doctor_say(d, SEVERITY_CONCERN, "key %.200s: not there (correct --identity)", path);
	else if (k->state == SSH_KEY_UNREADABLE)
		doctor_say(
			d, SEVERITY_CONCERN, "key %.200s: %s (correct or remove it)", path, k->why);
	else if (k->state == SSH_KEY_ENCRYPTED)
		doctor_say(d, SEVERITY_INFO, "key %.200s (%s): has a passphrase (ssh-add it)", path,
			type);
	else if (there && is_open_to_others(path))
		doctor_say(
			d, SEVERITY_CONCERN, "key %.200s: others may read it (chmod 600 it)", path);
	else if (there && strcmp(k->type, "ssh-rsa") == 0 && !versions_rsa_sha2())
		doctor_say(d, SEVERITY_INFO, "key %.200s (%s): may be refused, see libssh2 above",
			path, type);
	else if (there)
		doctor_say(d, SEVERITY_OK, "key %.200s (%s)", path, type);
	ssh_key_unref(k);
	return there;
}

static void check_keys(struct doctor *d, const struct cli *c)
{
	/* The files that ssh tries by itself, in its order (ssh_config(5), IdentityFile). */
	static const char *const names[] = {"id_rsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519"};
	const char *home = home_dir();
	size_t found = 0;

	if (c->identity)
		found += check_key(d, c->identity, true);
	for (size_t i = 0; home && i < ARRAY_LEN(names); i++) {
		char path[PATH_SIZE];

		snprintf(path, sizeof(path), "%s/.ssh/%s", home, names[i]);
		found += check_key(d, path, false);
	}
	if (!found)
		doctor_say(d, SEVERITY_INFO,
			"keys: none at the usual places (ssh_config, --identity or the agent may "
			"have some)");
}

static void check_known_hosts(struct doctor *d, const struct cli *c)
{
	const char *home = home_dir();
	char path[PATH_SIZE] = "";

	if (c->known_hosts)
		snprintf(path, sizeof(path), "%s", c->known_hosts);
	else if (home)
		snprintf(path, sizeof(path), "%s/.ssh/known_hosts", home);
	if (access(path, R_OK) == 0)
		doctor_say(d, SEVERITY_OK, "known hosts: %.200s", path);
	else
		doctor_say(d, SEVERITY_INFO,
			"known hosts: %.200s: %s; unknown hosts are refused (--accept-new adds "
			"them)",
			path, err_errno(errno));
}

void doctor_ssh(struct doctor *d, const struct cli *c)
{
	check_programs(d);
	check_agent(d);
	check_keys(d, c);
	check_known_hosts(d, c);
}
