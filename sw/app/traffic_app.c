#include "app/traffic_app.h"

#include <string.h>

#include "app/traffic_state.h"
#include "driver/dcc_regs.h"
#include "driver/irq_regs.h"
#include "driver/nic_regs.h"

enum { kReapAtOnce = 16 };

static const char* const kErrorText[TRAFFIC_ERRORS] = {
    [TRAFFIC_OK] = "no error",
    [TRAFFIC_ERROR_MAGIC] = "no boot block at its address",
    [TRAFFIC_ERROR_VERSION] = "the boot block has another version than the application",
    [TRAFFIC_ERROR_LAYOUT] = "the boot block's layout is impossible",
    [TRAFFIC_ERROR_FLOW] = "a flow of the boot block is impossible",
    [TRAFFIC_ERROR_BUFFER] =
        "a flow's message buffer is outside RAM, overlaps the boot block or is not aligned",
    [TRAFFIC_ERROR_CONTROLLER] = "the congestion controller could not be brought up",
    [TRAFFIC_ERROR_NIC] = "the NIC could not be brought up",
    [TRAFFIC_ERROR_QUEUE_PAIR] = "a queue pair could not be created",
    [TRAFFIC_ERROR_QOS] = "the closed loop's part of the boot block is impossible",
    [TRAFFIC_ERROR_CONTROLLER_ACCESS] = "the congestion controller refused a register access",
    [TRAFFIC_ERROR_NIC_ACCESS] = "the NIC refused a register access",
    [TRAFFIC_ERROR_COMPLETION] = "a completion belongs to no message in flight",
    [TRAFFIC_ERROR_MESSAGE_FAILED] = "a message failed",
    [TRAFFIC_ERROR_PAYLOAD] = "a received message is not what was sent",
    [TRAFFIC_ERROR_SEQUENCE] = "a received message is missing, repeated or of the wrong length",
    [TRAFFIC_ERROR_OVERRUN] = "the controller's timing wheel fell 2^15 ticks behind",
    [TRAFFIC_ERROR_CLASS] = "a flow's class could not be changed",
};

const char* traffic_error_text(enum traffic_error error) {
  return (uint32_t)error < TRAFFIC_ERRORS ? kErrorText[error] : "unknown error of the application";
}

static void append(char* text, size_t room, const char* more) {
  const size_t used = strlen(text);
  for (size_t i = used; i + 1 < room && *more != '\0'; ++i, ++more) {
    text[i] = *more;
    text[i + 1] = '\0';
  }
}

void traffic_report(struct traffic_app* app, enum traffic_error error, uint32_t flow_id,
                    uint32_t detail, const char* explanation) {
  struct boot_result* const result = &app->block->result;
  if (error < TRAFFIC_ERROR_MESSAGE_FAILED) result->state = BOOT_STATE_FAILED;
  if (result->error != TRAFFIC_OK) return;
  result->error = error;
  result->error_flow = flow_id;
  result->error_detail = detail;
  result->text[0] = '\0';
  append(result->text, sizeof result->text, traffic_error_text(error));
  if (explanation != NULL) {
    append(result->text, sizeof result->text, ": ");
    append(result->text, sizeof result->text, explanation);
  }
}

/* --- bring-up --- */

static enum traffic_error controller_failed(struct traffic_app* app, enum dcc_error error) {
  traffic_report(app, TRAFFIC_ERROR_CONTROLLER, TRAFFIC_NO_FLOW, error, dcc_error_text(error));
  return TRAFFIC_ERROR_CONTROLLER;
}

static enum traffic_error start_controller(struct traffic_app* app) {
  enum dcc_error error = dcc_probe(&app->dcc, app->hal, DCC_BASE);
  if (error == DCC_OK) error = dcc_configure(&app->dcc, &app->block->controller);
  if (error != DCC_OK) return controller_failed(app, error);
  dcc_enable_interrupts(&app->dcc, DCC_IRQ_STATUS_TABLE_FULL_MASK | DCC_IRQ_STATUS_OVERRUN_MASK |
                                       DCC_IRQ_STATUS_ERROR_MASK);
  dcc_enable(&app->dcc);
  return TRAFFIC_OK;
}

static enum traffic_error start_nic(struct traffic_app* app) {
  const struct boot_block* const b = app->block;
  const uint64_t send_ring = app->block_address + b->scratch_offset;
  const uint64_t completion_ring =
      send_ring + boot_align((uint64_t)b->nic.send_ring_entries * sizeof(struct nic_wqe));
  enum nic_error error = nic_probe(&app->nic, app->hal, NIC_BASE);
  app->nic.completions_held = &app->block->result.completions_held;
  if (error == NIC_OK) error = nic_start(&app->nic, &b->nic, send_ring, completion_ring);
  if (error == NIC_OK && b->receive_ring_entries != 0) {
    error = nic_start_receives(&app->nic, app->block_address + b->receive_ring_offset,
                               b->receive_ring_entries);
  }
  if (error != NIC_OK) {
    traffic_report(app, TRAFFIC_ERROR_NIC, TRAFFIC_NO_FLOW, error, nic_error_text(error));
    return TRAFFIC_ERROR_NIC;
  }
  return TRAFFIC_OK;
}

enum traffic_error traffic_create_queue_pair(struct traffic_app* app, uint32_t flow_id,
                                             const struct nic_queue_pair* queue_pair) {
  const enum nic_error error = nic_create_queue_pair(&app->nic, queue_pair);
  if (error == NIC_OK) return TRAFFIC_OK;
  traffic_report(app, TRAFFIC_ERROR_QUEUE_PAIR, flow_id, error, nic_error_text(error));
  return TRAFFIC_ERROR_QUEUE_PAIR;
}

static enum traffic_error create_queue_pairs(struct traffic_app* app) {
  enum traffic_error error = TRAFFIC_OK;
  for (uint32_t i = 0; i < app->block->tx_count && error == TRAFFIC_OK; ++i) {
    const struct boot_tx_flow* const f = &app->tx[i];
    const struct nic_queue_pair pair = {f->qpn,  f->remote_host, f->remote_qpn,
                                        f->dscp, f->priority,    f->service};
    error = traffic_create_queue_pair(app, f->id, &pair);
  }
  for (uint32_t i = 0; i < app->block->rx_count && error == TRAFFIC_OK; ++i) {
    const struct boot_rx_flow* const f = &app->rx[i];
    const struct nic_queue_pair pair = {f->qpn,  f->remote_host, f->remote_qpn,
                                        f->dscp, f->priority,    f->service};
    traffic_fill_for_readers(app, i); /* Buffers are filled before another host can read them. */
    error = traffic_create_queue_pair(app, f->id, &pair);
    if (error == TRAFFIC_OK) traffic_post_receives(app, i);
  }
  nic_ring_doorbell(&app->nic);
  return error;
}

static void enable_interrupts(struct traffic_app* app) {
  nic_enable_interrupts(&app->nic, NIC_IRQ_STATUS_COMPLETION_MASK | NIC_IRQ_STATUS_ERROR_MASK);
  hal_write32(app->hal, DCC_INTERRUPT_CONTROLLER_BASE + IRQ_ENABLE_OFFSET,
              1u << IRQ_SOURCE_CONTROLLER | 1u << IRQ_SOURCE_NIC);
}

enum traffic_error traffic_app_start(struct traffic_app* app, const struct hal* hal,
                                     uint64_t block_address) {
  memset(app, 0, sizeof *app);
  app->hal = hal;
  app->block_address = block_address;
  enum traffic_error error = traffic_boot(app);
  if (error != TRAFFIC_OK) return error;
  if (app->block->flags & BOOT_HAS_CONTROLLER) error = start_controller(app);
  if (error == TRAFFIC_OK) error = start_nic(app);
  if (error == TRAFFIC_OK) error = create_queue_pairs(app);
  if (error == TRAFFIC_OK) error = traffic_qos_start(app);
  if (error != TRAFFIC_OK) return error;
  enable_interrupts(app);
  traffic_heap_build(app);
  traffic_change_classes(app, 0);
  app->block->result.started_ns = hal_time_ns(hal);
  app->block->result.state = BOOT_STATE_RUNNING;
  return TRAFFIC_OK;
}

/* --- interrupts --- */

static enum traffic_error take_completions(struct traffic_app* app) {
  struct nic_cqe completions[kReapAtOnce];
  const uint64_t now = hal_time_ns(app->hal);
  uint32_t count;
  do {
    count = nic_reap(&app->nic, completions, kReapAtOnce);
    app->behind = count == kReapAtOnce;
    for (uint32_t i = 0; i < count; ++i) {
      const enum traffic_error error = traffic_complete(app, &completions[i], now);
      --app->block->result.completions_held;
      if (error != TRAFFIC_OK) return error;
    }
  } while (count == kReapAtOnce);
  return TRAFFIC_OK;
}

static enum traffic_error nic_interrupt(struct traffic_app* app) {
  ++app->block->result.nic_irqs;
  const uint32_t causes = nic_take_interrupts(&app->nic);
  if (causes & NIC_IRQ_STATUS_ERROR_MASK) {
    struct nic_refused_access access;
    nic_read_refused_access(&app->nic, &access);
    traffic_report(app, TRAFFIC_ERROR_NIC_ACCESS, TRAFFIC_NO_FLOW, access.address, NULL);
    return TRAFFIC_ERROR_NIC_ACCESS;
  }
  return take_completions(app);
}

static enum traffic_error controller_interrupt(struct traffic_app* app) {
  ++app->block->result.controller_irqs;
  const uint32_t causes = dcc_take_interrupts(&app->dcc);
  if (causes & DCC_IRQ_STATUS_ERROR_MASK) {
    struct dcc_refused_access access;
    dcc_read_refused_access(&app->dcc, &access);
    traffic_report(app, TRAFFIC_ERROR_CONTROLLER_ACCESS, TRAFFIC_NO_FLOW, access.address, NULL);
    return TRAFFIC_ERROR_CONTROLLER_ACCESS;
  }
  if (causes & DCC_IRQ_STATUS_OVERRUN_MASK) {
    traffic_report(app, TRAFFIC_ERROR_OVERRUN, TRAFFIC_NO_FLOW, 0, NULL);
  }
  if (causes & DCC_IRQ_STATUS_TABLE_FULL_MASK) {
    /* Further notifications would interrupt again without new information: the statistics count
     * the dropped ones. */
    dcc_enable_interrupts(&app->dcc, DCC_IRQ_STATUS_OVERRUN_MASK | DCC_IRQ_STATUS_ERROR_MASK);
  }
  return TRAFFIC_OK;
}

static enum traffic_error handle_interrupts(struct traffic_app* app) {
  const struct hal* const hal = app->hal;
  enum traffic_error error = TRAFFIC_OK;
  uint32_t source;
  while (error == TRAFFIC_OK &&
         (source = hal_read32(hal, DCC_INTERRUPT_CONTROLLER_BASE + IRQ_CLAIM_OFFSET)) !=
             IRQ_SOURCE_NONE) {
    ++app->block->result.irqs;
    if (source == IRQ_SOURCE_NIC) error = nic_interrupt(app);
    if (source == IRQ_SOURCE_CONTROLLER) error = controller_interrupt(app);
    hal_write32(hal, DCC_INTERRUPT_CONTROLLER_BASE + IRQ_COMPLETE_OFFSET, source);
  }
  return error;
}

/* --- remaining work --- */

static uint64_t messages_of(uint64_t bytes, uint32_t message_bytes) {
  return (bytes + message_bytes - 1) / message_bytes;
}

struct traffic_work traffic_app_work(const struct traffic_app* app) {
  struct traffic_work all = {0, 0};
  for (uint32_t i = 0; i < app->block->tx_count; ++i) {
    if (app->tx[i].bytes == 0 || all.to_send == UINT64_MAX) {
      all.to_send = UINT64_MAX;
    } else {
      all.to_send += messages_of(app->tx[i].bytes, app->tx[i].message_bytes);
    }
  }
  for (uint32_t i = 0; i < app->block->rx_count; ++i) {
    /* a one-sided operation has no completion at the receiver */
    if (boot_is_one_sided(app->rx[i].operation)) continue;
    if (app->rx[i].bytes == 0 || all.to_receive == UINT64_MAX) {
      all.to_receive = UINT64_MAX;
    } else {
      all.to_receive += messages_of(app->rx[i].bytes, app->rx[i].message_bytes);
    }
  }
  return all;
}

int traffic_app_work_done(const struct traffic_app* app, struct traffic_work work) {
  const struct boot_result* const r = &app->block->result;
  return r->messages_completed + r->messages_failed >= work.to_send &&
         r->messages_received >= work.to_receive;
}

/* --- the loop --- */

int traffic_app_step(struct traffic_app* app) {
  const struct boot_block* const block = app->block;
  if (block->result.state != BOOT_STATE_RUNNING) return 0;
  const uint64_t now = hal_time_ns(app->hal);
  if (now >= block->end_ns) return 0;
  while (traffic_heap_next_start(app) <= now) traffic_post(app, traffic_heap_pop(app), now);
  traffic_post_waiting(app, now);
  if (app->class_next_ns <= now) traffic_change_classes(app, now);
  traffic_qos_step(app, now);
  nic_ring_doorbell(&app->nic);

  const uint64_t next_start = traffic_heap_next_start(app);
  uint64_t deadline = next_start < block->end_ns ? next_start : block->end_ns;
  if (app->qos_next_ns < deadline) deadline = app->qos_next_ns;
  if (app->class_next_ns < deadline) deadline = app->class_next_ns;
  const int interrupted = hal_wait_for_interrupt(app->hal, deadline);
  ++app->block->result.wakeups;
  if (interrupted) handle_interrupts(app);
  return block->result.state == BOOT_STATE_RUNNING;
}

enum traffic_error traffic_app_finish(struct traffic_app* app) {
  if (app->block == NULL) return TRAFFIC_ERROR_MAGIC;
  struct boot_result* const result = &app->block->result;
  if (result->state == BOOT_STATE_RUNNING) {
    /* The application takes completions after the end time without posting new messages. */
    if (take_completions(app) == TRAFFIC_OK) result->state = BOOT_STATE_DONE;
    nic_enable_interrupts(&app->nic, 0);
  }
  result->finished_ns = hal_time_ns(app->hal);
  return (enum traffic_error)result->error;
}

enum traffic_error traffic_app_run(struct traffic_app* app, const struct hal* hal,
                                   uint64_t block_address) {
  const enum traffic_error error = traffic_app_start(app, hal, block_address);
  if (error != TRAFFIC_OK) return error;
  while (traffic_app_step(app)) {
  }
  return traffic_app_finish(app);
}
