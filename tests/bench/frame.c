/*
 * CPU time of the heatmap: taking a new picture, and drawing a frame of it.
 *
 *   frame        at 8, 64 and 1,024 nodes, every pair measured twice
 */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/lib/sweep_fixture.h"
#include "tests/lib/ui_fixture.h"
#include "tui/heat.h"
#include "tui/screen.h"

#define FRAMES 200

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void measure(size_t n, int w, int h)
{
	struct ui_fixture f = ui_fixture_new(12);
	struct sweep_picture *p = sweep_fixture(n, 1, NULL);
	struct screen *s = screen_new(false, view_at(0));
	struct grid g = GRID_INIT;
	double began = cpu_ms();

	heat_levels_free(heat_levels_make(p->set, p->at));
	double levels = cpu_ms() - began;

	screen_set_time(s, UI_FIXTURE_MONO_MS, UI_FIXTURE_WALL_MS);
	screen_set_picture(s, f.snap, f.jm);
	grid_resize(&g, w, h);
	screen_key(s, '2');
	began = cpu_ms();
	screen_set_sweep(s, p);
	screen_draw(s, &g);
	double first = cpu_ms() - began;

	began = cpu_ms();
	for (int i = 0; i < FRAMES; i++) {
		screen_key(s, i % 2 ? 'j' : 'k');
		screen_draw(s, &g);
	}
	printf("heatmap, %4zu nodes at %dx%d: %.2f ms a frame (goal 4), %.1f ms for a new picture, "
	       "and %.1f ms on the sweep's thread\n",
		n, w, h, (cpu_ms() - began) / FRAMES, first, levels);
	grid_release(&g);
	screen_free(s);
	sweep_picture_free(p);
	ui_fixture_free(&f);
}

int main(void)
{
	static const size_t nodes[] = {8, 64, 1024};

	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		setlocale(LC_CTYPE, "");
	puts("\n# Frames (CPU time)");
	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
		measure(nodes[i], 80, 24);
		measure(nodes[i], 120, 40);
	}
	return 0;
}
