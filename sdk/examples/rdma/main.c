/* Two hosts exchange WRITE, SEND, READ and atomic operations, provoke every completion status, and
 * continue after each. Written against the register map (driver/nic_regs.h) and the descriptors
 * (driver/nic_descriptors.h) alone: no driver, no boot block, no planned traffic. Host 0 sends
 * commands, host 1 answers; both run this program, so their variables have the same addresses. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "driver/memory_map.h"
#include "driver/nic_descriptors.h"
#include "driver/nic_regs.h"
#include "machine.h"
#include "trap.h"

enum { RING_LOG2 = 4, RING = 1 << RING_LOG2, BYTES = 4096, NO_SUCH_PAIR = 9 };
enum pair { CONTROL = 2, DATA = 3, LONELY = 4 };
/* Command of host 0 to host 1, sent as the immediate of a WRITE on CONTROL. */
enum command { POST_BUFFER = 1, MAKE_ANEW, OPEN_ALL, QUIT };

struct rings {
  struct nic_wqe send[RING];
  struct nic_rqe receive[RING];
  struct nic_cqe completion[RING];
} __attribute__((aligned(NIC_RING_ALIGNMENT)));

static struct rings rings;
static uint8_t source[BYTES], shared[BYTES], result[BYTES];
static uint64_t word __attribute__((aligned(8)));
static uint32_t argument; /* argument of a command */
static uint16_t sent, received, reaped;
static uint32_t me;
static unsigned seen; /* bit s: a completion with status s was seen */

static void nic_write(uint32_t offset, uint32_t value) {
  machine_write32((uint32_t)NIC_BASE + offset, value);
}
static uint32_t nic_read(uint32_t offset) { return machine_read32((uint32_t)NIC_BASE + offset); }
/* Orders accesses to memory shared with the NIC: earlier accesses complete, later ones are not
 * yet made. */
static void fence(void) { __asm__ volatile("fence" ::: "memory"); }
static uint64_t address_of(const void* p) { return (uintptr_t)p; }

/* ---- the NIC ---- */

static void create(uint32_t qpn, uint32_t remote_qpn) {
  nic_write(NIC_QP_SELECT_OFFSET, qpn);
  nic_write(NIC_QP_REMOTE_HOST_OFFSET, 1 - me);
  nic_write(NIC_QP_REMOTE_QPN_OFFSET, remote_qpn);
  nic_write(NIC_QP_SERVICE_OFFSET, NIC_QP_SERVICE_SERVICE_RC);
  nic_write(NIC_QP_CMD_OFFSET, NIC_QP_CMD_OPERATION_CREATE);
}

static void open_window(uint32_t base, uint32_t length) {
  nic_write(NIC_MR_BASE_LO_OFFSET, base);
  nic_write(NIC_MR_LENGTH_OFFSET, length);
}

static void start(void) {
  nic_write(NIC_CTRL_OFFSET, NIC_CTRL_SOFT_RESET_MASK);
  nic_write(NIC_SQ_BASE_LO_OFFSET, (uint32_t)address_of(rings.send));
  nic_write(NIC_SQ_SIZE_LOG2_OFFSET, RING_LOG2);
  nic_write(NIC_RQ_BASE_LO_OFFSET, (uint32_t)address_of(rings.receive));
  nic_write(NIC_RQ_SIZE_LOG2_OFFSET, RING_LOG2);
  nic_write(NIC_CQ_BASE_LO_OFFSET, (uint32_t)address_of(rings.completion));
  nic_write(NIC_CQ_SIZE_LOG2_OFFSET, RING_LOG2);
  open_window(DCC_RAM_BASE, DCC_IMAGE_BYTES);
  nic_write(NIC_IRQ_MASK_OFFSET, NIC_IRQ_MASK_COMPLETION_MASK | NIC_IRQ_MASK_SQ_ERROR_MASK);
  nic_write(NIC_CTRL_OFFSET,
            NIC_CTRL_ENABLE_MASK | NIC_CTRL_ACK_MODE_PER_PACKET << NIC_CTRL_ACK_MODE_SHIFT);
  machine_enable_source(IRQ_SOURCE_NIC);
  MACHINE_CSR_SET(mie, 1u << TRAP_EXTERNAL); /* ends sleep; mstatus.MIE stays 0: no trap */
  create(CONTROL, CONTROL);
  create(DATA, DATA);
}

static void post(struct nic_wqe entry) {
  rings.send[sent % RING] = entry;
  fence();
  nic_write(NIC_SQ_TAIL_OFFSET, ++sent);
}

static void post_buffer(uint32_t qpn, void* buffer, uint32_t bytes) {
  const struct nic_rqe entry = {.qpn = qpn, .length = bytes, .address = address_of(buffer)};
  rings.receive[received % RING] = entry;
  fence();
  nic_write(NIC_RQ_TAIL_OFFSET, ++received);
}

/* Returns the next completion; sleeps until it arrives. */
static struct nic_cqe next(void) {
  for (;;) {
    const volatile struct nic_cqe* const entry = &rings.completion[reaped % RING];
    if (entry->phase == (reaped / RING % 2 == 0 ? 1 : 0)) {
      fence();
      const struct nic_cqe completion = *entry;
      nic_write(NIC_CQ_HEAD_OFFSET, ++reaped);
      seen |= 1u << completion.status;
      return completion;
    }
    machine_sleep();
    const unsigned line = machine_claim();
    nic_write(NIC_IRQ_STATUS_OFFSET, NIC_IRQ_STATUS_COMPLETION_MASK | NIC_IRQ_STATUS_SQ_ERROR_MASK);
    machine_complete(line);
  }
}

static void tell(uint32_t immediate, uint32_t value) {
  argument = value;
  const struct nic_wqe entry = {.opcode = NIC_WQE_RDMA_WRITE_IMMEDIATE,
                                .qpn = CONTROL,
                                .local_address = address_of(&argument),
                                .remote_address = address_of(&argument),
                                .length = sizeof argument,
                                .immediate = immediate};
  post(entry);
}

/* ---- host 1: executes commands and reports their end ---- */

static int answer(void) {
  for (;;) {
    const struct nic_cqe completion = next();
    if (completion.opcode != NIC_CQE_RECEIVE_IMMEDIATE) continue; /* a buffer of DATA is full */
    switch ((enum command)completion.immediate) {
      case POST_BUFFER:
        post_buffer(DATA, shared, argument);
        break;
      case MAKE_ANEW:
        create(DATA, DATA);
        break;
      case OPEN_ALL:
        open_window(0, UINT32_MAX);
        break;
      case QUIT: {
        const unsigned wanted =
            1u << NIC_CQE_OK | 1u << NIC_CQE_LENGTH_ERROR | 1u << NIC_CQE_FLUSHED;
        printf("receives: %s\n", seen == wanted ? "ok, too long, flushed" : "a status is missing");
        tell(QUIT, 0);
        return seen == wanted ? 0 : 1;
      }
    }
    tell(completion.immediate, 0);
  }
}

/* ---- host 0 ---- */

static int failures;

static void expect(const char* what, int good) {
  if (good) return;
  printf("wrong: %s\n", what);
  ++failures;
}

static void ask(enum command command, uint32_t value) {
  tell(command, value);
  const struct nic_cqe completion = next();
  expect("the answer to a command",
         completion.opcode == NIC_CQE_RECEIVE_IMMEDIATE && completion.immediate == command);
}

/* After an error both queue pairs are created again, so that packet numbers start at 0. */
static void make_anew(void) {
  ask(MAKE_ANEW, 0);
  create(DATA, DATA);
}

static struct nic_wqe request(uint8_t opcode, const void* local, uint64_t remote, uint32_t bytes) {
  const struct nic_wqe entry = {.opcode = opcode,
                                .flags = NIC_WQE_SIGNALED,
                                .qpn = DATA,
                                .wr_id = 100u + sent,
                                .local_address = address_of(local),
                                .remote_address = remote,
                                .length = bytes};
  return entry;
}

/* Posts one request and waits for its completion. */
static void run(const char* what, struct nic_wqe entry, enum nic_cqe_status wanted) {
  post(entry);
  const struct nic_cqe completion = next();
  printf("%-44s status %d\n", what, completion.status);
  expect(what, completion.status == wanted && completion.wr_id == entry.wr_id);
}

static void move_data(void) {
  for (unsigned i = 0; i < BYTES; ++i) source[i] = (uint8_t)(7 * i + i / 256);
  run("WRITE", request(NIC_WQE_RDMA_WRITE, source, address_of(shared), BYTES), NIC_CQE_OK);
  run("READ", request(NIC_WQE_RDMA_READ, result, address_of(shared), BYTES), NIC_CQE_OK);
  expect("what was read is what was written", memcmp(result, source, BYTES) == 0);
  ask(POST_BUFFER, BYTES);
  run("SEND", request(NIC_WQE_SEND, source, 0, 1000), NIC_CQE_OK);

  struct nic_wqe atomic = request(NIC_WQE_FETCH_ADD, &word, address_of(&word), NIC_ATOMIC_BYTES);
  atomic.swap_or_add = 5;
  run("fetch and add", atomic, NIC_CQE_OK);
  atomic = request(NIC_WQE_COMPARE_SWAP, &word, address_of(&word), NIC_ATOMIC_BYTES);
  atomic.compare = 5;
  atomic.swap_or_add = 40;
  run("compare and swap", atomic, NIC_CQE_OK);
  expect("the word was 5", word == 5);
  run("READ", request(NIC_WQE_RDMA_READ, &word, address_of(&word), 8), NIC_CQE_OK);
  expect("the word is 40", word == 40);
}

/* Posts two requests; checks that `entry` fails and that the following request is flushed. */
static void run_two(const char* what, struct nic_wqe entry, enum nic_cqe_status wanted) {
  post(entry);
  post(request(NIC_WQE_RDMA_WRITE, source, address_of(shared), 8));
  const struct nic_cqe first = next(), second = next();
  printf("%-44s status %d, then %d\n", what, first.status, second.status);
  expect(what, first.status == wanted && second.status == NIC_CQE_FLUSHED);
}

static void provoke_errors(void) {
  const uint64_t device = DCC_UART_BASE; /* a device: on the bus, but no memory */
  open_window(0, UINT32_MAX);            /* the window may include the address of a device */
  run("no such operation", request(99, source, address_of(shared), 8), NIC_CQE_LOCAL_ERROR);
  run("READ into a device",
      request(NIC_WQE_RDMA_READ, (void*)(uintptr_t)device, address_of(shared), 8),
      NIC_CQE_LOCAL_ERROR);
  run_two("WRITE from a device",
          request(NIC_WQE_RDMA_WRITE, (void*)(uintptr_t)device, address_of(shared), 8),
          NIC_CQE_LOCAL_ERROR);
  make_anew();
  run_two("WRITE to an address that is not open",
          request(NIC_WQE_RDMA_WRITE, source, DCC_RAM_BASE - 8u, 8), NIC_CQE_REMOTE_ERROR);
  make_anew();
  ask(OPEN_ALL, 0);
  for (uint8_t opcode = NIC_WQE_RDMA_WRITE; opcode <= NIC_WQE_FETCH_ADD; ++opcode) {
    if (opcode == NIC_WQE_SEND || opcode == NIC_WQE_SEND_IMMEDIATE) continue;
    run_two("an open address that is a device", request(opcode, &word, device, NIC_ATOMIC_BYTES),
            NIC_CQE_REMOTE_ERROR);
    make_anew();
  }
  run_two("an atomic operation on an odd address",
          request(NIC_WQE_FETCH_ADD, &word, address_of(&word) + 1, NIC_ATOMIC_BYTES),
          NIC_CQE_REMOTE_INVALID);
  make_anew();
  run_two("SEND without a buffer", request(NIC_WQE_SEND, source, 0, 8), NIC_CQE_NOT_READY);
  make_anew();
  ask(POST_BUFFER, 100);
  run_two("SEND that is longer than its buffer", request(NIC_WQE_SEND, source, 0, 101),
          NIC_CQE_REMOTE_INVALID);
  ask(POST_BUFFER, 100); /* This receive entry is flushed when the queue pair is created again. */
  make_anew();

  nic_write(NIC_SQ_BASE_LO_OFFSET, (uint32_t)device);
  nic_write(NIC_SQ_TAIL_OFFSET, ++sent);
  const struct nic_cqe completion = next();
  printf("%-44s status %d\n", "a send ring that is a device", completion.status);
  expect("a send ring that is a device", completion.status == NIC_CQE_LOCAL_ERROR);
  nic_write(NIC_SQ_BASE_LO_OFFSET, (uint32_t)address_of(rings.send));

  create(LONELY, NO_SUCH_PAIR);
  struct nic_wqe entry = request(NIC_WQE_RDMA_WRITE, source, address_of(shared), 8);
  entry.qpn = LONELY;
  run("a queue pair that has no other end", entry, NIC_CQE_RETRY_EXCEEDED);
  run("WRITE, after all that", request(NIC_WQE_RDMA_WRITE, source, address_of(shared), 8),
      NIC_CQE_OK);
}

int main(void) {
  me = nic_read(NIC_HOST_ID_OFFSET);
  start();
  if (me != 0) return answer();
  move_data();
  provoke_errors();
  ask(QUIT, 0);
  const unsigned wanted = (1u << NIC_CQE_LENGTH_ERROR) - 1u; /* all statuses of requests */
  expect("every status of a request has come", seen == wanted);
  printf("%s\n", failures == 0 ? "all as it must be" : "failed");
  return failures;
}
