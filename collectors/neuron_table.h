/* The table of neuron-ls, whose columns differ between releases. */
#ifndef COLLECTORS_NEURON_TABLE_H
#define COLLECTORS_NEURON_TABLE_H

#include "collectors/section.h"

/*
 * Reads the lines before the table ("instance-type: ...") and its rows into a
 * neuron section. Does nothing when text holds neither. cut: text may end early.
 */
void neuron_table_read(struct section *s, struct span text, bool cut);

#endif
