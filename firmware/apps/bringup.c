/* Bring-up of a host's hardware, step by step: finds controller and NIC, tests every register by
 * its access kind, programs the tables, sends (or receives) one RDMA write and prints the
 * statistics. Ends with code 0 if all steps succeeded. */
#include <inttypes.h>
#include <stdio.h>

#include "app/boot_block.h"
#include "app/payload_pattern.h"
#include "driver/dcc_driver.h"
#include "driver/dcc_regs.h"
#include "driver/irq_regs.h"
#include "driver/nic_driver.h"
#include "driver/nic_regs.h"
#include "machine.h"
#include "register_test.h"
#include "trap.h"

enum { TIMEOUT_NS = 2000000 };

static const struct hal hal;
static struct dcc_controller controller;
static struct nic nic;
static struct boot_block* const block = (struct boot_block*)(uintptr_t)BOOT_BLOCK_ADDRESS;

static int fail(const char* step, const char* why) {
  printf("bringup: %s: %s\n", step, why);
  return 1;
}

static int find_devices(void) {
  const enum dcc_error dcc_error = dcc_probe(&controller, &hal, DCC_BASE);
  if (dcc_error != DCC_OK) return fail("controller", dcc_error_text(dcc_error));
  printf("controller: %" PRIu32 " slots, latency %" PRIu32 " cycles, map version 1.%" PRIu32 "\n",
         controller.slots, controller.latency_cycles, controller.version_minor);
  const enum nic_error nic_error = nic_probe(&nic, &hal, NIC_BASE);
  if (nic_error != NIC_OK) return fail("nic", nic_error_text(nic_error));
  printf("nic: host %" PRIu32 ", %" PRIu32 " queue pairs, %" PRIu32 " Mb/s\n", nic.host_id,
         nic.queue_pairs, nic.link_rate_mbps);
  return 0;
}

static int program(void) {
  const enum dcc_error dcc_error = dcc_configure(&controller, &block->controller);
  if (dcc_error != DCC_OK) return fail("controller", dcc_error_text(dcc_error));
  dcc_enable(&controller);
  const uint64_t scratch = BOOT_BLOCK_ADDRESS + block->scratch_offset;
  const uint64_t completions =
      scratch + boot_align((uint64_t)block->nic.send_ring_entries * sizeof(struct nic_wqe));
  const enum nic_error nic_error = nic_start(&nic, &block->nic, scratch, completions);
  if (nic_error != NIC_OK) return fail("nic", nic_error_text(nic_error));
  nic_enable_interrupts(&nic, NIC_IRQ_STATUS_COMPLETION_MASK);
  machine_write32(DCC_INTERRUPT_CONTROLLER_BASE + IRQ_ENABLE_OFFSET, 1u << IRQ_SOURCE_NIC);
  printf("programmed: tables of %d DSCPs, rings of %" PRIu32 " and %" PRIu32 " entries\n", 64,
         nic.send_entries, nic.completion_entries);
  return 0;
}

/* Sleeps until a completion; returns 0 if none arrives before the deadline. */
static int next_completion(struct nic_cqe* completion, uint64_t deadline) {
  for (;;) {
    if (nic_reap(&nic, completion, 1) == 1) return 1;
    if (!hal_wait_for_interrupt(&hal, deadline)) return 0;
    const uint32_t source = machine_read32(DCC_INTERRUPT_CONTROLLER_BASE + IRQ_CLAIM_OFFSET);
    if (source == IRQ_SOURCE_NIC) nic_take_interrupts(&nic);
    if (source != IRQ_SOURCE_NONE) {
      machine_write32(DCC_INTERRUPT_CONTROLLER_BASE + IRQ_COMPLETE_OFFSET, source);
    }
  }
}

static int send_one(const struct boot_tx_flow* flow) {
  const struct nic_queue_pair pair = {flow->qpn,  flow->remote_host, flow->remote_qpn,
                                      flow->dscp, flow->priority,    flow->service};
  enum nic_error error = nic_create_queue_pair(&nic, &pair);
  if (error != NIC_OK) return fail("queue pair", nic_error_text(error));
  if ((block->flags & BOOT_PAYLOAD_REAL) != 0) {
    pattern_fill((void*)(uintptr_t)flow->local_address, flow->message_bytes, flow->seed, 0);
  }
  while (hal_time_ns(&hal) < flow->start_ns) hal_wait_for_interrupt(&hal, flow->start_ns);
  const struct nic_write write = {.qpn = flow->qpn,
                                  .wr_id = flow->id,
                                  .local_address = flow->local_address,
                                  .remote_address = flow->remote_address,
                                  .length = flow->message_bytes,
                                  .with_immediate = 1,
                                  .signaled = 1};
  const uint64_t start = hal_time_ns(&hal);
  error = nic_post_write(&nic, &write);
  if (error != NIC_OK) return fail("rdma write", nic_error_text(error));
  nic_ring_doorbell(&nic);
  struct nic_cqe completion;
  block->result.messages_posted = 1;
  if (!next_completion(&completion, start + TIMEOUT_NS)) return fail("rdma write", "no completion");
  if (completion.status == NIC_CQE_OK) {
    block->result.messages_completed = 1;
  } else {
    block->result.messages_failed = 1;
  }
  if (completion.status != NIC_CQE_OK) {
    return fail("rdma write", nic_cqe_status_text(completion.status));
  }
  printf("rdma write: %" PRIu32 " bytes to host %" PRIu32 ", acknowledged after %" PRIu64 " ns\n",
         completion.byte_len, flow->remote_host, completion.timestamp_ns - start);
  return 0;
}

static int receive_one(const struct boot_rx_flow* flow) {
  const struct nic_queue_pair pair = {flow->qpn,  flow->remote_host, flow->remote_qpn,
                                      flow->dscp, flow->priority,    flow->service};
  const enum nic_error error = nic_create_queue_pair(&nic, &pair);
  if (error != NIC_OK) return fail("queue pair", nic_error_text(error));
  struct nic_cqe completion;
  if (!next_completion(&completion, block->end_ns)) return fail("rdma write", "nothing came");
  if (completion.opcode != NIC_CQE_RECEIVE_IMMEDIATE || completion.status != NIC_CQE_OK) {
    return fail("rdma write", "a completion that nobody waits for");
  }
  block->result.messages_received = 1;
  uint32_t wrong_at = 0;
  if ((block->flags & BOOT_PAYLOAD_REAL) != 0 &&
      pattern_check((const void*)(uintptr_t)flow->local_address, flow->message_bytes, 0,
                    flow->message_bytes, flow->seed, 0, flow->slots,
                    &wrong_at) != PATTERN_VERIFIED) {
    block->result.messages_corrupt = 1;
    return fail("rdma write", "the payload is not what was sent");
  }
  block->result.messages_verified = 1;
  printf("rdma write: %" PRIu32 " bytes from host %" PRIu32 ", payload as sent\n",
         completion.byte_len, flow->remote_host);
  return 0;
}

static void print_statistics(void) {
  struct nic_statistics n;
  nic_read_statistics(&nic, &n);
  printf("nic: sent %" PRIu64 " packets, %" PRIu64 " bytes; received %" PRIu64 " packets, %" PRIu64
         " bytes; %" PRIu64 " retransmits, %" PRIu64 " ICRC errors\n",
         n.packets_sent, n.bytes_sent, n.packets_received, n.bytes_received, n.retransmits,
         n.icrc_errors);
  struct dcc_statistics d;
  dcc_read_statistics(&controller, &d);
  printf("controller: %" PRIu64 " CNPs, %" PRIu64 " decreases, %" PRIu64 " increases, %" PRIu64
         " byte notifications\n",
         d.cnps_received, d.rate_decreases, d.rate_increases, d.byte_notifications);
}

static int bring_up(void) {
  if (find_devices() != 0) return 1;
  if (register_test_all(controller.slots) != 0) return fail("registers", "see above");
  if (program() != 0) return 1;
  const struct boot_tx_flow* tx = (const void*)((const char*)block + block->tx_offset);
  const struct boot_rx_flow* rx = (const void*)((const char*)block + block->rx_offset);
  int failures = 0;
  if (block->tx_count > 0) {
    failures = send_one(&tx[0]);
  } else if (block->rx_count > 0) {
    failures = receive_one(&rx[0]);
  }
  print_statistics();
  if (failures == 0) printf("bringup: done\n");
  return failures;
}

int main(void) {
  if (block->magic != BOOT_MAGIC) return fail("boot block", "there is none");
  /* The platform reads the result at the end of the run. */
  block->result.state = BOOT_STATE_RUNNING;
  const int failures = bring_up();
  block->result.state = failures == 0 ? BOOT_STATE_DONE : BOOT_STATE_FAILED;
  return failures;
}
