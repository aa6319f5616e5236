#include "collectors/section.h"

void parse_gpu(struct section *s, struct span text)
{
	(void)text;
	section_unread(s, "gpu", "no parser yet");
}
