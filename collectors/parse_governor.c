#include "collectors/section.h"

void parse_governor(struct section *s, struct span text)
{
	(void)text;
	section_unread(s, "governor", "no parser yet");
}
