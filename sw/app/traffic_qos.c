/* The closed loop in the traffic application: runs meter, manager and agent at their times and
 * connects them by RDMA WRITEs without receive completions and without completions of success. */
#include <string.h>

#include "app/traffic_state.h"

static int has_role(const struct traffic_app* app, uint32_t role) {
  return app->qos_area != NULL && (app->block->qos.roles & role) != 0;
}

static enum traffic_error refuse(struct traffic_app* app, const char* explanation) {
  traffic_report(app, TRAFFIC_ERROR_QOS, TRAFFIC_NO_FLOW, 0, explanation);
  return TRAFFIC_ERROR_QOS;
}

static uint64_t address_in_area(const struct traffic_app* app, const void* place) {
  return app->block_address + app->block->qos.area_offset +
         (uint64_t)((const uint8_t*)place - (const uint8_t*)app->qos_area);
}

static const char* mistake_of(const struct traffic_app* app) {
  const struct boot_block* const b = app->block;
  if ((b->flags & BOOT_PAYLOAD_REAL) == 0) return "it needs real payload";
  if (b->qos.report_ns == 0 || b->qos.update_ns < b->qos.report_ns ||
      b->qos.update_ns % b->qos.report_ns != 0) {
    return "the update period is not a multiple of the report period";
  }
  if (b->qos.local_meter != UINT32_MAX &&
      (b->qos.local_meter >= b->qos.meter_count || !has_role(app, BOOT_QOS_METER) ||
       !has_role(app, BOOT_QOS_MANAGER))) {
    return "the local meter does not exist";
  }
  return NULL;
}

enum traffic_error traffic_qos_start(struct traffic_app* app) {
  struct boot_qos_area* const area = app->qos_area;
  if (area == NULL) return TRAFFIC_OK;
  const struct boot_qos* const qos = &app->block->qos;
  const char* const mistake = mistake_of(app);
  if (mistake != NULL) return refuse(app, mistake);
  memset(area, 0, sizeof *area);
  if (has_role(app, BOOT_QOS_METER) &&
      !qos_meter_init(&area->meter, qos->tenants, qos->tenant_count, QOS_METER_WINDOW)) {
    return refuse(app, "a tenant's DSCP or weight, or their number");
  }
  const struct qos_parameters parameters = qos_default_parameters();
  if (has_role(app, BOOT_QOS_MANAGER) &&
      !qos_manager_init(&area->manager, &parameters, qos->tenants, qos->tenant_count,
                        qos->meter_count)) {
    return refuse(app, "a tenant's DSCP or weight, or the number of tenants or meters");
  }
  for (uint32_t i = 0; i < qos->peer_count; ++i) {
    const struct boot_qos_peer* const p = &app->qos_peers[i];
    const struct nic_queue_pair pair = {p->qpn,  p->remote_host, p->remote_qpn,
                                        p->dscp, p->priority,    NIC_QP_SERVICE_SERVICE_RC};
    const enum traffic_error error = traffic_create_queue_pair(app, TRAFFIC_NO_FLOW, &pair);
    if (error != TRAFFIC_OK) return error;
  }
  const uint64_t now = hal_time_ns(app->hal);
  app->qos_next_ns = now + qos->report_ns;
  app->qos_update_ns = now + qos->update_ns;
  return TRAFFIC_OK;
}

void traffic_qos_received(struct traffic_app* app, uint32_t index, uint32_t bytes) {
  if (!has_role(app, BOOT_QOS_METER)) return;
  qos_meter_count(&app->qos_area->meter, &app->rx_state[index].meter, app->rx[index].dscp, bytes);
}

/* If the send ring is full the message is skipped, because the next message is cumulative. */
static void send_to_peers(struct traffic_app* app, uint8_t use, const void* message,
                          uint32_t bytes) {
  for (uint32_t i = 0; i < app->block->qos.peer_count; ++i) {
    const struct boot_qos_peer* const peer = &app->qos_peers[i];
    if (peer->use != use) continue;
    const struct nic_write write = {
        .qpn = peer->qpn,
        .wr_id = TRAFFIC_QOS_WR_ID,
        .local_address = address_in_area(app, message),
        .remote_address = peer->address,
        .length = bytes,
    };
    (void)nic_post_write(&app->nic, &write);
  }
}

static void apply_commands(struct traffic_app* app) {
  if (!has_role(app, BOOT_QOS_AGENT)) return;
  hal_barrier(app->hal);
  const int has_controller = (app->block->flags & BOOT_HAS_CONTROLLER) != 0;
  (void)qos_agent_apply(&app->qos_area->agent, has_controller ? &app->dcc : NULL, &app->nic,
                        &app->qos_area->command_in);
}

static void update(struct traffic_app* app) {
  struct boot_qos_area* const area = app->qos_area;
  hal_barrier(app->hal);
  for (uint32_t meter = 0; meter < app->block->qos.meter_count; ++meter) {
    const struct qos_report* const report =
        meter == app->block->qos.local_meter ? &area->report_out : &area->reports_in[meter];
    qos_manager_take(&area->manager, meter, report);
  }
  struct qos_command command;
  if (qos_manager_update(&area->manager, &command)) {
    area->command_out = command;
    area->command_in = command; /* An agent on this host takes the command directly. */
  }
  /* An unchanged command is repeated, so that an agent that missed a command catches up. */
  if (area->command_out.begin != 0) {
    send_to_peers(app, BOOT_QOS_SEND_COMMANDS, &area->command_out, sizeof area->command_out);
  }
}

void traffic_qos_step(struct traffic_app* app, uint64_t now_ns) {
  if (now_ns < app->qos_next_ns) return;
  const struct boot_qos* const qos = &app->block->qos;
  struct boot_qos_area* const area = app->qos_area;
  /* Due times advance by whole periods, so that periods do not stretch; missed periods are
   * skipped. */
  while (app->qos_next_ns <= now_ns) app->qos_next_ns += qos->report_ns;
  if (has_role(app, BOOT_QOS_METER)) {
    qos_meter_report(&area->meter, now_ns, &area->report_out);
    send_to_peers(app, BOOT_QOS_SEND_REPORTS, &area->report_out, sizeof area->report_out);
  }
  if (has_role(app, BOOT_QOS_MANAGER) && now_ns >= app->qos_update_ns) {
    while (app->qos_update_ns <= now_ns) app->qos_update_ns += qos->update_ns;
    update(app);
  }
  apply_commands(app);
}
