#include "collectors/section.h"

void parse_cpu(struct section *s, struct span text)
{
	(void)text;
	section_unread(s, "cpu", "no parser yet");
}
