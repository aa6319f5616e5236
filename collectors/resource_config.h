/*
 * HyperPod's /opt/ml/config/resource_config.json: the node's own group.
 *
 *   {"ClusterConfig": {...},
 *    "InstanceGroups": [{"Name", "InstanceType",
 *      "Instances": [{"InstanceName", "AgentIpAddress", "CustomerIpAddress", "InstanceId"}]}]}
 */
#ifndef COLLECTORS_RESOURCE_CONFIG_H
#define COLLECTORS_RESOURCE_CONFIG_H

#include "collectors/err.h"
#include "collectors/text.h"

struct resource_config_node {
	char group[128];
	char instance_type[64]; /* as written, with "ml." */
};

/*
 * Finds the node by its instance id; where that is not known, by a host name of
 * the form ip-10-1-2-3, whose numbers are the CustomerIpAddress. ERR_PARSE when
 * the text is no such file or the node is not in it; *out untouched then.
 */
enum err_code resource_config_find(struct span json, struct span instance_id, struct span hostname,
	struct resource_config_node *out, struct err *e) ATTR_MUST_CHECK;

#endif
