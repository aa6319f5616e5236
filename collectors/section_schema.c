#include "collectors/section_schema.h"

#include <stddef.h>

/*
 * TYPE is the struct that a list describes: each list is expanded between a
 * define and an undef of it, so that offsetof knows where it is.
 */
#define FIELD_TYPE_u64  FIELD_U64
#define FIELD_TYPE_i64  FIELD_I64
#define FIELD_TYPE_f64  FIELD_F64
#define FIELD_TYPE_flag FIELD_FLAG
#define FIELD_TYPE_str  FIELD_STR
#define FIELD_TYPE_hex  FIELD_HEX
#define DESCRIBE(type, name, unit, help) \
	{#name, FIELD_TYPE_##type, offsetof(TYPE, name), unit, help},

#define TYPE struct cpu_reading
static const struct field cpu_fields[] = {CPU_FIELDS(DESCRIBE)};
#undef TYPE

#define TYPE struct host_reading
static const struct field host_fields[] = {HOST_FIELDS(DESCRIBE)};
#undef TYPE

#define TYPE struct efa_counters_reading
static const struct field efa_counters_fields[] = {EFA_COUNTERS_FIELDS(DESCRIBE)};
#undef TYPE
#define TYPE struct efa_counters_row
static const struct field efa_counters_row_fields[] = {EFA_COUNTERS_ROW_FIELDS(DESCRIBE)};
#undef TYPE

#define TYPE struct efa_reading
static const struct field efa_fields[] = {EFA_FIELDS(DESCRIBE)};
#undef TYPE
#define TYPE struct efa_row
static const struct field efa_row_fields[] = {EFA_ROW_FIELDS(DESCRIBE)};
#undef TYPE

#define TYPE struct governor_reading
static const struct field governor_fields[] = {GOVERNOR_FIELDS(DESCRIBE)};
#undef TYPE

#define TYPE struct mounts_reading
static const struct field mounts_fields[] = {MOUNTS_FIELDS(DESCRIBE)};
#undef TYPE
#define TYPE struct mounts_row
static const struct field mounts_row_fields[] = {MOUNTS_ROW_FIELDS(DESCRIBE)};
#undef TYPE

#define TYPE struct shm_reading
static const struct field shm_fields[] = {SHM_FIELDS(DESCRIBE)};
#undef TYPE

#define TYPE struct client_io_reading
static const struct field client_io_fields[] = {CLIENT_IO_FIELDS(DESCRIBE)};
#undef TYPE
#define TYPE struct client_io_row
static const struct field client_io_row_fields[] = {CLIENT_IO_ROW_FIELDS(DESCRIBE)};
#undef TYPE
#define TYPE struct client_io_import
static const struct field client_io_import_fields[] = {CLIENT_IO_IMPORT_FIELDS(DESCRIBE)};
#undef TYPE

#define TYPE struct fabricmanager_reading
static const struct field fabricmanager_fields[] = {FABRICMANAGER_FIELDS(DESCRIBE)};
#undef TYPE
#define TYPE struct fabricmanager_row
static const struct field fabricmanager_row_fields[] = {FABRICMANAGER_ROW_FIELDS(DESCRIBE)};
#undef TYPE

#define TYPE struct stack_reading
static const struct field stack_fields[] = {STACK_FIELDS(DESCRIBE)};
#undef TYPE

#define TYPE struct xid_reading
static const struct field xid_fields[] = {XID_FIELDS(DESCRIBE)};
#undef TYPE
#define TYPE struct xid_row
static const struct field xid_row_fields[] = {XID_ROW_FIELDS(DESCRIBE)};
#undef TYPE
#define TYPE struct xid_sxid
static const struct field xid_sxid_fields[] = {XID_SXID_FIELDS(DESCRIBE)};
#undef TYPE

#define TYPE struct gpu_reading
static const struct field gpu_fields[] = {GPU_FIELDS(DESCRIBE)};
#undef TYPE
#define TYPE struct gpu_row
static const struct field gpu_row_fields[] = {GPU_ROW_FIELDS(DESCRIBE)};
#undef TYPE

#define TYPE struct nvlink_reading
static const struct field nvlink_fields[] = {NVLINK_FIELDS(DESCRIBE)};
#undef TYPE
#define TYPE struct nvlink_row
static const struct field nvlink_row_fields[] = {NVLINK_ROW_FIELDS(DESCRIBE)};
#undef TYPE
#define TYPE struct nvlink_error
static const struct field nvlink_error_fields[] = {NVLINK_ERROR_FIELDS(DESCRIBE)};
#undef TYPE

#define TYPE struct gpu_topo_reading
static const struct field gpu_topo_fields[] = {GPU_TOPO_FIELDS(DESCRIBE)};
#undef TYPE
#define TYPE struct gpu_topo_row
static const struct field gpu_topo_row_fields[] = {GPU_TOPO_ROW_FIELDS(DESCRIBE)};
#undef TYPE
#define TYPE struct gpu_topo_nic
static const struct field gpu_topo_nic_fields[] = {GPU_TOPO_NIC_FIELDS(DESCRIBE)};
#undef TYPE

#define TYPE struct neuron_reading
static const struct field neuron_fields[] = {NEURON_FIELDS(DESCRIBE)};
#undef TYPE
#define TYPE struct neuron_row
static const struct field neuron_row_fields[] = {NEURON_ROW_FIELDS(DESCRIBE)};
#undef TYPE

#define TYPE struct ras_reading
static const struct field ras_fields[] = {RAS_FIELDS(DESCRIBE)};
#undef TYPE

#define TYPE struct capacity_reading
static const struct field capacity_fields[] = {CAPACITY_FIELDS(DESCRIBE)};
#undef TYPE
#define TYPE struct capacity_row
static const struct field capacity_row_fields[] = {CAPACITY_ROW_FIELDS(DESCRIBE)};
#undef TYPE

#define TYPE struct lustre_df_reading
static const struct field lustre_df_fields[] = {LUSTRE_DF_FIELDS(DESCRIBE)};
#undef TYPE
#define TYPE struct lustre_df_row
static const struct field lustre_df_row_fields[] = {LUSTRE_DF_ROW_FIELDS(DESCRIBE)};
#undef TYPE

#define TABLE(section, table, row)                                                 \
	{                                                                          \
#table, row##_fields, ARRAY_LEN(row##_fields), sizeof(struct row), \
			offsetof(struct section##_reading, table),                 \
			offsetof(struct section##_reading, table##_n)              \
	}

static const struct table efa_counters_tables[] = {
	TABLE(efa_counters, device, efa_counters_row),
};
static const struct table efa_tables[] = {
	TABLE(efa, device, efa_row),
};
static const struct table mounts_tables[] = {
	TABLE(mounts, mount, mounts_row),
};
static const struct table client_io_tables[] = {
	TABLE(client_io, mount, client_io_row),
	TABLE(client_io, import, client_io_import),
};
static const struct table fabricmanager_tables[] = {
	TABLE(fabricmanager, gpu, fabricmanager_row),
};
static const struct table xid_tables[] = {
	TABLE(xid, xid, xid_row),
	TABLE(xid, sxid, xid_sxid),
};
static const struct table gpu_tables[] = {
	TABLE(gpu, gpu, gpu_row),
};
static const struct table nvlink_tables[] = {
	TABLE(nvlink, gpu, nvlink_row),
	TABLE(nvlink, errors, nvlink_error),
};
static const struct table gpu_topo_tables[] = {
	TABLE(gpu_topo, gpu, gpu_topo_row),
	TABLE(gpu_topo, nic, gpu_topo_nic),
};
static const struct table neuron_tables[] = {
	TABLE(neuron, device, neuron_row),
};
static const struct table capacity_tables[] = {
	TABLE(capacity, mount, capacity_row),
};
static const struct table lustre_df_tables[] = {
	TABLE(lustre_df, target, lustre_df_row),
};

/* Sections that have values only. */
#define NO_TABLES(name) NULL, 0
#define TABLES(name)    name##_tables, ARRAY_LEN(name##_tables)

#define TABLES_cpu           NO_TABLES(cpu)
#define TABLES_host          NO_TABLES(host)
#define TABLES_efa_counters  TABLES(efa_counters)
#define TABLES_efa           TABLES(efa)
#define TABLES_governor      NO_TABLES(governor)
#define TABLES_mounts        TABLES(mounts)
#define TABLES_shm           NO_TABLES(shm)
#define TABLES_client_io     TABLES(client_io)
#define TABLES_fabricmanager TABLES(fabricmanager)
#define TABLES_stack         NO_TABLES(stack)
#define TABLES_xid           TABLES(xid)
#define TABLES_gpu           TABLES(gpu)
#define TABLES_nvlink        TABLES(nvlink)
#define TABLES_gpu_topo      TABLES(gpu_topo)
#define TABLES_neuron        TABLES(neuron)
#define TABLES_ras           NO_TABLES(ras)
#define TABLES_capacity      TABLES(capacity)
#define TABLES_lustre_df     TABLES(lustre_df)

#define SECTION_DESC(ID, name, cadence, title)                           \
	[SECTION_##ID] = {#name, title, cadence,                         \
		{name##_fields, ARRAY_LEN(name##_fields), TABLES_##name, \
			sizeof(struct name##_reading)},                  \
		parse_##name},
const struct section_desc section_descs[SECTION_COUNT] = {SECTIONS(SECTION_DESC)};
