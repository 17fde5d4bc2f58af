/* Converts bytes in RAM to checked pointers; no member of the boot block is trusted before its
 * check. */
#include <string.h>

#include "app/traffic_state.h"

static enum traffic_error fail(struct traffic_app* app, enum traffic_error error, uint32_t flow_id,
                               const char* explanation) {
  traffic_report(app, error, flow_id, 0, explanation);
  return error;
}

/* True if `count` aligned entries of `size` bytes at `offset` lie within the block. */
static int array_fits(const struct boot_block* block, uint32_t offset, uint32_t count,
                      uint32_t size) {
  return offset % BOOT_ALIGNMENT == 0 && offset >= sizeof *block &&
         offset + (uint64_t)count * size <= block->total_bytes;
}

static const char* layout_mistake(const struct traffic_app* app) {
  const struct boot_block* const b = app->block;
  if (b->header_bytes != sizeof *b) return "header_bytes is not this application's";
  if (b->tx_count > BOOT_MAX_FLOWS || b->rx_count > BOOT_MAX_FLOWS) return "too many flows";
  if (app->block_address < BOOT_RAM_BASE) return "the block is not in RAM";
  const uint64_t before = app->block_address - BOOT_RAM_BASE;
  if (before > b->ram_bytes || b->total_bytes > b->ram_bytes - before) {
    return "the block reaches beyond RAM";
  }
  if (!array_fits(b, b->tx_offset, b->tx_count, sizeof(struct boot_tx_flow)) ||
      !array_fits(b, b->rx_offset, b->rx_count, sizeof(struct boot_rx_flow)) ||
      !array_fits(b, b->tx_result_offset, b->tx_count, sizeof(struct boot_tx_result)) ||
      !array_fits(b, b->rx_result_offset, b->rx_count, sizeof(struct boot_rx_result)) ||
      !array_fits(b, b->scratch_offset, 1, b->scratch_bytes)) {
    return "an array lies outside the block or is not aligned";
  }
  if (b->nic.send_ring_entries > NIC_RING_ENTRIES_MAX ||
      b->nic.completion_ring_entries > NIC_RING_ENTRIES_MAX) {
    return "a ring has over 32768 entries";
  }
  if (b->scratch_bytes < boot_scratch_bytes(b->nic.send_ring_entries,
                                            b->nic.completion_ring_entries, b->tx_count,
                                            b->rx_count, b->queue_pairs)) {
    return "the scratch area is too small";
  }
  if (b->receive_ring_entries > NIC_RING_ENTRIES_MAX ||
      (b->receive_ring_entries != 0 &&
       !array_fits(b, b->receive_ring_offset, b->receive_ring_entries, sizeof(struct nic_rqe)))) {
    return "the receive ring lies outside the block or has over 32768 entries";
  }
  if (b->qos.roles != 0 &&
      (b->qos.peer_count > 2 * QOS_METERS_MAX ||
       !array_fits(b, b->qos.peers_offset, b->qos.peer_count, sizeof(struct boot_qos_peer)) ||
       !array_fits(b, b->qos.area_offset, 1, sizeof(struct boot_qos_area)))) {
    return "the closed loop's area lies outside the block or has too many peers";
  }
  return NULL;
}

/* True if `slots` buffers lie in RAM behind the block, aligned for the payload pattern. */
static int buffer_fits(const struct traffic_app* app, uint64_t address, uint32_t slots,
                       uint32_t slot_bytes, uint32_t message_bytes) {
  const struct boot_block* const b = app->block;
  const uint64_t begin = app->block_address + b->total_bytes;
  const uint64_t end = BOOT_RAM_BASE + b->ram_bytes;
  const uint64_t bytes = (uint64_t)(slots - 1) * slot_bytes + message_bytes;
  return slot_bytes >= message_bytes && address % 4 == 0 && slot_bytes % 4 == 0 &&
         address >= begin && address <= end && bytes <= end - address;
}

static const char* kind_mistake(const struct boot_block* block, uint8_t operation, uint8_t service,
                                uint32_t message_bytes) {
  if (operation > BOOT_FETCH_ADD) return "unknown operation";
  if (service > NIC_QP_SERVICE_SERVICE_MAX) return "unknown transport service";
  if (boot_is_one_sided(operation) && service != NIC_QP_SERVICE_SERVICE_RC) {
    return "only a reliable connection can read or have atomic operations";
  }
  if (boot_is_atomic(operation) && message_bytes != NIC_ATOMIC_BYTES) {
    return "an atomic operation is not on eight bytes";
  }
  if (service != NIC_QP_SERVICE_SERVICE_UD) return NULL;
  if (operation != BOOT_SEND) return "datagrams can only be sent";
  if (message_bytes > block->nic.parameters.mtu) return "a datagram is longer than the MTU";
  return message_bytes % 4 != 0 ? "a datagram is not a multiple of four bytes" : NULL;
}

static const char* flow_mistake(const struct boot_block* block, uint32_t qpn, uint8_t dscp,
                                uint8_t priority, uint8_t slots, uint32_t message_bytes) {
  if (qpn >= block->queue_pairs) return "queue pair number is not below queue_pairs";
  if (dscp > 63) return "DSCP is over 63";
  if (priority > 7) return "priority is over 7";
  if (slots == 0 || slots > BOOT_MAX_SLOTS) return "slots are outside 1 to 64";
  if (message_bytes == 0 || message_bytes > UINT32_C(0x80000000)) {
    return "message size is outside 1 to 2^31 bytes";
  }
  return NULL;
}

static enum traffic_error check_flows(struct traffic_app* app) {
  const struct boot_block* const b = app->block;
  const int real = (b->flags & BOOT_PAYLOAD_REAL) != 0;
  for (uint32_t i = 0; i < b->tx_count; ++i) {
    const struct boot_tx_flow* const f = &app->tx[i];
    const char* mistake = flow_mistake(b, f->qpn, f->dscp, f->priority, f->slots, f->message_bytes);
    if (mistake == NULL) mistake = kind_mistake(b, f->operation, f->service, f->message_bytes);
    if (mistake == NULL && (f->outstanding == 0 || f->outstanding > f->slots)) {
      mistake = "outstanding is outside 1 to slots";
    }
    if (mistake == NULL && f->new_dscp > 63) mistake = "the new DSCP is over 63";
    if (mistake != NULL) return fail(app, TRAFFIC_ERROR_FLOW, f->id, mistake);
    if (real && !buffer_fits(app, f->local_address, f->slots, f->slot_bytes, f->message_bytes)) {
      return fail(app, TRAFFIC_ERROR_BUFFER, f->id, "its source buffer");
    }
  }
  for (uint32_t i = 0; i < b->rx_count; ++i) {
    const struct boot_rx_flow* const f = &app->rx[i];
    const char* mistake = flow_mistake(b, f->qpn, f->dscp, f->priority, f->slots, f->message_bytes);
    if (mistake == NULL) mistake = kind_mistake(b, f->operation, f->service, f->message_bytes);
    if (mistake == NULL && app->rx_of_qpn[f->qpn] != 0) mistake = "two flows share its queue pair";
    if (mistake != NULL) return fail(app, TRAFFIC_ERROR_FLOW, f->id, mistake);
    if (real && !buffer_fits(app, f->local_address, f->slots, f->slot_bytes, f->message_bytes)) {
      return fail(app, TRAFFIC_ERROR_BUFFER, f->id, "its destination buffer");
    }
    app->rx_of_qpn[f->qpn] = i + 1;
  }
  return TRAFFIC_OK;
}

static void clear_states(struct traffic_app* app) {
  const struct boot_block* const b = app->block;
  memset(app->tx_result, 0, b->tx_count * sizeof *app->tx_result);
  memset(app->rx_result, 0, b->rx_count * sizeof *app->rx_result);
  memset(app->tx_state, 0, b->tx_count * sizeof *app->tx_state);
  memset(app->rx_state, 0, b->rx_count * sizeof *app->rx_state);
  memset(app->rx_of_qpn, 0, b->queue_pairs * sizeof *app->rx_of_qpn);
  for (uint32_t i = 0; i < b->tx_count; ++i) {
    app->tx_state[i].bytes_left = app->tx[i].bytes != 0 ? app->tx[i].bytes : UINT64_MAX;
  }
  for (uint32_t i = 0; i < b->rx_count; ++i) {
    app->rx_state[i].bytes_left = app->rx[i].bytes != 0 ? app->rx[i].bytes : UINT64_MAX;
  }
}

enum traffic_error traffic_boot(struct traffic_app* app) {
  struct boot_block* const b = hal_memory(app->hal, app->block_address, sizeof *b);
  if (b == NULL || b->magic != BOOT_MAGIC) return TRAFFIC_ERROR_MAGIC;
  app->block = b;
  if (b->version != BOOT_VERSION) return fail(app, TRAFFIC_ERROR_VERSION, TRAFFIC_NO_FLOW, NULL);
  memset(&b->result, 0, sizeof b->result);
  b->result.error_flow = TRAFFIC_NO_FLOW;
  const char* const mistake = layout_mistake(app);
  if (mistake != NULL) return fail(app, TRAFFIC_ERROR_LAYOUT, TRAFFIC_NO_FLOW, mistake);

  uint8_t* const bytes = hal_memory(app->hal, app->block_address, b->total_bytes);
  if (bytes == NULL) {
    return fail(app, TRAFFIC_ERROR_LAYOUT, TRAFFIC_NO_FLOW, "the block reaches beyond RAM");
  }
  app->tx = (const struct boot_tx_flow*)(bytes + b->tx_offset);
  app->rx = (const struct boot_rx_flow*)(bytes + b->rx_offset);
  app->tx_result = (struct boot_tx_result*)(bytes + b->tx_result_offset);
  app->rx_result = (struct boot_rx_result*)(bytes + b->rx_result_offset);

  uint64_t at = b->scratch_offset; /* The order is that of boot_scratch_bytes. */
  at += boot_align((uint64_t)b->nic.send_ring_entries * sizeof(struct nic_wqe));
  at += boot_align((uint64_t)b->nic.completion_ring_entries * sizeof(struct nic_cqe));
  app->tx_state = (struct traffic_tx_state*)(bytes + at);
  at += boot_align((uint64_t)b->tx_count * BOOT_TX_STATE_BYTES);
  app->rx_state = (struct traffic_rx_state*)(bytes + at);
  at += boot_align((uint64_t)b->rx_count * BOOT_RX_STATE_BYTES);
  app->start_heap = (uint32_t*)(bytes + at);
  at += boot_align((uint64_t)b->tx_count * 4);
  app->rx_of_qpn = (uint32_t*)(bytes + at);

  app->qos_next_ns = BOOT_NEVER;
  if (b->qos.roles != 0) {
    app->qos_peers = (const struct boot_qos_peer*)(bytes + b->qos.peers_offset);
    app->qos_area = (struct boot_qos_area*)(bytes + b->qos.area_offset);
  }
  clear_states(app);
  return check_flows(app);
}
