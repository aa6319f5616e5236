#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/lib/sect.h"

#define HEAD                                                                                       \
	"NCCL version 2.27.3 compiled with CUDA 12.9\nCUDA runtime version 12090, driver version " \
	"12090\n\n"

#define EVEN                                                    \
	"Job summary\n===========\n\n"                          \
	"  Nodes  Processes         GPUs  Processes     GPUs\n" \
	"(total)   per node  per process    (total)  (total)\n" \
	"      4          8            1         32       32\n\n"

#define COMMS                                                                         \
	"Communicators... (0.01s)\n=============\n\n"                                 \
	"Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors\n" \
	"    #  in group  per comm  per node  per comm  in group\n"

static const char healthy[] = HEAD EVEN COMMS
	"    0         1         4         8        32        32   RUNNING      OK\n"
	"    1        32         1         8         8       256   RUNNING      OK\n\n"
	"Errors\n======\n\nWarnings\n========\n\n";

static const char sick[] =
	HEAD "Job summary\n===========\n\n"
	     "  Nodes  Processes         GPUs\n"
	     "          per node  per process\n"
	     "      1          8            1\n"
	     "      1          2            1\n\n"
	     "  Nodes  Processes         GPUs\n"
	     "(total)    (total)      (total)\n"
	     "      2         10           10\n\n"
	     "The outlier node:\n"
	     "  Node 10.4.109.13 running processes 60004,60035\n\n" COMMS
	     "    0         1         1         1         2         1   RUNNING  INCOMPLETE\n"
	     "    1         4         1         1         2         1   RUNNING  MISMATCH\n\n"
	     "Errors\n======\n\n"
	     "INCOMPLETE\n"
	     "  Missing communicator data from 1 job process\n"
	     "  Process 60004 on node 10.4.109.13 managing GPU 0\n\n"
	     "#0-0 (b3398875b8b2a063) INCOMPLETE\n"
	     "  Missing communicator data from 1 rank\n"
	     "  Rank 1 -- GPU 0 managed by process 60004 on node 10.4.109.13\n\n"
	     "#1-0 (b3398875b8b2a064) INCOMPLETE\n"
	     "  Missing communicator data from 3 ranks\n\n"
	     "Warnings\n========\n\n"
	     "#1-0 (fa93daea854b060b) MISMATCH\n"
	     "  Communicator ranks have different AllGather operation counts\n"
	     "  30 ranks have launched up to operation 640\n\n";

static void healthy_job(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_RAS, healthy);
	const struct ras_reading *r = reading_ras(s);

	assert_int_equal(s->status, SECTION_OK);
	assert_flag(r->listening, true);
	assert_str(r->nccl_version, "2.27.3");
	assert_u64(r->nodes, 4);
	assert_u64(r->processes, 32);
	assert_u64(r->gpus, 32);
	assert_u64(r->communicators, 2);
	assert_u64(r->errors, 0);
	assert_u64(r->warnings, 0);
	assert_u64(r->missing_ranks, 0);
	assert_str(r->status, "RUNNING");
	assert_unset(r->error);
	section_unref(s);
}

static void sick_job(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_RAS, sick);
	const struct ras_reading *r = reading_ras(s);

	assert_u64(r->nodes, 2);
	assert_u64(r->processes, 10);
	assert_u64(r->gpus, 10);
	assert_u64(r->errors, 3);
	assert_u64(r->warnings, 1);
	assert_u64(r->missing_ranks, 4);
	assert_str(r->status, "INCOMPLETE");
	assert_str(r->error, "INCOMPLETE: Missing communicator data from 1 job process");
	section_unref(s);
}

static void no_job(void **state)
{
	(void)state;
	struct section *s =
		sect_parse(SECTION_RAS, "#! Connecting to localhost:28028: Connection refused\n#! "
					"Failed to connect to the NCCL RAS service!\n");

	assert_flag(reading_ras(s)->listening, false);
	assert_unset(reading_ras(s)->errors);
	section_unref(s);
	s = sect_parse(SECTION_RAS, "sh: 1: ncclras: not found\n");
	assert_int_equal(s->status, SECTION_UNAVAILABLE);
	assert_unset(reading_ras(s)->listening);
	section_unref(s);
	s = sect_parse(SECTION_RAS, "");
	assert_unset(reading_ras(s)->listening);
	section_unref(s);
}

/* A word that this program does not know is not healthy. */
static void unknown_status(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_RAS, HEAD EVEN COMMS
		"    0         1         4         8        32        32   RUNNING  MELTED\n\n"
		"Errors\n======\n\nWarnings\n========\n\n");

	assert_unset(reading_ras(s)->status);
	assert_true(sect_has_unread(s, "status"));
	section_unref(s);
}

static void cut_anywhere(void **state)
{
	(void)state;
	sect_check_robust(SECTION_RAS, healthy);
	sect_check_robust(SECTION_RAS, sick);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(healthy_job),
		cmocka_unit_test(sick_job),
		cmocka_unit_test(no_job),
		cmocka_unit_test(unknown_status),
		cmocka_unit_test(cut_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
