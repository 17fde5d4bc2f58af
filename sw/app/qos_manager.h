/* The QoS manager: keeps tenants' bandwidth at their weights, however many flows they open.
 *
 * A tenant is a DSCP. Three small parts, each with its own memory, connected by RDMA WRITEs:
 *   meter    on a receiving host: counts bytes and active flows of every tenant and reports them
 *   manager  on one host: compares the reports with the tenants' weights, works out factors
 *   agent    on a sending host: loads the factors into its controller's factor table
 * Reports and commands are one packet each; counters are cumulative, so a lost or skipped one costs
 * nothing but time. The control law and why it is stable: docs/qos-manager.md.
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
  uint32_t dscp;        /* 0 … 63 */
  uint32_t weight_q8_8; /* of the tenant as a whole, 1.0 = 256; 1/16 … 255.996 */
};

/* --- messages in host memory --- */

struct qos_report_entry {
  uint64_t bytes; /* received since the meter started */
  uint32_t dscp;
  uint32_t active_flows; /* flows that received something within the meter's window */
};

/* Written into the manager's memory; whole when `begin` equals `end`. */
struct qos_report {
  uint32_t begin; /* number of the report, from 1 */
  uint32_t count; /* entries */
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
  uint16_t weight_q8_8; /* of a flow: what dcc_set_weight takes */
};

/* Written into an agent's memory; whole when `begin` equals `end`. */
struct qos_command {
  uint32_t begin; /* number of the command, from 1 */
  uint32_t count;
  struct qos_command_entry entries[QOS_TENANTS_MAX];
  uint32_t reserved;
  uint32_t end;
};
DCC_ASSERT_SIZE(qos_command, 80);
DCC_ASSERT_OFFSET(qos_command, end, 76);

/* --- meter --- */

struct qos_meter {
  uint32_t count;
  uint32_t window; /* intervals a silent flow still counts as active */
  uint32_t interval;
  uint32_t dscp[QOS_TENANTS_MAX];
  uint8_t tenant_of_dscp[DCC_DSCPS]; /* index + 1; 0 = nobody's */
  uint64_t bytes[QOS_TENANTS_MAX];
  uint32_t active[QOS_TENANTS_MAX];
  uint32_t seen_last[QOS_TENANTS_MAX][QOS_WINDOW_MAX]; /* active flows by interval last seen */
};

/* What the meter remembers of a flow; zero before its first byte. */
struct qos_flow {
  uint32_t last_interval; /* number of the interval it was last seen in, from 1; 0 = never */
};

/* `window` 1 … QOS_WINDOW_MAX intervals. Returns 0 if a tenant is impossible or named twice. */
int qos_meter_init(struct qos_meter* meter, const struct qos_tenant* tenants, uint32_t count,
                   uint32_t window);
/* Bytes have arrived. Takes the same time however many flows there are. */
void qos_meter_count(struct qos_meter* meter, struct qos_flow* flow, uint32_t dscp, uint32_t bytes);
/* Ends an interval and writes the next report. */
void qos_meter_report(struct qos_meter* meter, uint64_t now_ns, struct qos_report* report);

/* --- manager --- */

struct qos_parameters {
  int32_t proportional_q16; /* part of a tenant's error (in octaves) put on its factor at once */
  int32_t integral_q16;     /* part of it added at every update */
  int32_t integral_limit_q16;
  uint32_t smoothing_shift; /* shares are averaged over about 2^this updates, 0 … 4 */
  uint32_t hold_updates;    /* after a join or leave the feedback waits for the flows to settle */
  int32_t span_q16;         /* greatest ratio of two factors, in octaves, at most 12 */
};
/* For updates every 2 ms over the proportional policy; docs/qos-manager.md derives them. */
struct qos_parameters qos_default_parameters(void);
enum { QOS_UPDATE_NS = 2 * 1000 * 1000, QOS_REPORT_NS = 1000 * 1000, QOS_METER_WINDOW = 8 };

struct qos_tenant_state {
  uint64_t bytes;        /* all meters, at the last update */
  uint64_t smooth_bytes; /* per update, with 8 fraction bits */
  uint32_t flows;        /* all meters */
  int32_t integral_q16;
  int32_t error_q16;    /* log2 of wanted / measured share */
  uint32_t weight_q8_8; /* of one of its flows */
};

struct qos_manager {
  struct qos_parameters parameters;
  struct qos_tenant tenants[QOS_TENANTS_MAX];
  uint32_t tenant_count;
  uint32_t meter_count;
  struct qos_report reports[QOS_METERS_MAX]; /* the last whole one of each meter */
  struct qos_tenant_state states[QOS_TENANTS_MAX];
  uint32_t hold;
  uint32_t updates;
  uint32_t commands; /* number of the last command */
};

/* Returns 0 if the tenants or the number of meters are impossible. */
int qos_manager_init(struct qos_manager* manager, const struct qos_parameters* parameters,
                     const struct qos_tenant* tenants, uint32_t tenant_count, uint32_t meter_count);
/* Takes over what lies in the meter's place in memory: 1 if it was a new whole report, 0 if it was
 * torn, old or of other tenants (then the one before stays in force). */
int qos_manager_take(struct qos_manager* manager, uint32_t meter, const struct qos_report* report);
/* One step of the control loop, at a steady period. Returns 1 if a factor changed: then `command`
 * is to be sent to all agents. */
int qos_manager_update(struct qos_manager* manager, struct qos_command* command);

/* --- agent --- */

struct qos_agent {
  uint32_t last_command;
};
/* Loads a new whole command into the controller's factor table, or without a controller (NULL) into
 * the NIC's weights; returns the number of factors loaded, or -1 if the driver refused one. */
int qos_agent_apply(struct qos_agent* agent, struct dcc_controller* controller, struct nic* nic,
                    const struct qos_command* command);

#ifdef __cplusplus
}
#endif

#endif
