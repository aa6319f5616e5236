#include "collectors/section.h"

void parse_nvlink(struct section *s, struct span text)
{
	(void)text;
	section_unread(s, "nvlink", "no parser yet");
}
