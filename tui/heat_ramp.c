#include "collectors/compiler.h"
#include "tui/heat.h"

/*
 * Percent lost at which each step begins. Healthy pairs of one class differ by 1 to 2 %;
 * AWS's script calls 5 % low, two of its texts 10 % and 20 %.
 */
static const int from[HEAT_STEPS] = {0, 3, 5, 8, 12, 18, 25, 40};

int heat_step(uint8_t level)
{
	int lost = level - HEAT_LOST;
	int step = 0;

	while (step + 1 < HEAT_STEPS && lost >= from[step + 1])
		step++;
	return step;
}

int heat_step_from(int step)
{
	return step >= 0 && step < HEAT_STEPS ? from[step] : 0;
}

const char *heat_glyph(uint8_t level, bool ascii)
{
	static const char *const ramp[HEAT_STEPS] = {"·", "-", "=", "+", "*", "#", "%", "@"};

	if (level == HEAT_NONE)
		return " ";
	if (level == HEAT_FAILED)
		return ascii ? "x" : "✖";
	int step = heat_step(level);

	return step == 0 && ascii ? "." : ramp[step];
}
