#include "collectors/section.h"

void parse_efa_counters(struct section *s, struct span text)
{
	(void)text;
	section_unread(s, "efa_counters", "no parser yet");
}
