/*
 * A node through a local command that gives a shell on it (see
 * exec_template.h): its standard input and output are one socket pair; the last
 * line of its standard error goes into messages. Ended by TERM, then KILL.
 */
#ifndef COLLECTORS_EXEC_TRANSPORT_H
#define COLLECTORS_EXEC_TRANSPORT_H

#include "collectors/transport.h"

/* Copies argv (NULL-terminated). The command starts at the first step. Never NULL. */
struct transport *exec_transport_new(const char *const *argv);

#endif
