#include "collectors/section.h"

void parse_stack(struct section *s, struct span text)
{
	(void)text;
	section_unread(s, "stack", "no parser yet");
}
