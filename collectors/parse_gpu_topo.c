#include "collectors/section.h"

void parse_gpu_topo(struct section *s, struct span text)
{
	(void)text;
	section_unread(s, "gpu_topo", "no parser yet");
}
