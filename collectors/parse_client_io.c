#include "collectors/section.h"

void parse_client_io(struct section *s, struct span text)
{
	(void)text;
	section_unread(s, "client_io", "no parser yet");
}
