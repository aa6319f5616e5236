/*
 * Client CPU of a repeated snapshot on open sessions.
 *
 *   repeat HOSTS_FILE KNOWN_HOSTS IDENTITY SECTIONS ROUNDS
 *
 * Opens all sessions, then asks every node for SECTIONS, ROUNDS times, and prints
 * the process's CPU and wall for each node and round (medians).
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "collectors/clock.h"
#include "collectors/collector.h"

#define WAIT_MS 120000

static double cpu_ms(void)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	return (double)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1000.0 +
	       (double)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) / 1000.0;
}

/* True when every node that is reached has answered after since_ms. */
static int all_newer(const struct snapshot *snap, int64_t since_ms)
{
	for (size_t i = 0; i < snap->n; i++)
		if (snap->nodes[i].state == NODE_OK && snap->nodes[i].last_ok_mono_ms < since_ms)
			return 0;
	return snap->complete;
}

static size_t wait_answers(struct collector *c, int64_t since_ms)
{
	int64_t until = clock_mono_ms() + WAIT_MS;

	while (clock_mono_ms() < until) {
		struct pollfd p = {.fd = collector_fd(c), .events = POLLIN};

		poll(&p, 1, 1000);
		struct snapshot *snap = collector_take(c);
		size_t reached = snap && all_newer(snap, since_ms) ? snap->reached : 0;

		snapshot_free(snap);
		if (reached)
			return reached;
	}
	return 0;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), by_value);
	return v[n / 2];
}

static int run(struct collector *c, size_t rounds)
{
	double cpu[64];
	double wall[64];
	size_t nodes = wait_answers(c, 0);

	if (rounds > 64)
		rounds = 64;
	for (size_t i = 0; i < rounds && nodes; i++) {
		double cpu0 = cpu_ms();
		int64_t wall0 = clock_mono_ms();

		collector_refresh(c, NULL);
		nodes = wait_answers(c, wall0);
		cpu[i] = cpu_ms() - cpu0;
		wall[i] = (double)(clock_mono_ms() - wall0);
	}
	if (!nodes) {
		fprintf(stderr, "repeat: the nodes did not all answer\n");
		return 1;
	}
	printf("%5zu  repeated snapshot on open sessions: %.3f CPU ms/node, %.0f ms wall\n", nodes,
		median(cpu, rounds) / (double)nodes, median(wall, rounds));
	return 0;
}

int main(int argc, char **argv)
{
	struct collector_options opt = {.fast_ms = 3600000, .slow_ms = 3600000, .publish_ms = 250};
	struct source *src = NULL;
	struct collector *c = NULL;
	struct err e = ERR_INIT;

	if (argc != 6) {
		fprintf(stderr, "usage: repeat HOSTS_FILE KNOWN_HOSTS IDENTITY SECTIONS ROUNDS\n");
		return 2;
	}
	struct span rest = span_of(argv[4]);
	struct span name;

	while (span_field(&rest, ',', &name))
		opt.sections |= 1u << section_by_name(name);
	struct ssh_settings ssh = {.known_hosts = argv[2], .identity_file = argv[3]};

	if (collector_global_init(&e) || source_hosts_file(&src, argv[1], &ssh, &e) ||
		collector_start(&c, src, &opt, &e)) {
		fprintf(stderr, "repeat: %s\n", e.msg);
		return 2;
	}
	int rc = run(c, (size_t)strtoul(argv[5], NULL, 10));

	collector_stop(c);
	collector_global_release();
	return rc;
}
