/*
 * efa: RDMA devices from /sys/class/infiniband ("path:value", "path -> link",
 * or "device key value"), EFA functions on the PCI bus, and fi_info.
 *
 * The efa driver always reports ACTIVE and LinkUp, so the state of an EFA port
 * proves nothing; it is read because other RDMA devices do tell the truth.
 */
#include "collectors/section.h"

#include <string.h>

#include "collectors/efa_device.h"
#include "collectors/marks.h"
#include "collectors/parse_fi_info.h"

/* Amazon's PCI vendor id, and the first digits of every EFA device id (efa driver). */
#define AMAZON_VENDOR 0x1d0f
#define EFA_DEVICE_ID 0xefa

struct device_facts {
	struct opt_u64 vendor;
	struct opt_u64 device;
	bool efa_counters;
};

struct efa_parse {
	struct section *s;
	struct efa_reading *r;
	struct device_facts *facts; /* one a row */
	bool no_directory;          /* the node says that there is no RDMA device */
	bool probe;                 /* the probe's marks were seen */
	bool sysfs_cut;
	bool bad_line;
};

static struct efa_row *device_row(struct efa_parse *p, struct span dev, struct device_facts **facts)
{
	struct efa_row *row = NULL;

	for (size_t i = 0; i < p->r->device_n && !row; i++)
		if (opt_has(p->r->device[i].dev) && span_eq(dev, p->r->device[i].dev.v))
			row = &p->r->device[i];
	if (!row && p->r->device_n < EFA_DEVICES_MAX) {
		row = SECTION_ROW(p->s, p->r, device);
		if (row)
			row->dev = section_str(p->s, dev);
	}
	if (row)
		*facts = &p->facts[row - p->r->device];
	return row;
}

static struct span base_name(struct span path)
{
	size_t n = path.n;

	while (n && path.p[n - 1] != '/')
		n--;
	return (struct span){path.p + n, path.n - n};
}

/* "4: ACTIVE" */
static void set_state(struct section *s, struct span v, struct opt_u64 *num, struct opt_str *name)
{
	struct span rest;
	uint64_t n;

	if (span_lead_u64(v, &n, &rest) && rest.n > 1 && rest.p[0] == ':') {
		*num = opt_u64(n);
		*name = section_str(s, (struct span){rest.p + 1, rest.n - 1});
		return;
	}
	num->state = OPT_ERROR;
	name->state = OPT_ERROR;
	section_unread(s, "port state", "\"%.*s\"", (int)(v.n > 40 ? 40 : v.n), v.p);
}

static void set_rate(struct efa_row *row, struct span v)
{
	double gbps;

	if (span_lead_f64(v, &gbps, NULL) && span_find(v, "Gb/sec") > 0)
		row->rate_gbps = opt_f64(gbps);
	else
		row->rate_gbps.state = OPT_ERROR;
}

static void set_netdev(struct section *s, struct efa_row *row, struct span below, struct span v)
{
	struct span name;
	struct span key;

	if (!span_field(&below, '/', &name) || !span_field(&below, '/', &key))
		return;
	if (!opt_has(row->netdev))
		row->netdev = section_str(s, name);
	if (span_eq(key, "operstate"))
		row->operstate = section_str(s, v);
	else if (span_eq(key, "carrier") && (span_eq(v, "0") || span_eq(v, "1")))
		row->carrier = opt_bool(span_eq(v, "1"));
	else if (span_eq(key, "carrier"))
		row->carrier.state = OPT_ERROR;
}

static void set_id(struct opt_u64 *id, struct span v)
{
	uint64_t n;

	*id = span_hex(v, &n) ? opt_u64(n) : (struct opt_u64){OPT_ERROR, 0};
}

static void set_numa(struct efa_row *row, struct span v)
{
	int64_t n;

	row->numa = span_i64(v, &n) ? opt_i64(n) : (struct opt_i64){OPT_ERROR, 0};
}

/* One value of a device; key is the path below the device's directory. */
static void set_value(struct efa_parse *p, struct span dev, struct span key, struct span v)
{
	static const char net[] = "device/net/";
	struct device_facts *f;
	struct efa_row *row = device_row(p, dev, &f);
	struct section *s = p->s;

	if (!row)
		return;
	if (span_eq(key, "ports/1/state") || span_eq(key, "state"))
		set_state(s, v, &row->state_num, &row->state);
	else if (span_eq(key, "ports/1/phys_state") || span_eq(key, "phys_state"))
		set_state(s, v, &row->phys_num, &row->phys);
	else if (span_eq(key, "ports/1/rate") || span_eq(key, "rate"))
		set_rate(row, v);
	else if (span_eq(key, "ports/1/link_layer") || span_eq(key, "link_layer"))
		row->link_layer = section_str(s, v);
	else if (span_eq(key, "device/driver"))
		row->driver = section_str(s, base_name(v));
	else if (span_eq(key, "device/vendor"))
		set_id(&f->vendor, v);
	else if (span_eq(key, "device/device"))
		set_id(&f->device, v);
	else if (span_eq(key, "device/numa_node"))
		set_numa(row, v);
	else if (span_eq(key, "device"))
		row->pci = section_str(s, base_name(v));
	else if (span_starts(key, net))
		set_netdev(s, row, (struct span){key.p + strlen(net), key.n - strlen(net)}, v);
	else if (span_find(key, "hw_counters/") >= 0 && efa_only_counter(base_name(key)))
		f->efa_counters = true;
}

/* A message about the directory itself, not about one file of one device. */
static bool no_directory(struct span line)
{
	static const char dir[] = "/sys/class/infiniband";
	ptrdiff_t at = span_find(line, dir);

	if (at < 0 || !marks_missing(line))
		return false;
	struct span rest = {line.p + at + strlen(dir), line.n - (size_t)at - strlen(dir)};

	return !rest.n || rest.p[0] != '/' || span_starts(rest, "/*") || span_starts(rest, "/:") ||
	       span_starts(rest, "/'");
}

static void read_sysfs_line(struct efa_parse *p, struct span line)
{
	struct span path;
	struct span value;
	struct span dev;
	struct span key;

	if (marks_path(line, &path, &value)) {
		if (marks_item(path, "/infiniband/", &dev, &key))
			set_value(p, dev, key, value);
		return;
	}
	if (no_directory(line)) {
		p->no_directory = true;
		p->r->error = section_str(p->s, line);
		return;
	}
	struct span rest = line;

	if (span_word(&rest, &dev) && dev.p[dev.n - 1] != ':' && span_word(&rest, &key)) {
		set_value(p, dev, key, span_trim(rest));
		return;
	}
	p->bad_line = true;
	section_unread(p->s, "line", "\"%.*s\"", (int)(line.n > 100 ? 100 : line.n), line.p);
}

static void read_sysfs(struct efa_parse *p, const struct marks_piece *piece)
{
	struct span text = piece->body;
	struct span line;

	p->sysfs_cut = !piece->whole;
	while (span_line(&text, &line))
		if (span_trim(line).n)
			read_sysfs_line(p, span_trim(line));
}

/*
 * Driver link first, PCI ids next. Where neither is printed the counters that
 * only EFA has, or the name (rdmap*, before that efa_*), must do.
 */
static bool decide_is_efa(struct efa_row *row, const struct device_facts *f)
{
	if (opt_has(row->driver)) {
		row->is_efa = opt_bool(strcmp(row->driver.v, "efa") == 0);
		return false;
	}
	if (opt_has(f->vendor) && f->vendor.v != AMAZON_VENDOR) {
		row->is_efa = opt_bool(false);
		return false;
	}
	if (opt_has(f->vendor) && opt_has(f->device)) {
		row->is_efa = opt_bool(f->device.v >> 4 == EFA_DEVICE_ID);
		return false;
	}
	if (!opt_has(row->dev))
		return false;
	if (f->efa_counters || strncmp(row->dev.v, "rdmap", 5) == 0 ||
		strncmp(row->dev.v, "efa_", 4) == 0)
		row->is_efa = opt_bool(true);
	else if (strncmp(row->dev.v, "mlx", 3) == 0 || strncmp(row->dev.v, "ibp", 3) == 0)
		row->is_efa = opt_bool(false);
	return opt_has(row->is_efa);
}

static void set_totals(struct efa_parse *p)
{
	struct efa_reading *r = p->r;
	uint64_t efa = 0;
	uint64_t active = 0;
	uint64_t guessed = 0;
	bool unsure = p->sysfs_cut || p->bad_line;
	bool unsure_active = unsure;

	for (size_t i = 0; i < r->device_n; i++) {
		struct efa_row *row = &r->device[i];

		guessed += decide_is_efa(row, &p->facts[i]);
		if (!opt_has(row->is_efa)) {
			unsure = unsure_active = true;
		} else if (row->is_efa.v) {
			efa++;
			if (!opt_has(row->state_num))
				unsure_active = true;
			else if (row->state_num.v == EFA_PORT_ACTIVE)
				active++;
		}
	}
	if (guessed)
		section_unread(p->s, "driver",
			"not printed: is_efa of %u device(s) told by name or counters",
			(unsigned)guessed);
	if (r->device_n == 0 && !p->no_directory && (!p->probe || p->sysfs_cut))
		return;
	if (r->device_n >= EFA_DEVICES_MAX)
		return;
	if (!p->sysfs_cut)
		r->devices = opt_u64(r->device_n);
	if (!unsure)
		r->efa_devices = opt_u64(efa);
	if (!unsure_active)
		r->active = opt_u64(active);
}

void parse_efa(struct section *s, struct span text)
{
	struct device_facts facts[EFA_DEVICES_MAX] = {{.efa_counters = false}};
	struct efa_parse p = {.s = s, .r = s->mutable_reading, .facts = facts};
	struct marks m;
	struct marks_piece piece;
	bool any = false;

	marks_init(&m, s, text);
	while (marks_next(&m, &piece)) {
		any = true;
		p.probe = p.probe || piece.mark.n;
		if (span_eq(piece.name, "pci_efa"))
			p.r->pci_efa = marks_u64(piece.args);
		else if (span_eq(piece.name, "fi_info") ||
			 (!piece.mark.n && fi_info_like(piece.body)))
			fi_info_read(s, &piece);
		else if (!piece.mark.n || span_eq(piece.name, "sysfs"))
			read_sysfs(&p, &piece);
	}
	if (!any && s->unread_n == 0 && s->status == SECTION_OK)
		section_unread(s, "efa", "nothing was printed");
	fi_info_finish(s);
	set_totals(&p);
}
