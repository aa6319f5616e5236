#include "collectors/section.h"

void parse_capacity(struct section *s, struct span text)
{
	(void)text;
	section_unread(s, "capacity", "no parser yet");
}
