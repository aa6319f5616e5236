#include "collectors/section.h"

void parse_shm(struct section *s, struct span text)
{
	(void)text;
	section_unread(s, "shm", "no parser yet");
}
