#include "collectors/section.h"

void parse_fabricmanager(struct section *s, struct span text)
{
	(void)text;
	section_unread(s, "fabricmanager", "no parser yet");
}
