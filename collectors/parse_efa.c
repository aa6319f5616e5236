#include "collectors/section.h"

void parse_efa(struct section *s, struct span text)
{
	(void)text;
	section_unread(s, "efa", "no parser yet");
}
