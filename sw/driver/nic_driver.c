#include "driver/nic_driver.h"

#include <string.h>

#include "driver/nic_regs.h"
#include "driver/register_access.h"

enum { kSupportedMajor = 1, kReadyTimeoutNs = 10 * 1000 * 1000 };

static const char* const kErrorText[NIC_ERRORS] = {
    [NIC_OK] = "no error",
    [NIC_ERROR_ID] = "no NIC at this address: register ID does not read NIC1",
    [NIC_ERROR_VERSION] = "the NIC's register map has another major version than the driver",
    [NIC_ERROR_NOT_READY] = "the NIC did not become ready after reset (STATUS.READY)",
    [NIC_ERROR_RING_ENTRIES] = "a ring's length is not a power of two from 2 to 32768",
    [NIC_ERROR_RING_ADDRESS] = "a ring does not lie in RAM at a multiple of 64 bytes",
    [NIC_ERROR_ACK_MODE] = "unknown acknowledgement mode",
    [NIC_ERROR_CNP] = "the CNPs' enable or carry_marks is neither 0 nor 1",
    [NIC_ERROR_COALESCE] =
        "interrupt coalescing needs a count of at least 1, and a delay if it is over 1",
    [NIC_ERROR_QUEUE_PAIR] = "the NIC has no queue pair of this number",
    [NIC_ERROR_DSCP] = "the DSCP is over 63",
    [NIC_ERROR_PRIORITY] = "the priority is over 7",
    [NIC_ERROR_QUEUE_PAIR_REFUSED] =
        "the NIC did not carry out the queue pair command (QP_STATUS.VALID, QP_STATUS.REFUSED)",
    [NIC_ERROR_LENGTH] = "a message's length is outside 1 to 2^31 bytes",
    [NIC_ERROR_RING_FULL] = "the send ring is full",
    [NIC_ERROR_SERVICE] = "unknown transport service, or not one for this request",
    [NIC_ERROR_WEIGHT] = "a class's weight is zero or over 255.996",
    [NIC_ERROR_READ_BACK] = "a ring register does not read back what was written",
/* NOLINTNEXTLINE(bugprone-macro-parentheses): a literal, and array designators take none */
#define SENTENCE(NAME, member, least, most, sentence) \
  [NIC_ERROR_OUTSIDE_RANGE + NIC_PARAMETER_##NAME] = sentence,
    NIC_FOR_EACH_PARAMETER(SENTENCE)
#undef SENTENCE
};

/* Table of the parameters with register, structure member and range. */
static const struct register_parameter kParameters[NIC_PARAMETER_REGISTERS] = {
#define ROW(NAME, member, least, most, sentence) \
  {NIC_##NAME##_OFFSET, offsetof(struct nic_parameters, member), least, most},
    NIC_FOR_EACH_PARAMETER(ROW)
#undef ROW
};

const char* nic_error_text(enum nic_error error) {
  return (uint32_t)error < NIC_ERRORS ? kErrorText[error] : "unknown error of the NIC's driver";
}

const char* nic_cqe_status_text(uint32_t status) {
  switch (status) {
    case NIC_CQE_OK:
      return "ok";
    case NIC_CQE_LOCAL_ERROR:
      return "local error: bad request, or its payload cannot be read";
    case NIC_CQE_REMOTE_ERROR:
      return "remote error: the receiver cannot write the remote address";
    case NIC_CQE_RETRY_EXCEEDED:
      return "no acknowledgement after all retries";
    case NIC_CQE_FLUSHED:
      return "flushed: the queue pair had failed before";
    case NIC_CQE_NOT_READY:
      return "the receiver had no receive entry for a SEND, after all retries";
    case NIC_CQE_REMOTE_INVALID:
      return "remote invalid request: a SEND is longer than the receive entry that it met";
    case NIC_CQE_LENGTH_ERROR:
      return "length error: a SEND was longer than this receive entry";
    default:
      return "unknown completion status";
  }
}

static uint32_t get(const struct nic* nic, uint32_t offset) {
  return hal_read32(nic->hal, nic->base + offset);
}

static void put(const struct nic* nic, uint32_t offset, uint32_t value) {
  hal_write32(nic->hal, nic->base + offset, value);
}

static enum nic_error wait_until_ready(const struct nic* nic) {
  return register_wait(nic->hal, nic->base + NIC_STATUS_OFFSET, NIC_STATUS_READY_MASK,
                       NIC_STATUS_READY_MASK, kReadyTimeoutNs)
             ? NIC_OK
             : NIC_ERROR_NOT_READY;
}

enum nic_error nic_probe(struct nic* nic, const struct hal* hal, uint64_t base) {
  memset(nic, 0, sizeof *nic);
  nic->hal = hal;
  nic->base = base;
  if (get(nic, NIC_ID_OFFSET) != NIC_ID_RESET) return NIC_ERROR_ID;
  if (FIELD_GET(NIC_VERSION_MAJOR, get(nic, NIC_VERSION_OFFSET)) != kSupportedMajor) {
    return NIC_ERROR_VERSION;
  }
  const uint32_t caps = get(nic, NIC_CAPS_OFFSET);
  nic->queue_pairs = 1u << FIELD_GET(NIC_CAPS_QPS_LOG2, caps);
  nic->link_rate_mbps = FIELD_GET(NIC_CAPS_LINK_RATE, caps);
  nic->host_id = get(nic, NIC_HOST_ID_OFFSET);
  return wait_until_ready(nic);
}

/* Returns the binary logarithm of a ring's length; 0 if the NIC does not accept the length. */
static uint32_t ring_log2(uint32_t entries) {
  for (uint32_t log2 = 1; log2 <= 15; ++log2) {
    if (entries == 1u << log2) return log2;
  }
  return 0;
}

static enum nic_error check_config(const struct nic_config* config) {
  if (ring_log2(config->send_ring_entries) == 0 || ring_log2(config->completion_ring_entries) == 0)
    return NIC_ERROR_RING_ENTRIES;
  const uint32_t outside =
      register_outside(kParameters, NIC_PARAMETER_REGISTERS, &config->parameters);
  if (outside < NIC_PARAMETER_REGISTERS) return (enum nic_error)(NIC_ERROR_OUTSIDE_RANGE + outside);
  if (config->ack_mode > NIC_CTRL_ACK_MODE_MAX) return NIC_ERROR_ACK_MODE;
  if (config->cnp_enable > 1 || config->cnp_carry_marks > 1) return NIC_ERROR_CNP;
  if (config->irq_count == 0 || (config->irq_count > 1 && config->irq_delay_us == 0))
    return NIC_ERROR_COALESCE;
  return NIC_OK;
}

static enum nic_error place_rings(struct nic* nic, const struct nic_config* config,
                                  uint64_t send_ring, uint64_t completion_ring) {
  if (send_ring % NIC_RING_ALIGNMENT != 0 || completion_ring % NIC_RING_ALIGNMENT != 0)
    return NIC_ERROR_RING_ADDRESS;
  const uint64_t send_bytes = (uint64_t)config->send_ring_entries * sizeof(struct nic_wqe);
  const uint64_t completion_bytes =
      (uint64_t)config->completion_ring_entries * sizeof(struct nic_cqe);
  void* const send = hal_memory(nic->hal, send_ring, send_bytes);
  void* const completion = hal_memory(nic->hal, completion_ring, completion_bytes);
  if (send == NULL || completion == NULL) return NIC_ERROR_RING_ADDRESS;
  memset(send, 0, send_bytes);
  memset(completion, 0, completion_bytes);
  nic->send_ring = send;
  nic->completion_ring = completion;
  nic->send_entries = config->send_ring_entries;
  nic->completion_entries = config->completion_ring_entries;
  nic->send_tail = nic->send_doorbell = nic->send_head = nic->completion_head = 0;
  return NIC_OK;
}

enum nic_error nic_start(struct nic* nic, const struct nic_config* config, uint64_t send_ring,
                         uint64_t completion_ring) {
  enum nic_error error = check_config(config);
  if (error != NIC_OK) return error;
  put(nic, NIC_CTRL_OFFSET, NIC_CTRL_SOFT_RESET_MASK);
  error = wait_until_ready(nic);
  if (error != NIC_OK) return error;
  error = place_rings(nic, config, send_ring, completion_ring);
  if (error != NIC_OK) return error;

  const struct {
    uint32_t offset;
    uint32_t value;
  } settings[] = {
      {NIC_IRQ_MASK_OFFSET, 0},
      {NIC_SQ_BASE_LO_OFFSET, (uint32_t)send_ring},
      {NIC_SQ_BASE_HI_OFFSET, (uint32_t)(send_ring >> 32)},
      {NIC_SQ_SIZE_LOG2_OFFSET, ring_log2(config->send_ring_entries)},
      {NIC_CQ_BASE_LO_OFFSET, (uint32_t)completion_ring},
      {NIC_CQ_BASE_HI_OFFSET, (uint32_t)(completion_ring >> 32)},
      {NIC_CQ_SIZE_LOG2_OFFSET, ring_log2(config->completion_ring_entries)},
      {NIC_MR_BASE_LO_OFFSET, (uint32_t)config->memory_base},
      {NIC_MR_BASE_HI_OFFSET, (uint32_t)(config->memory_base >> 32)},
      {NIC_MR_LENGTH_OFFSET, config->memory_bytes},
      {NIC_IRQ_COALESCE_OFFSET, FIELD_PUT(NIC_IRQ_COALESCE_COUNT, config->irq_count) |
                                    FIELD_PUT(NIC_IRQ_COALESCE_DELAY, config->irq_delay_us)},
      {NIC_CTRL_OFFSET, FIELD_PUT(NIC_CTRL_ENABLE, 1) |
                            FIELD_PUT(NIC_CTRL_CNP_ENABLE, config->cnp_enable) |
                            FIELD_PUT(NIC_CTRL_CNP_CARRY_MARKS, config->cnp_carry_marks) |
                            FIELD_PUT(NIC_CTRL_ACK_MODE, config->ack_mode)},
  };
  const uint32_t count = sizeof settings / sizeof settings[0];
  hal_barrier(nic->hal);
  register_program(nic->hal, nic->base, kParameters, NIC_PARAMETER_REGISTERS, &config->parameters);
  for (uint32_t i = 0; i < count; ++i) put(nic, settings[i].offset, settings[i].value);
  for (uint32_t i = 0; i < count; ++i) {
    if (get(nic, settings[i].offset) != settings[i].value) return NIC_ERROR_READ_BACK;
  }
  return register_reads_back(nic->hal, nic->base, kParameters, NIC_PARAMETER_REGISTERS,
                             &config->parameters)
             ? NIC_OK
             : NIC_ERROR_READ_BACK;
}

enum nic_error nic_start_receives(struct nic* nic, uint64_t receive_ring, uint32_t entries) {
  const uint32_t log2 = ring_log2(entries);
  if (log2 == 0) return NIC_ERROR_RING_ENTRIES;
  const uint64_t bytes = (uint64_t)entries * sizeof(struct nic_rqe);
  void* const ring = hal_memory(nic->hal, receive_ring, bytes);
  if (receive_ring % NIC_RING_ALIGNMENT != 0 || ring == NULL) return NIC_ERROR_RING_ADDRESS;
  memset(ring, 0, bytes);
  nic->receive_ring = ring;
  nic->receive_entries = entries;
  nic->receive_tail = nic->receive_doorbell = nic->receive_head =
      (uint16_t)get(nic, NIC_RQ_HEAD_OFFSET);
  put(nic, NIC_RQ_BASE_LO_OFFSET, (uint32_t)receive_ring);
  put(nic, NIC_RQ_BASE_HI_OFFSET, (uint32_t)(receive_ring >> 32));
  put(nic, NIC_RQ_SIZE_LOG2_OFFSET, log2);
  return get(nic, NIC_RQ_SIZE_LOG2_OFFSET) == log2 ? NIC_OK : NIC_ERROR_READ_BACK;
}

void nic_stop(struct nic* nic) {
  put(nic, NIC_IRQ_MASK_OFFSET, 0);
  put(nic, NIC_CTRL_OFFSET, get(nic, NIC_CTRL_OFFSET) & ~NIC_CTRL_ENABLE_MASK);
}

static int queue_pair_exists(const struct nic* nic) {
  return (get(nic, NIC_QP_STATUS_OFFSET) & NIC_QP_STATUS_VALID_MASK) != 0;
}

enum nic_error nic_create_queue_pair(struct nic* nic, const struct nic_queue_pair* queue_pair) {
  if (queue_pair->qpn >= nic->queue_pairs) return NIC_ERROR_QUEUE_PAIR;
  if (queue_pair->remote_qpn > NIC_QP_REMOTE_QPN_VALUE_MASK) return NIC_ERROR_QUEUE_PAIR;
  if (queue_pair->dscp > NIC_QP_DSCP_VALUE_MASK) return NIC_ERROR_DSCP;
  if (queue_pair->priority > NIC_QP_PRIORITY_VALUE_MASK) return NIC_ERROR_PRIORITY;
  if (queue_pair->service > NIC_QP_SERVICE_SERVICE_MAX) return NIC_ERROR_SERVICE;
  put(nic, NIC_QP_SELECT_OFFSET, queue_pair->qpn);
  put(nic, NIC_QP_SERVICE_OFFSET, queue_pair->service);
  put(nic, NIC_QP_REMOTE_HOST_OFFSET, queue_pair->remote_host);
  put(nic, NIC_QP_REMOTE_QPN_OFFSET, queue_pair->remote_qpn);
  put(nic, NIC_QP_DSCP_OFFSET, queue_pair->dscp);
  put(nic, NIC_QP_PRIORITY_OFFSET, queue_pair->priority);
  put(nic, NIC_QP_CMD_OFFSET, FIELD_PUT(NIC_QP_CMD_OPERATION, NIC_QP_CMD_OPERATION_CREATE));
  return queue_pair_exists(nic) ? NIC_OK : NIC_ERROR_QUEUE_PAIR_REFUSED;
}

enum nic_error nic_destroy_queue_pair(struct nic* nic, uint32_t qpn) {
  if (qpn >= nic->queue_pairs) return NIC_ERROR_QUEUE_PAIR;
  put(nic, NIC_QP_SELECT_OFFSET, qpn);
  put(nic, NIC_QP_CMD_OFFSET, FIELD_PUT(NIC_QP_CMD_OPERATION, NIC_QP_CMD_OPERATION_DESTROY));
  return queue_pair_exists(nic) ? NIC_ERROR_QUEUE_PAIR_REFUSED : NIC_OK;
}

enum nic_error nic_change_class(struct nic* nic, uint32_t qpn, uint32_t dscp) {
  if (qpn >= nic->queue_pairs) return NIC_ERROR_QUEUE_PAIR;
  if (dscp > NIC_QP_DSCP_VALUE_MASK) return NIC_ERROR_DSCP;
  put(nic, NIC_QP_SELECT_OFFSET, qpn);
  put(nic, NIC_QP_DSCP_OFFSET, dscp);
  put(nic, NIC_QP_CMD_OFFSET, FIELD_PUT(NIC_QP_CMD_OPERATION, NIC_QP_CMD_OPERATION_CHANGE_CLASS));
  return (get(nic, NIC_QP_STATUS_OFFSET) & NIC_QP_STATUS_REFUSED_MASK) == 0
             ? NIC_OK
             : NIC_ERROR_QUEUE_PAIR_REFUSED;
}

enum nic_error nic_set_weight(struct nic* nic, uint32_t dscp, uint32_t weight_q8_8) {
  if (dscp > NIC_QP_DSCP_VALUE_MASK) return NIC_ERROR_DSCP;
  if (weight_q8_8 < NIC_CC_CLASS_WEIGHT_MIN || weight_q8_8 > NIC_CC_CLASS_WEIGHT_MAX) {
    return NIC_ERROR_WEIGHT;
  }
  put(nic, NIC_CC_CLASS_OFFSET,
      FIELD_PUT(NIC_CC_CLASS_DSCP, dscp) | FIELD_PUT(NIC_CC_CLASS_WEIGHT, weight_q8_8));
  return NIC_OK;
}

static int send_ring_full(const struct nic* nic) {
  return (uint16_t)(nic->send_tail - nic->send_head) >= nic->send_entries;
}

static enum nic_error post(struct nic* nic, const struct nic_wqe* request) {
  if (request->qpn >= nic->queue_pairs) return NIC_ERROR_QUEUE_PAIR;
  if (request->length == 0 || request->length > NIC_MESSAGE_BYTES_MAX) return NIC_ERROR_LENGTH;
  if (send_ring_full(nic)) {
    /* The known head of the NIC may be old. A register read is expensive, so it is done only here.
     */
    nic->send_head = (uint16_t)get(nic, NIC_SQ_HEAD_OFFSET);
    if (send_ring_full(nic)) return NIC_ERROR_RING_FULL;
  }
  nic->send_ring[nic->send_tail & (nic->send_entries - 1)] = *request;
  ++nic->send_tail;
  return NIC_OK;
}

enum nic_error nic_post_write(struct nic* nic, const struct nic_write* write) {
  const struct nic_wqe request = {
      .opcode = write->with_immediate ? NIC_WQE_RDMA_WRITE_IMMEDIATE : NIC_WQE_RDMA_WRITE,
      .flags = write->signaled ? NIC_WQE_SIGNALED : 0,
      .qpn = write->qpn,
      .wr_id = write->wr_id,
      .local_address = write->local_address,
      .remote_address = write->remote_address,
      .length = write->length,
      .immediate = write->immediate,
  };
  return post(nic, &request);
}

enum nic_error nic_post_send(struct nic* nic, const struct nic_send* send) {
  const struct nic_wqe request = {
      .opcode = send->with_immediate ? NIC_WQE_SEND_IMMEDIATE : NIC_WQE_SEND,
      .flags = send->signaled ? NIC_WQE_SIGNALED : 0,
      .qpn = send->qpn,
      .wr_id = send->wr_id,
      .local_address = send->local_address,
      .length = send->length,
      .immediate = send->immediate,
      .remote_host = send->remote_host,
      .remote_qpn = send->remote_qpn,
  };
  return post(nic, &request);
}

enum nic_error nic_post_read(struct nic* nic, const struct nic_read* read) {
  const struct nic_wqe request = {
      .opcode = NIC_WQE_RDMA_READ,
      .flags = read->signaled ? NIC_WQE_SIGNALED : 0,
      .qpn = read->qpn,
      .wr_id = read->wr_id,
      .local_address = read->local_address,
      .remote_address = read->remote_address,
      .length = read->length,
  };
  return post(nic, &request);
}

static enum nic_error post_atomic(struct nic* nic, uint8_t opcode,
                                  const struct nic_atomic* atomic) {
  const struct nic_wqe request = {
      .opcode = opcode,
      .flags = atomic->signaled ? NIC_WQE_SIGNALED : 0,
      .qpn = atomic->qpn,
      .wr_id = atomic->wr_id,
      .local_address = atomic->local_address,
      .remote_address = atomic->remote_address,
      .length = NIC_ATOMIC_BYTES,
      .swap_or_add = atomic->swap_or_add,
      .compare = atomic->compare,
  };
  return post(nic, &request);
}

enum nic_error nic_post_compare_swap(struct nic* nic, const struct nic_atomic* atomic) {
  return post_atomic(nic, NIC_WQE_COMPARE_SWAP, atomic);
}

enum nic_error nic_post_fetch_add(struct nic* nic, const struct nic_atomic* atomic) {
  return post_atomic(nic, NIC_WQE_FETCH_ADD, atomic);
}

static int receive_ring_full(const struct nic* nic) {
  return (uint16_t)(nic->receive_tail - nic->receive_head) >= nic->receive_entries;
}

enum nic_error nic_post_receive(struct nic* nic, const struct nic_rqe* receive) {
  if (receive->qpn >= nic->queue_pairs) return NIC_ERROR_QUEUE_PAIR;
  if (receive->length == 0 || receive->length > NIC_MESSAGE_BYTES_MAX) return NIC_ERROR_LENGTH;
  if (receive_ring_full(nic)) { /* a receive ring that does not exist counts as full */
    nic->receive_head = (uint16_t)get(nic, NIC_RQ_HEAD_OFFSET);
    if (receive_ring_full(nic)) return NIC_ERROR_RING_FULL;
  }
  nic->receive_ring[nic->receive_tail & (nic->receive_entries - 1)] = *receive;
  ++nic->receive_tail;
  return NIC_OK;
}

void nic_ring_doorbell(struct nic* nic) {
  if (nic->receive_doorbell != nic->receive_tail) {
    hal_barrier(nic->hal);
    nic->receive_doorbell = nic->receive_tail;
    put(nic, NIC_RQ_TAIL_OFFSET, nic->receive_tail);
  }
  if (nic->send_doorbell == nic->send_tail) return;
  hal_barrier(nic->hal);
  nic->send_doorbell = nic->send_tail;
  put(nic, NIC_SQ_TAIL_OFFSET, nic->send_tail);
}

uint32_t nic_reap(struct nic* nic, struct nic_cqe* completions, uint32_t room) {
  uint32_t count = 0;
  while (count < room) {
    const uint16_t head = nic->completion_head;
    const volatile struct nic_cqe* const entry =
        &nic->completion_ring[head & (nic->completion_entries - 1)];
    const uint8_t phase_of_new = (head & nic->completion_entries) == 0;
    if (entry->phase != phase_of_new) break;
    hal_barrier(nic->hal); /* the rest of the completion is read after its phase */
    struct nic_cqe* const copy = &completions[count++];
    copy->wr_id = entry->wr_id;
    copy->timestamp_ns = entry->timestamp_ns;
    copy->byte_len = entry->byte_len;
    copy->immediate = entry->immediate;
    copy->qpn = entry->qpn;
    copy->status = entry->status;
    copy->opcode = entry->opcode;
    copy->reserved = 0;
    copy->phase = phase_of_new;
    ++nic->completion_head;
  }
  if (count != 0) {
    /* Before the NIC hears of it: at any moment every completion is in the ring, held or counted.
     */
    if (nic->completions_held != NULL) *nic->completions_held = count;
    put(nic, NIC_CQ_HEAD_OFFSET, nic->completion_head);
  }
  return count;
}

void nic_enable_interrupts(struct nic* nic, uint32_t causes) {
  put(nic, NIC_IRQ_MASK_OFFSET, causes);
}

uint32_t nic_take_interrupts(struct nic* nic) {
  const uint32_t causes = get(nic, NIC_IRQ_STATUS_OFFSET) & get(nic, NIC_IRQ_MASK_OFFSET);
  if (causes != 0) put(nic, NIC_IRQ_STATUS_OFFSET, causes);
  return causes;
}

void nic_read_refused_access(struct nic* nic, struct nic_refused_access* access) {
  const uint32_t info = get(nic, NIC_ERROR_INFO_OFFSET);
  access->address = FIELD_GET(NIC_ERROR_INFO_ADDRESS, info);
  access->code = FIELD_GET(NIC_ERROR_INFO_CODE, info);
  access->write = FIELD_GET(NIC_ERROR_INFO_WRITE, info);
}

void nic_read_statistics(struct nic* nic, struct nic_statistics* s) {
#define READ(NAME, member) \
  s->member = register_read64(nic->hal, nic->base + NIC_STAT_##NAME##_LO_OFFSET);
  NIC_FOR_EACH_STATISTIC(READ)
#undef READ
}
