#include "collectors/resource_config.h"

#include <stdio.h>
#include <string.h>

#include "collectors/json.h"

static const char *text_of(const cJSON *object, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

	return cJSON_IsString(item) ? item->valuestring : "";
}

/* "ip-10-1-2-3.ec2.internal" as "10.1.2.3"; "" for another form. */
static void address_of_host(struct span host, char out[16])
{
	size_t n = 0;
	size_t dots = 0;

	out[0] = '\0';
	if (!span_starts(host, "ip-"))
		return;
	for (size_t i = 3; i < host.n && host.p[i] != '.'; i++) {
		char c = host.p[i] == '-' ? '.' : host.p[i];

		if (n + 1 >= 16 || (c != '.' && (c < '0' || c > '9')))
			return;
		dots += c == '.';
		out[n++] = c;
	}
	out[dots == 3 ? n : 0] = '\0';
}

static bool is_node(const cJSON *instance, struct span id, const char *address)
{
	if (id.n)
		return span_eq(id, text_of(instance, "InstanceId"));
	return address[0] && strcmp(address, text_of(instance, "CustomerIpAddress")) == 0;
}

static const cJSON *find_group(const cJSON *root, struct span id, const char *address)
{
	const cJSON *groups = cJSON_GetObjectItemCaseSensitive(root, "InstanceGroups");
	const cJSON *group;
	const cJSON *instance;

	cJSON_ArrayForEach(group, groups)
	{
		const cJSON *instances = cJSON_GetObjectItemCaseSensitive(group, "Instances");

		cJSON_ArrayForEach(
			instance, instances) if (is_node(instance, id, address)) return group;
	}
	return NULL;
}

enum err_code resource_config_find(struct span json, struct span instance_id, struct span hostname,
	struct resource_config_node *out, struct err *e)
{
	char address[16];
	cJSON *root = json_parse("resource_config.json", json.p, json.n, e);
	enum err_code code = ERR_OK;

	if (!root)
		return ERR_PARSE;
	address_of_host(hostname, address);
	const cJSON *group = find_group(root, instance_id, address);

	if (!group) {
		code = err_set(e, ERR_PARSE, "this node is not listed");
		goto out;
	}
	snprintf(out->group, sizeof(out->group), "%s", text_of(group, "Name"));
	snprintf(out->instance_type, sizeof(out->instance_type), "%s",
		text_of(group, "InstanceType"));
out:
	cJSON_Delete(root);
	return code;
}
