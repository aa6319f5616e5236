#include "collectors/section.h"

void parse_mounts(struct section *s, struct span text)
{
	(void)text;
	section_unread(s, "mounts", "no parser yet");
}
