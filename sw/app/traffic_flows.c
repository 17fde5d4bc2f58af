/* Posts messages and handles completions, one flow at a time. */
#include <string.h>

#include "app/payload_pattern.h"
#include "app/traffic_state.h"

/* --- flows to be started: a binary heap of indices, earliest start on top, then lowest index ---
 */

static int starts_before(const struct traffic_app* app, uint32_t a, uint32_t b) {
  const uint64_t at = app->tx[a].start_ns;
  const uint64_t bt = app->tx[b].start_ns;
  return at < bt || (at == bt && a < b);
}

static void sift_down(struct traffic_app* app, uint32_t position) {
  uint32_t* const heap = app->start_heap;
  const uint32_t moving = heap[position];
  for (;;) {
    uint32_t child = 2 * position + 1;
    if (child >= app->start_count) break;
    if (child + 1 < app->start_count && starts_before(app, heap[child + 1], heap[child])) ++child;
    if (!starts_before(app, heap[child], moving)) break;
    heap[position] = heap[child];
    position = child;
  }
  heap[position] = moving;
}

void traffic_heap_build(struct traffic_app* app) {
  app->start_count = app->block->tx_count;
  for (uint32_t i = 0; i < app->start_count; ++i) app->start_heap[i] = i;
  for (uint32_t i = app->start_count / 2; i-- > 0;) sift_down(app, i);
}

uint64_t traffic_heap_next_start(const struct traffic_app* app) {
  return app->start_count == 0 ? BOOT_NEVER : app->tx[app->start_heap[0]].start_ns;
}

uint32_t traffic_heap_pop(struct traffic_app* app) {
  const uint32_t first = app->start_heap[0];
  app->start_heap[0] = app->start_heap[--app->start_count];
  if (app->start_count != 0) sift_down(app, 0);
  return first;
}

/* --- posting --- */

static void wait_for_room(struct traffic_app* app, uint32_t index) {
  struct traffic_tx_state* const state = &app->tx_state[index];
  if (state->waiting) return;
  state->waiting = 1;
  state->waiting_next = 0;
  if (app->waiting_head == 0) {
    app->waiting_head = index + 1;
  } else {
    app->tx_state[app->waiting_tail - 1].waiting_next = index + 1;
  }
  app->waiting_tail = index + 1;
  ++app->block->result.ring_full;
}

/* Overwrites the stamps of a message that will be read with stamps of no message, so that
 * arriving data is recognised.
 */
static void spoil_stamps(struct traffic_app* app, const struct boot_tx_flow* flow, uint64_t address,
                         uint32_t bytes) {
  pattern_stamp(hal_memory(app->hal, address, bytes), bytes, ~flow->seed, 0);
}

/* Value that atomic message `message` finds, after every earlier message of its slot has added. */
static uint64_t found_by(const struct boot_tx_flow* flow, uint32_t message) {
  return message / flow->slots * boot_addend(flow->seed);
}

static enum nic_error post_atomic_message(struct traffic_app* app, const struct boot_tx_flow* flow,
                                          const struct nic_write* write) {
  const uint64_t found = found_by(flow, write->immediate);
  const int adds = flow->operation == BOOT_FETCH_ADD;
  const struct nic_atomic atomic = {
      .qpn = write->qpn,
      .wr_id = write->wr_id,
      .local_address = write->local_address,
      .remote_address = write->remote_address,
      .swap_or_add = boot_addend(flow->seed) + (adds ? 0 : found),
      .compare = found,
      .signaled = 1,
  };
  return adds ? nic_post_fetch_add(&app->nic, &atomic) : nic_post_compare_swap(&app->nic, &atomic);
}

static enum nic_error post_message(struct traffic_app* app, const struct boot_tx_flow* flow,
                                   const struct nic_write* write) {
  if (flow->operation == BOOT_WRITE) return nic_post_write(&app->nic, write);
  if (boot_is_atomic(flow->operation)) return post_atomic_message(app, flow, write);
  if (flow->operation == BOOT_READ) {
    const struct nic_read read = {
        .qpn = write->qpn,
        .wr_id = write->wr_id,
        .local_address = write->local_address,
        .remote_address = write->remote_address,
        .length = write->length,
        .signaled = 1,
    };
    return nic_post_read(&app->nic, &read);
  }
  const struct nic_send send = {
      .qpn = write->qpn,
      .wr_id = write->wr_id,
      .local_address = write->local_address,
      .length = write->length,
      .with_immediate = flow->service != NIC_QP_SERVICE_SERVICE_UD,
      .signaled = 1,
      .immediate = write->immediate,
      .remote_host = flow->remote_host,
      .remote_qpn = flow->remote_qpn,
  };
  return nic_post_send(&app->nic, &send);
}

void traffic_fill_for_readers(struct traffic_app* app, uint32_t rx_index) {
  const struct boot_rx_flow* const flow = &app->rx[rx_index];
  if (!boot_is_one_sided(flow->operation) || (app->block->flags & BOOT_PAYLOAD_REAL) == 0) return;
  for (uint32_t slot = 0; slot < flow->slots; ++slot) {
    const uint64_t address = flow->local_address + (uint64_t)slot * flow->slot_bytes;
    void* const memory = hal_memory(app->hal, address, flow->message_bytes);
    if (flow->operation == BOOT_READ) {
      pattern_fill(memory, flow->message_bytes, flow->seed, slot);
    } else {
      memset(memory, 0, NIC_ATOMIC_BYTES);
    }
  }
}

static uint32_t header_bytes(const struct boot_rx_flow* flow) {
  return flow->service == NIC_QP_SERVICE_SERVICE_UD ? NIC_DATAGRAM_HEADER_BYTES : 0;
}

/* The receive ring has an entry for every slot of every flow, so it is never full. */
static void post_receive(struct traffic_app* app, uint32_t index, uint32_t slot) {
  const struct boot_rx_flow* const flow = &app->rx[index];
  const struct nic_rqe entry = {
      .qpn = flow->qpn,
      .length = flow->message_bytes + header_bytes(flow),
      .wr_id = slot,
      .address = flow->local_address + (uint64_t)slot * flow->slot_bytes,
  };
  (void)nic_post_receive(&app->nic, &entry);
}

void traffic_post_receives(struct traffic_app* app, uint32_t rx_index) {
  if (app->rx[rx_index].operation != BOOT_SEND) return;
  for (uint32_t slot = 0; slot < app->rx[rx_index].slots; ++slot) {
    post_receive(app, rx_index, slot);
  }
}

static void prepare_payload(struct traffic_app* app, const struct boot_tx_flow* flow,
                            struct traffic_tx_state* state, uint64_t address, uint32_t bytes) {
  const uint32_t slot = state->next_message % flow->slots;
  void* const memory = hal_memory(app->hal, address, bytes);
  if ((state->filled_slots >> slot & 1u) == 0) {
    /* The whole slot is filled, so that a later, longer message finds its pattern too. */
    pattern_fill(memory, flow->message_bytes, flow->seed, state->next_message);
    state->filled_slots |= UINT64_C(1) << slot;
  }
  pattern_stamp(memory, bytes, flow->seed, state->next_message);
}

void traffic_post(struct traffic_app* app, uint32_t index, uint64_t now_ns) {
  const struct boot_tx_flow* const flow = &app->tx[index];
  struct traffic_tx_state* const state = &app->tx_state[index];
  struct boot_tx_result* const result = &app->tx_result[index];
  while (state->in_flight < flow->outstanding && state->bytes_left != 0 && !state->failed &&
         now_ns < flow->stop_ns && now_ns < app->block->end_ns) {
    const uint32_t bytes =
        state->bytes_left < flow->message_bytes ? (uint32_t)state->bytes_left : flow->message_bytes;
    const uint64_t slot = (uint64_t)(state->next_message % flow->slots) * flow->slot_bytes;
    const struct nic_write write = {
        .qpn = flow->qpn,
        .wr_id = (uint64_t)index << 32 | state->next_message,
        .local_address = flow->local_address + slot,
        .remote_address = flow->remote_address + slot,
        .length = bytes,
        .with_immediate = 1,
        .signaled = 1,
        .immediate = state->next_message,
    };
    if ((app->block->flags & BOOT_PAYLOAD_REAL) && boot_is_one_sided(flow->operation)) {
      spoil_stamps(app, flow, write.local_address, bytes);
    } else if (app->block->flags & BOOT_PAYLOAD_REAL) {
      prepare_payload(app, flow, state, write.local_address, bytes);
    }
    if (post_message(app, flow, &write) != NIC_OK) {
      wait_for_room(app, index); /* only a full send ring can refuse the message here */
      return;
    }
    if (state->next_message++ == 0) result->first_post_ns = now_ns;
    ++state->in_flight;
    if (state->bytes_left != UINT64_MAX) state->bytes_left -= bytes;
    ++result->messages_posted;
    ++app->block->result.messages_posted;
  }
}

void traffic_post_waiting(struct traffic_app* app, uint64_t now_ns) {
  while (app->waiting_head != 0) {
    const uint32_t index = app->waiting_head - 1;
    struct traffic_tx_state* const state = &app->tx_state[index];
    app->waiting_head = state->waiting_next;
    state->waiting = 0;
    traffic_post(app, index, now_ns);
    if (state->waiting) return; /* The ring was full; the flow waits at the end of the list. */
  }
}

/* --- classes --- */

void traffic_change_classes(struct traffic_app* app, uint64_t now_ns) {
  app->class_next_ns = BOOT_NEVER;
  for (uint32_t i = 0; i < app->block->tx_count; ++i) {
    const struct boot_tx_flow* const flow = &app->tx[i];
    struct traffic_tx_state* const state = &app->tx_state[i];
    if (flow->new_dscp_ns == 0 || state->class_changed || state->failed) continue;
    if (flow->new_dscp_ns > now_ns) {
      if (flow->new_dscp_ns < app->class_next_ns) app->class_next_ns = flow->new_dscp_ns;
      continue;
    }
    state->class_changed = 1;
    const enum nic_error error = nic_change_class(&app->nic, flow->qpn, flow->new_dscp);
    if (error != NIC_OK) {
      traffic_report(app, TRAFFIC_ERROR_CLASS, flow->id, error, nic_error_text(error));
    }
  }
}

/* --- completions --- */

/* With a sample, one in this number of messages is still checked while completions pile up. */
enum { kCheckedWhenBehind = 16 };

/* Verifies a message and counts it in the block's result. Returns enum pattern_verdict, or
 * kUnchecked. `number` comes from the payload pattern, `message` is the flow's count. */
enum { kUnchecked = PATTERN_CORRUPT + 1 };

static int verify(struct traffic_app* app, uint32_t flow_id, uint64_t address, uint32_t seed,
                  uint32_t slots, uint32_t number, uint32_t message, uint32_t bytes) {
  struct boot_result* const result = &app->block->result;
  const uint32_t limit = app->block->verify_bytes;
  if (limit != 0 && app->behind && message % kCheckedWhenBehind != 0) {
    ++result->messages_unchecked;
    return kUnchecked;
  }
  uint32_t from = 0;
  uint32_t sample = bytes;
  if (limit != 0 && limit < bytes) {
    sample = limit;
    from = (uint32_t)((uint64_t)message * limit % bytes);
  }
  uint32_t wrong_at = 0;
  const enum pattern_verdict verdict = pattern_check(hal_memory(app->hal, address, bytes), bytes,
                                                     from, sample, seed, number, slots, &wrong_at);
  switch (verdict) {
    case PATTERN_VERIFIED:
      ++result->messages_verified;
      break;
    case PATTERN_OVERTAKEN:
      ++result->messages_overtaken;
      break;
    case PATTERN_CORRUPT:
      ++result->messages_corrupt;
      traffic_report(app, TRAFFIC_ERROR_PAYLOAD, flow_id, wrong_at, NULL);
      break;
  }
  return (int)verdict;
}

/* Verifies an atomic: an earlier atomic that was omitted or repeated changes the value that the
 * next atomic finds. */
static void verify_atomic(struct traffic_app* app, const struct boot_tx_flow* flow,
                          uint64_t address, uint32_t message) {
  struct boot_result* const result = &app->block->result;
  uint64_t found;
  memcpy(&found, hal_memory(app->hal, address, sizeof found), sizeof found);
  if (found == found_by(flow, message)) {
    ++result->messages_verified;
    return;
  }
  ++result->messages_corrupt;
  traffic_report(app, TRAFFIC_ERROR_PAYLOAD, flow->id, 0, NULL);
}

static enum traffic_error complete_send(struct traffic_app* app, const struct nic_cqe* completion,
                                        uint64_t now_ns) {
  if (completion->wr_id == TRAFFIC_QOS_WR_ID && completion->status != NIC_CQE_OK) {
    ++app->block->result.messages_failed;
    traffic_report(app, TRAFFIC_ERROR_MESSAGE_FAILED, TRAFFIC_NO_FLOW, completion->status,
                   nic_cqe_status_text(completion->status));
    return TRAFFIC_OK;
  }
  const uint32_t index = (uint32_t)(completion->wr_id >> 32);
  const uint32_t message = (uint32_t)completion->wr_id;
  if (index >= app->block->tx_count || app->tx[index].qpn != completion->qpn ||
      app->tx_state[index].in_flight == 0 || app->tx_state[index].next_complete != message) {
    traffic_report(app, TRAFFIC_ERROR_COMPLETION, TRAFFIC_NO_FLOW, completion->qpn, NULL);
    return TRAFFIC_ERROR_COMPLETION;
  }
  struct traffic_tx_state* const state = &app->tx_state[index];
  struct boot_tx_result* const result = &app->tx_result[index];
  --state->in_flight;
  ++state->next_complete;
  if (completion->status != NIC_CQE_OK) {
    state->failed = 1;
    ++result->messages_failed;
    ++app->block->result.messages_failed;
    traffic_report(app, TRAFFIC_ERROR_MESSAGE_FAILED, app->tx[index].id, completion->status,
                   nic_cqe_status_text(completion->status));
    return TRAFFIC_OK;
  }
  ++result->messages_completed;
  ++app->block->result.messages_completed;
  result->bytes_completed += completion->byte_len;
  result->last_completion_ns = completion->timestamp_ns;
  const struct boot_tx_flow* const flow = &app->tx[index];
  if (boot_is_one_sided(flow->operation) && (app->block->flags & BOOT_PAYLOAD_REAL) != 0) {
    const uint32_t slot = message % flow->slots;
    const uint64_t address = flow->local_address + (uint64_t)slot * flow->slot_bytes;
    if (boot_is_atomic(flow->operation)) {
      verify_atomic(app, flow, address, message);
    } else {
      (void)verify(app, flow->id, address, flow->seed, flow->slots, slot, message,
                   completion->byte_len);
    }
  }
  result->finished = state->bytes_left == 0 && state->in_flight == 0 && !state->failed;
  traffic_post(app, index, now_ns);
  return TRAFFIC_OK;
}

static void count_verdict(struct boot_rx_result* result, int verdict) {
  if (verdict == PATTERN_VERIFIED) ++result->messages_verified;
  if (verdict == PATTERN_OVERTAKEN) ++result->messages_overtaken;
  if (verdict == PATTERN_CORRUPT) ++result->messages_corrupt;
}

/* Handles a failed receive: the message is lost, its sender notified, and the receive entry
 * consumed. */
static enum traffic_error receive_failed(struct traffic_app* app, const struct boot_rx_flow* flow,
                                         const struct nic_cqe* completion) {
  ++app->block->result.messages_failed;
  traffic_report(app, TRAFFIC_ERROR_MESSAGE_FAILED, flow->id, completion->status,
                 nic_cqe_status_text(completion->status));
  return TRAFFIC_OK;
}

static enum traffic_error complete_receive(struct traffic_app* app,
                                           const struct nic_cqe* completion) {
  const uint32_t qpn = completion->qpn;
  if (qpn >= app->block->queue_pairs || app->rx_of_qpn[qpn] == 0) {
    traffic_report(app, TRAFFIC_ERROR_COMPLETION, TRAFFIC_NO_FLOW, qpn, NULL);
    return TRAFFIC_ERROR_COMPLETION;
  }
  const uint32_t index = app->rx_of_qpn[qpn] - 1;
  const struct boot_rx_flow* const flow = &app->rx[index];
  struct traffic_rx_state* const state = &app->rx_state[index];
  struct boot_rx_result* const result = &app->rx_result[index];
  const int sent = flow->operation == BOOT_SEND;
  const uint32_t header = header_bytes(flow);
  if (sent != (completion->opcode != NIC_CQE_RECEIVE_IMMEDIATE) ||
      (sent && completion->wr_id >= flow->slots) || completion->byte_len < header) {
    traffic_report(app, TRAFFIC_ERROR_COMPLETION, flow->id, qpn, NULL);
    return TRAFFIC_ERROR_COMPLETION;
  }
  if (completion->status != NIC_CQE_OK) return receive_failed(app, flow, completion);
  const int real = (app->block->flags & BOOT_PAYLOAD_REAL) != 0;
  const uint32_t bytes = completion->byte_len - header;
  uint32_t slot = (uint32_t)completion->wr_id;
  if (!sent) slot = completion->immediate % flow->slots;
  const uint64_t address = flow->local_address + (uint64_t)slot * flow->slot_bytes + header;
  uint32_t message = completion->immediate;
  if (header != 0) { /* a datagram has no immediate: its pattern numbers it */
    message = state->next_message;
    if (real) message = pattern_message(hal_memory(app->hal, address, 4), flow->seed);
  }
  const int ordered = flow->service == NIC_QP_SERVICE_SERVICE_RC;
  const uint64_t skipped = ordered ? 0 : (uint64_t)(message - state->next_message);
  const uint64_t left =
      state->bytes_left - (state->bytes_left == UINT64_MAX ? 0 : skipped * flow->message_bytes);
  const uint32_t expected = left < flow->message_bytes ? (uint32_t)left : flow->message_bytes;
  ++result->messages_received;
  ++app->block->result.messages_received;
  result->bytes_received += bytes;
  result->last_receive_ns = completion->timestamp_ns;
  traffic_qos_received(app, index, bytes);
  if ((ordered ? message != state->next_message : message < state->next_message) ||
      bytes != expected) {
    ++result->sequence_errors;
    ++app->block->result.sequence_errors;
    traffic_report(app, TRAFFIC_ERROR_SEQUENCE, flow->id, message, NULL);
  }
  state->next_message = message + 1;
  if (state->bytes_left != UINT64_MAX) state->bytes_left = left - (bytes < left ? bytes : left);
  if (real && bytes <= flow->message_bytes) {
    count_verdict(result,
                  verify(app, flow->id, address, flow->seed, flow->slots, message, message, bytes));
  }
  if (sent) post_receive(app, index, slot);
  return TRAFFIC_OK;
}

enum traffic_error traffic_complete(struct traffic_app* app, const struct nic_cqe* completion,
                                    uint64_t now_ns) {
  switch (completion->opcode) {
    case NIC_CQE_SEND_DONE:
      return complete_send(app, completion, now_ns);
    case NIC_CQE_RECEIVE_IMMEDIATE:
    case NIC_CQE_RECEIVE:
    case NIC_CQE_RECEIVE_SEND_IMMEDIATE:
      return complete_receive(app, completion);
    default:
      traffic_report(app, TRAFFIC_ERROR_COMPLETION, TRAFFIC_NO_FLOW, completion->qpn, NULL);
      return TRAFFIC_ERROR_COMPLETION;
  }
}
