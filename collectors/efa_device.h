/* What the EFA parsers know about EFA devices. */
#ifndef COLLECTORS_EFA_DEVICE_H
#define COLLECTORS_EFA_DEVICE_H

#include <stdbool.h>

#include "collectors/text.h"

/* Most RDMA devices that are read: p5 has 32 EFA, p6 adds a few bridges. */
#define EFA_DEVICES_MAX 128
/* Port state number of ACTIVE (IB_PORT_ACTIVE in the kernel). */
#define EFA_PORT_ACTIVE 4

/* True for a port counter that no other RDMA driver has. */
bool efa_only_counter(struct span name);

#endif
