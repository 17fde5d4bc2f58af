/* The QoS manager: keeps tenants' bandwidth at their weights, however many flows they open.
 *
 * A tenant is a DSCP. Three small parts, each with its own memory, connected by RDMA WRITEs:
 *   meter    on a receiving host: counts bytes and active flows of every tenant and reports them
 *   manager  on one host: compares the reports with the tenants' weights, works out factors
 *   agent    on a sending host: loads the factors into its controller's factor table
 * Reports and commands are one packet each; counters are cumulative, so a lost or skipped message
 * costs nothing but time. The control law and why it is stable: docs/qos-manager.md.
 *
 * Portable C11, integers only, no memory of its own. Logarithms are base 2 in 16.16. */
#ifndef DCC_APP_QOS_MANAGER_H
#define DCC_APP_QOS_MANAGER_H

#include "driver/dcc_config.h"
#include "driver/dcc_driver.h"
#include "driver/fixed_layout.h"
#include "driver/nic_driver.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { QOS_TENANTS_MAX = 16, QOS_METERS_MAX = 64, QOS_WINDOW_MAX = 32 };

struct qos_tenant {
  uint32_t dscp;        /* DSCP that identifies the tenant, 0 … 63 */
  uint32_t weight_q8_8; /* weight of the whole tenant, 1.0 = 256; 1/16 … 255.996 */
};

/* --- reports and commands in host memory --- */

struct qos_report_entry {
  uint64_t bytes; /* bytes that the tenant's flows received since the meter started */
  uint32_t dscp;
  /* number of the tenant's flows that received bytes within the meter's window */
  uint32_t active_flows;
};

/* Report of a meter, which RDMA writes into the manager's memory; complete when `begin` equals
 * `end`. */
struct qos_report {
  uint32_t begin; /* number of the report, from 1 */
  uint32_t count; /* number of tenants in the report */
  uint64_t time_ns;
  struct qos_report_entry entries[QOS_TENANTS_MAX];
  uint32_t reserved;
  uint32_t end;
};
DCC_ASSERT_SIZE(qos_report_entry, 16);
DCC_ASSERT_SIZE(qos_report, 280);
DCC_ASSERT_OFFSET(qos_report, end, 276);

struct qos_command_entry {
  uint16_t dscp;
  uint16_t weight_q8_8; /* factor of each flow of the tenant, in the format of dcc_set_weight */
};

/* Command, which RDMA writes into an agent's memory; complete when `begin` equals `end`. */
struct qos_command {
  uint32_t begin; /* number of the command, from 1 */
  uint32_t count;
  struct qos_command_entry entries[QOS_TENANTS_MAX];
  uint32_t reserved;
  uint32_t end;
};
DCC_ASSERT_SIZE(qos_command, 80);
DCC_ASSERT_OFFSET(qos_command, end, 76);

/* --- meter: counts tenants' bytes on a receiving host --- */

struct qos_meter {
  uint32_t count;
  uint32_t window; /* number of intervals for which a silent flow counts as active */
  uint32_t interval;
  uint32_t dscp[QOS_TENANTS_MAX];
  /* index of the tenant + 1 by DSCP; 0 = the DSCP has no tenant */
  uint8_t tenant_of_dscp[DCC_DSCPS];
  uint64_t bytes[QOS_TENANTS_MAX];
  uint32_t active[QOS_TENANTS_MAX];
  /* number of active flows by tenant and by the interval of their last bytes */
  uint32_t seen_last[QOS_TENANTS_MAX][QOS_WINDOW_MAX];
};

/* State that the meter keeps of a flow; zero before the flow's first byte. */
struct qos_flow {
  uint32_t last_interval; /* number of the last interval with bytes, from 1; 0 = never */
};

/* Initialises a meter; `window` is 1 … QOS_WINDOW_MAX intervals. Returns 0 for an invalid or
 * repeated tenant. */
int qos_meter_init(struct qos_meter* meter, const struct qos_tenant* tenants, uint32_t count,
                   uint32_t window);
/* Counts `bytes` received by a flow, in constant time. */
void qos_meter_count(struct qos_meter* meter, struct qos_flow* flow, uint32_t dscp, uint32_t bytes);
/* Ends an interval and writes the next report. */
void qos_meter_report(struct qos_meter* meter, uint64_t now_ns, struct qos_report* report);

/* --- manager: computes the tenants' factors on one host --- */

struct qos_parameters {
  int32_t proportional_q16; /* part of a tenant's error (in octaves) added to its factor at once */
  /* part of the error (in octaves) that every update adds to the factor's integral */
  int32_t integral_q16;
  int32_t integral_limit_q16;
  uint32_t smoothing_shift; /* shares are averaged over about 2^smoothing_shift updates, 0 … 4 */
  /* number of updates without feedback after a flow joins or leaves, until rates settle */
  uint32_t hold_updates;
  int32_t span_q16; /* greatest ratio of two factors, in octaves, at most 12 */
};
/* Parameters for updates every 2 ms over the proportional policy, derived in
 * docs/qos-manager.md. */
struct qos_parameters qos_default_parameters(void);
enum { QOS_UPDATE_NS = 2 * 1000 * 1000, QOS_REPORT_NS = 1000 * 1000, QOS_METER_WINDOW = 8 };

struct qos_tenant_state {
  uint64_t bytes;        /* bytes of the tenant, summed over all meters, at the last update */
  uint64_t smooth_bytes; /* average of bytes per update, with 8 fraction bits */
  uint32_t flows;        /* number of the tenant's active flows, summed over all meters */
  int32_t integral_q16;
  int32_t error_q16;    /* error of the tenant's share, log2(wanted share / measured share) */
  uint32_t weight_q8_8; /* factor of each of the tenant's flows */
};

struct qos_manager {
  struct qos_parameters parameters;
  struct qos_tenant tenants[QOS_TENANTS_MAX];
  uint32_t tenant_count;
  uint32_t meter_count;
  struct qos_report reports[QOS_METERS_MAX]; /* last complete report of each meter */
  struct qos_tenant_state states[QOS_TENANTS_MAX];
  uint32_t hold;
  uint32_t updates;
  uint32_t commands; /* number of the last command that the manager wrote */
};

/* Initialises a manager. Returns 0 if the tenants or the number of meters are invalid. */
int qos_manager_init(struct qos_manager* manager, const struct qos_parameters* parameters,
                     const struct qos_tenant* tenants, uint32_t tenant_count, uint32_t meter_count);
/* Reads the report in the memory of meter `meter`. Returns 1 for a new complete report;
 * returns 0 and keeps the previous report if it is torn, old or about other tenants. */
int qos_manager_take(struct qos_manager* manager, uint32_t meter, const struct qos_report* report);
/* Performs one step of the control loop; call at a constant period. Returns 1 if a factor changed;
 * the caller then sends `command` to all agents. */
int qos_manager_update(struct qos_manager* manager, struct qos_command* command);

/* --- agent: loads factors into a sending host's controller --- */

struct qos_agent {
  uint32_t last_command;
};
/* Loads a new complete command into the controller's factor table, or without a controller (NULL)
 * into the NIC's weights; returns the number of factors loaded, or -1 if the driver refused one. */
int qos_agent_apply(struct qos_agent* agent, struct dcc_controller* controller, struct nic* nic,
                    const struct qos_command* command);

#ifdef __cplusplus
}
#endif

#endif
