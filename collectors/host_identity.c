#include "collectors/host_identity.h"

#include "collectors/resource_config.h"

static bool is_instance_id(struct span v)
{
	uint64_t unused;

	return span_starts(v, "i-") && v.n >= 10 && v.n <= 19 &&
	       span_hex((struct span){v.p + 2, v.n - 2 > 16 ? 16 : v.n - 2}, &unused);
}

/* "p5.48xlarge", "ml.p5.48xlarge", "u-6tb1.metal": family, dot, size. */
static bool is_instance_type(struct span v)
{
	size_t dots = 0;

	if (v.n < 4 || v.n > 40)
		return false;
	for (size_t i = 0; i < v.n; i++) {
		char c = v.p[i];

		dots += c == '.';
		if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.'))
			return false;
	}
	return dots == 1 && v.p[0] != '.' && v.p[v.n - 1] != '.';
}

static void set_type(struct host_parse *p, struct span v)
{
	if (span_starts(v, "ml."))
		v = (struct span){v.p + 3, v.n - 3};
	if (!opt_has(p->r->instance_type) && is_instance_type(v))
		p->r->instance_type = section_str(p->s, v);
}

static void set_id(struct host_parse *p, struct span v)
{
	if (!opt_has(p->r->instance_id) && is_instance_id(v))
		p->r->instance_id = section_str(p->s, v);
}

/* EC2 puts type and id into the firmware tables of Nitro instances; elsewhere other words stand there. */
void host_read_dmi(struct host_parse *p, const struct marks_piece *piece)
{
	struct span text = piece->body;
	struct span line;
	struct span path;
	struct span value;

	while (span_line(&text, &line)) {
		if (!marks_path(line, &path, &value))
			continue;
		if (span_ends(path, "/product_name"))
			set_type(p, value);
		else if (span_ends(path, "/board_asset_tag"))
			set_id(p, value);
	}
}

void host_read_resource_config(struct host_parse *p, const struct marks_piece *piece)
{
	if (piece->whole)
		p->resource_config = piece->body;
}

static void set_once(struct section *s, struct opt_str *out, struct span v)
{
	if (!opt_has(*out) && v.n)
		*out = section_str(s, v);
}

/* Lines of cloud-init's instance-data.json, which spells keys with _ and with -. */
void host_read_cloud_init(struct host_parse *p, const struct marks_piece *piece)
{
	struct span text = piece->body;
	struct span line;
	struct span key;
	struct span value;

	while (span_line(&text, &line)) {
		if (!marks_key_value(line, ':', &key, &value))
			continue;
		if (key.n > 2 && key.p[0] == '"')
			key = (struct span){key.p + 1, key.n - 2};
		if (span_eq(key, "availability_zone") || span_eq(key, "availability-zone") ||
			span_eq(key, "availabilityZone"))
			set_once(p->s, &p->r->az, value);
		else if (span_eq(key, "availability_zone_id") ||
			 span_eq(key, "availability-zone-id"))
			set_once(p->s, &p->r->az_id, value);
		else if (span_eq(key, "region"))
			set_once(p->s, &p->r->region, value);
		else if (span_eq(key, "instance_type") || span_eq(key, "instance-type") ||
			 span_eq(key, "instanceType"))
			set_type(p, value);
		else if (span_eq(key, "instance_id") || span_eq(key, "instance-id") ||
			 span_eq(key, "instanceId"))
			set_id(p, value);
	}
}

void host_set_group(struct host_parse *p)
{
	struct resource_config_node node = {{0}, {0}};
	struct err e = ERR_INIT;
	struct span id =
		opt_has(p->r->instance_id) ? span_of(p->r->instance_id.v) : (struct span)SPAN_INIT;
	struct span host =
		opt_has(p->r->hostname) ? span_of(p->r->hostname.v) : (struct span)SPAN_INIT;

	if (!span_trim(p->resource_config).n || marks_missing(p->resource_config))
		return;
	if (resource_config_find(p->resource_config, id, host, &node, &e) != ERR_OK) {
		section_unread(p->s, "resource_config", "%s", e.msg);
		return;
	}
	p->r->instance_group = section_str(p->s, span_of(node.group));
	set_type(p, span_of(node.instance_type));
}
