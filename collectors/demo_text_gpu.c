/*
 * What nvidia-smi, the kernel log and systemd say of a simulated node's GPUs.
 * Layouts as in driver 570: see the parsers of the same sections.
 */
#include "collectors/demo_sim.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *gpu_bus_upper(const struct demo_gpu *g, char out[24])
{
	snprintf(out, 24, "0000%s", g->bus);
	for (char *p = out; *p; p++)
		*p = (char)toupper((unsigned char)*p);
	return out;
}

/* One GPU that is lost makes nvidia-smi print a sentence in place of its table. */
static bool say_lost(struct demo_text *t)
{
	const struct demo_state *st = t->st;

	if (!st->smi_broken)
		return false;
	for (int i = 0; i < st->gpus; i++)
		if (st->gpu[i].lost)
			demo_add(t,
				"Unable to determine the device handle for GPU%s: Unknown Error\n",
				st->gpu[i].bus);
	t->answer.exit_code = 255;
	return true;
}

static void gpu_row(struct demo_text *t, int i)
{
	const struct demo_state *st = t->st;
	const struct demo_type *type = st->type;
	const struct demo_gpu *g = &st->gpu[i];
	char bus[24];

	demo_add(t, "%d, %s, %s, %s, 165%010d, %s, Enabled, %s, P%d, ", i, g->uuid, type->gpu_name,
		gpu_bus_upper(g, bus), (int)(st->node->key % 899999999) + i * 37,
		st->version[DEMO_DRIVER], "Disabled", st->load > 0 ? 0 : 8);
	demo_add(t, "%d, %d, %d, 16, %.0f, %.0f, %.0f, %d, %d, ", type->pcie_gen, type->pcie_gen,
		g->width, g->temp_c, g->temp_mem_c, g->util_pct, g->mem_used_mib,
		type->gpu_mem_mib);
	demo_add(t, "%.2f, %d.00, %d, %d, 0x%016llx, ", g->power_w, type->power_limit_w, g->sm_mhz,
		type->sm_max_mhz, (unsigned long long)g->reasons);
	demo_add(t, "%d, %d, %d, %s, %s, [N/A], %s, %s, %s\n", g->ecc_unc_vol, g->ecc_unc_agg,
		g->ecc_cor_vol, g->remap_pending ? "Yes" : "No", g->remap_failure ? "Yes" : "No",
		g->recovery_action, type->nvlinks == 18 ? "Completed" : "[N/A]",
		type->nvlinks == 18 ? "Success" : "[N/A]");
}

void demo_text_gpu(struct demo_text *t)
{
	/* the probe then asks each GPU alone, the lost one too */
	if (say_lost(t))
		t->answer.exit_code = 0;
	demo_add(t, "index, uuid, name, pci.bus_id, serial, driver_version, persistence_mode, "
		    "mig.mode.current, pstate, pcie.link.gen.current, pcie.link.gen.max, "
		    "pcie.link.width.current, pcie.link.width.max, temperature.gpu, "
		    "temperature.memory, utilization.gpu [%%], memory.used [MiB], memory.total "
		    "[MiB], ");
	demo_add(t, "power.draw [W], power.limit [W], clocks.current.sm [MHz], "
		    "clocks.max.sm [MHz], clocks_event_reasons.active, "
		    "ecc.errors.uncorrected.volatile.total, "
		    "ecc.errors.uncorrected.aggregate.total, ecc.errors.corrected.volatile.total, "
		    "remapped_rows.pending, remapped_rows.failure, retired_pages.pending, "
		    "gpu_recovery_action, fabric.state, fabric.status\n");
	for (int i = 0; i < t->st->gpus; i++) {
		if (t->st->gpu[i].lost)
			say_lost(t);
		else
			gpu_row(t, i);
	}
}

void demo_text_gpu_topo(struct demo_text *t)
{
	const struct demo_state *st = t->st;
	int half = st->gpus / 2;

	if (say_lost(t))
		return;
	demo_add(t, "\t");
	for (int i = 0; i < st->gpus; i++)
		demo_add(t, "GPU%d\t", i);
	demo_add(t, "CPU Affinity\tNUMA Affinity\tGPU NUMA ID\n");
	for (int i = 0; i < st->gpus; i++) {
		demo_add(t, "GPU%d\t", i);
		for (int k = 0; k < st->gpus; k++) {
			if (k == i)
				demo_add(t, " X \t");
			else
				demo_add(t, "NV%d\t", st->type->nvlinks);
		}
		demo_add(t, "%d-%d,%d-%d\t%d\t\tN/A\n", i < half ? 0 : st->type->cpus / 4,
			(i < half ? 1 : 2) * st->type->cpus / 4 - 1,
			(i < half ? 2 : 3) * st->type->cpus / 4,
			(i < half ? 3 : 4) * st->type->cpus / 4 - 1, i >= half);
	}
	demo_add(t, "\nLegend:\n\n  X    = Self\n"
		    "  NV#  = Connection traversing a bonded set of # NVLinks\n");
}

static void nvlink_gpu(struct demo_text *t, int i)
{
	demo_add(t, "GPU %d: %s (UUID: %s)\n", i, t->st->type->gpu_name, t->st->gpu[i].uuid);
}

void demo_text_nvlink(struct demo_text *t)
{
	const struct demo_state *st = t->st;

	demo_add(t, "#@ nvlink -s\n");
	if (say_lost(t))
		return;
	for (int i = 0; i < st->gpus; i++) {
		nvlink_gpu(t, i);
		for (int k = 0; k < st->type->nvlinks; k++) {
			if (st->gpu[i].links_down >> k & 1)
				demo_add(t, "\t Link %d: <inactive>\n", k);
			else
				demo_add(t, "\t Link %d: %s GB/s\n", k, st->type->nvlink_rate);
		}
	}
	demo_add(t, "#@ nvlink -e\n");
	for (int i = 0; i < st->gpus; i++) {
		nvlink_gpu(t, i);
		for (int k = 0; k < st->type->nvlinks; k++) {
			bool bad = st->gpu[i].replay_link == k;

			demo_add(t, "\t Link %d: Replay Errors: %llu\n", k,
				bad ? (unsigned long long)st->gpu[i].replay : 0);
			demo_add(t, "\t Link %d: Recovery Errors: 0\n\t Link %d: CRC Errors: 0\n\n",
				k, k);
		}
	}
}

void demo_text_fabricmanager(struct demo_text *t)
{
	demo_add(t, "%s\n#@ load\nLoadState=loaded\n", t->st->fabric_state);
}

void demo_text_xid(struct demo_text *t)
{
	const struct demo_state *st = t->st;

	demo_add(t, "#@ uptime\n%.2f %.2f\n", st->uptime_ms / 1000,
		st->uptime_ms / 1000 * st->type->cpus * 0.8);
	demo_add(t, "#@ date\n%.0f\n", floor((double)st->wall_ms / 1000 + st->clock_skew_s));
	demo_add(t, "#@ log\n");
	for (int i = 0; i < st->logs; i++)
		demo_add(t, "%s\n", st->log[i]);
}

void demo_text_neuron(struct demo_text *t)
{
	demo_add(t, "#! not available: neuron-ls is not on this node\n");
	t->answer.exit_code = 127;
}
