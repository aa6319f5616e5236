#include "collectors/section.h"

void parse_ras(struct section *s, struct span text)
{
	(void)text;
	section_unread(s, "ras", "no parser yet");
}
