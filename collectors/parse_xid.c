#include "collectors/section.h"

void parse_xid(struct section *s, struct span text)
{
	(void)text;
	section_unread(s, "xid", "no parser yet");
}
