#include "collectors/section.h"

void parse_host(struct section *s, struct span text)
{
	(void)text;
	section_unread(s, "host", "no parser yet");
}
