#include "collectors/section.h"

void parse_lustre_df(struct section *s, struct span text)
{
	(void)text;
	section_unread(s, "lustre_df", "no parser yet");
}
