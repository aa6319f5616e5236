#include "collectors/section.h"

void parse_neuron(struct section *s, struct span text)
{
	(void)text;
	section_unread(s, "neuron", "no parser yet");
}
