/* The boot block: the area of a host's RAM where the platform leaves the plan for the application,
 * and where the application leaves its results. Plain little-endian data; all offsets count from
 * the block's own start, all addresses are this host's physical addresses, all times are simulated
 * nanoseconds.
 *
 *   RAM_BASE ............ firmware image, data, stack (native driver: unused)
 *   BOOT_BLOCK_ADDRESS .. struct boot_block
 *                         tx_flows[tx_count], rx_flows[rx_count]      written by the platform
 *                         tx_results[tx_count], rx_results[rx_count]  written by the application
 *                         scratch: rings and per-flow state, sized by boot_scratch_bytes()
 *                         message buffers, at the addresses the flows name
 *   end of RAM
 *
 * `boot_layout` computes the offsets, so that platform and application agree by construction. */
#ifndef DCC_APP_BOOT_BLOCK_H
#define DCC_APP_BOOT_BLOCK_H

#include "app/qos_manager.h"
#include "driver/dcc_config.h"
#include "driver/fixed_layout.h"
#include "driver/memory_map.h"
#include "driver/nic_config.h"
#include "driver/nic_descriptors.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BOOT_RAM_BASE ((uint64_t)DCC_RAM_BASE)
/* Address of the boot block, behind the firmware image. */
#define BOOT_BLOCK_ADDRESS (BOOT_RAM_BASE + DCC_IMAGE_BYTES)
#define BOOT_MAGIC UINT32_C(0x44434342) /* the block begins with the bytes "BCCD" in memory */
#define BOOT_VERSION UINT32_C(7)
#define BOOT_NEVER UINT64_MAX

enum { BOOT_MAX_FLOWS = 16384, BOOT_MAX_SLOTS = 64, BOOT_ALIGNMENT = 64 };

enum boot_flags {
  /* message buffers exist: the application fills them and verifies received data */
  BOOT_PAYLOAD_REAL = 1 << 0,
  /* the host has a congestion controller (algorithm: dcc), which the application programs */
  BOOT_HAS_CONTROLLER = 1 << 1,
};

/* Operation by which a flow's messages are transferred. */
enum boot_operation {
  /* RDMA WRITE into the receiver's slots; the immediate is the number of the message */
  BOOT_WRITE = 0,
  /* SEND into receive entries, one for each slot; the immediate is the number of the message,
   * except for datagrams */
  BOOT_SEND = 1,
  BOOT_READ = 2, /* RDMA READ of the remote slots, which hold messages 0 … slots - 1 */
  /* Atomic operations on the first word of each remote slot, 0 at first. Each message adds
   * boot_addend(seed) to its slot's word, or swaps the sum in if the word has the value that the
   * previous message left. */
  BOOT_COMPARE_SWAP = 3,
  BOOT_FETCH_ADD = 4,
};

static inline int boot_is_atomic(uint8_t operation) {
  return operation == BOOT_COMPARE_SWAP || operation == BOOT_FETCH_ADD;
}
/* True if software at the remote end gets no completion for the operation. */
static inline int boot_is_one_sided(uint8_t operation) {
  return operation == BOOT_READ || boot_is_atomic(operation);
}
/* Addend of a flow: odd and spread over all bytes, so no two of its messages find the same word. */
static inline uint64_t boot_addend(uint32_t seed) { return ((uint64_t)seed << 32 | seed) | 1u; }

/* A flow that this host sends, as messages of `message_bytes` (the last may be shorter). Message
 * m lies in slot m mod slots, at both ends. */
struct boot_tx_flow {
  uint32_t id;             /* number of the flow, unique on the platform */
  uint32_t qpn;            /* number of the flow's local queue pair */
  uint32_t remote_host;    /* number of the receiving host */
  uint32_t remote_qpn;     /* number of the flow's queue pair at the receiving host */
  uint8_t dscp;            /* DSCP of the flow, 0 … 63 */
  uint8_t priority;        /* 802.1p priority of the flow, 0 … 7 */
  uint8_t slots;           /* number of message slots at either end, 1 … BOOT_MAX_SLOTS */
  uint8_t outstanding;     /* greatest number of messages posted and not completed, 1 … slots */
  uint32_t message_bytes;  /* payload bytes of a message, 1 … 2^31 */
  uint64_t bytes;          /* bytes of the flow; 0 = unlimited */
  uint64_t start_ns;       /* simulated time of the first post */
  uint64_t stop_ns;        /* simulated time at which posting ends; BOOT_NEVER = never */
  uint64_t local_address;  /* address of local slot 0; not read with virtual payload */
  uint64_t remote_address; /* address of slot 0 at the receiver */
  uint32_t slot_bytes;     /* distance of two message slots in bytes, >= message_bytes */
  uint32_t seed;           /* seed of the payload pattern, equal in the receiver's entry */
  uint8_t operation;       /* operation of the flow's messages, enum boot_operation */
  uint8_t service;         /* transport service of the queue pair, NIC_QP_SERVICE_SERVICE_… */
  uint8_t new_dscp;        /* DSCP of the flow from new_dscp_ns on, 0 … 63 */
  uint8_t reserved[5];
  uint64_t new_dscp_ns; /* simulated time at which the flow's DSCP changes to new_dscp; 0 = never */
};

/* A flow that this host receives, or that another host reads. */
struct boot_rx_flow {
  uint32_t id;
  uint32_t qpn;         /* number of the flow's local queue pair */
  uint32_t remote_host; /* number of the sending host */
  uint32_t remote_qpn;  /* number of the flow's queue pair at the sending host */
  uint8_t dscp;
  uint8_t priority;
  uint8_t slots;
  uint8_t operation;
  uint32_t message_bytes;
  uint64_t bytes;         /* bytes of the flow; 0 = unlimited */
  uint64_t local_address; /* address of message slot 0 in this host's memory */
  uint32_t slot_bytes;
  uint32_t seed;
  uint8_t service;
  uint8_t reserved[7];
};

enum boot_state {
  BOOT_STATE_WAITING = 0, /* the application has not begun */
  BOOT_STATE_RUNNING = 1,
  BOOT_STATE_DONE = 2,
  BOOT_STATE_FAILED = 3, /* failed; members error and text say why */
};

/* Result of the application. Counters are exact at any moment, also in a run that is cut short. */
struct boot_result {
  uint32_t state; /* state of the application, enum boot_state */
  /* error code of the application, enum traffic_error of app/traffic_app.h */
  uint32_t error;
  /* detail of the error, such as a register offset or a flow index, as `text` explains */
  uint32_t error_detail;
  uint32_t error_flow; /* platform-wide id of the affected flow; 0xFFFFFFFF = none */
  uint64_t started_ns; /* simulated time at the end of bring-up, before the first flow */
  uint64_t finished_ns;
  uint64_t wakeups; /* number of times that the application returned from wait-for-interrupt */
  uint64_t irqs;    /* number of interrupts that the application claimed */
  uint64_t nic_irqs;
  uint64_t controller_irqs;
  uint64_t messages_posted;
  uint64_t messages_completed;
  uint64_t messages_failed; /* number of completions with a status other than OK */
  uint64_t messages_received;
  uint64_t messages_verified; /* number of messages whose checked bytes are all correct */
  /* number of messages that a later message in the same slot overwrote before the check */
  uint64_t messages_overtaken;
  /* number of messages with a byte that no message of the flow wrote */
  uint64_t messages_corrupt;
  uint64_t sequence_errors; /* number of receive completions that were lost or out of order */
  uint64_t ring_full;       /* number of times a message waited for room in the send ring */
  /* number of received messages that the sample left out: see verify_bytes */
  uint64_t messages_unchecked;
  char text[236]; /* error sentence, zero-terminated; empty without an error */
  /* number of completions that were taken from the ring and are not yet in the counters */
  uint32_t completions_held;
};

struct boot_tx_result {
  uint64_t messages_posted;
  uint64_t messages_completed;
  uint64_t bytes_completed;
  /* simulated time of the flow's first post; 0 before the first post */
  uint64_t first_post_ns;
  uint64_t last_completion_ns; /* time of the flow's last ACK by the NIC's clock */
  uint32_t messages_failed;
  uint32_t finished; /* 1: all bytes of the flow are completed */
};

struct boot_rx_result {
  uint64_t messages_received;
  uint64_t bytes_received;
  uint64_t last_receive_ns; /* time of the flow's last received byte by the NIC's clock */
  uint32_t messages_verified;
  uint32_t messages_overtaken;
  uint32_t messages_corrupt;
  uint32_t sequence_errors;
};

/* --- closed loop of the QoS manager (docs/qos-manager.md); needs real payload --- */

enum boot_qos_roles {
  BOOT_QOS_METER = 1 << 0,
  BOOT_QOS_MANAGER = 1 << 1,
  BOOT_QOS_AGENT = 1 << 2,
};

enum boot_qos_peer_use {
  BOOT_QOS_PASSIVE = 0,      /* the remote host writes to this host */
  BOOT_QOS_SEND_REPORTS = 1, /* this host's meter sends reports to `address` */
  BOOT_QOS_SEND_COMMANDS = 2 /* this host's manager sends commands to `address` */
};

/* A queue pair of the QoS manager's closed loop. */
struct boot_qos_peer {
  uint32_t qpn;
  uint32_t remote_host;
  uint32_t remote_qpn;
  uint8_t dscp;
  uint8_t priority;
  uint8_t use; /* use of the queue pair, enum boot_qos_peer_use */
  uint8_t reserved;
  uint64_t address; /* address in the remote host's memory, such as boot_qos_report_address() */
};

struct boot_qos {
  uint32_t roles; /* roles of this host, bits of enum boot_qos_roles; 0 = no closed loop */
  uint32_t tenant_count;
  uint32_t report_ns; /* period of the meters' reports, QOS_REPORT_NS */
  uint32_t update_ns; /* period of the manager's updates, QOS_UPDATE_NS; a multiple of report_ns */
  struct qos_tenant tenants[QOS_TENANTS_MAX];
  uint32_t peer_count;
  uint32_t peers_offset; /* offset of the peers in the block; boot_layout sets the offset */
  /* offset of struct boot_qos_area; boot_layout sets the offset, equal for equal counts */
  uint32_t area_offset;
  uint32_t meter_count; /* number of meters that report to the manager, numbered from 0 */
  /* number of the meter on the manager's host; UINT32_MAX if that host has no meter */
  uint32_t local_meter;
  uint32_t reserved;
};

/* Memory of the QoS manager's closed loop in host RAM. Remote hosts write the first two members by
 * RDMA. */
struct boot_qos_area {
  struct qos_command command_in;
  uint32_t reserved[12];
  struct qos_report reports_in[QOS_METERS_MAX];
  struct qos_command command_out;
  struct qos_report report_out;
  struct qos_meter meter;
  struct qos_manager manager;
  struct qos_agent agent;
};

struct boot_block {
  uint32_t magic;
  uint32_t version;
  uint32_t header_bytes; /* bytes of the block's header, sizeof(struct boot_block) */
  uint32_t total_bytes;  /* total bytes of block, arrays and scratch area */
  uint32_t host_id;
  uint32_t flags;     /* properties of the host, bits of enum boot_flags */
  uint64_t ram_bytes; /* bytes of RAM from BOOT_RAM_BASE on */
  uint64_t end_ns;    /* simulated time at which the application stops and writes BOOT_STATE_DONE */
  /* Number of bytes verified in each received message; 0 = all bytes of all messages. The verified
   * range moves through the message from one message to the next. If the range is limited, an
   * application that falls behind with completions also skips most messages (messages_unchecked).
   * The limit serves processors that are slower than the port. */
  uint32_t verify_bytes;
  uint32_t tx_count;
  uint32_t rx_count;
  uint32_t tx_offset;
  uint32_t rx_offset;
  uint32_t tx_result_offset;
  uint32_t rx_result_offset;
  uint32_t scratch_offset;
  uint32_t scratch_bytes;
  uint32_t queue_pairs; /* greatest qpn of either direction plus one */
  struct nic_config nic;
  struct dcc_config controller;
  struct boot_result result;
  struct boot_qos qos;
  /* number of entries of the receive ring; 0: no flow sends to receive entries of this host */
  uint32_t receive_ring_entries;
  /* offset of the receive ring in the block; boot_layout sets the offset */
  uint32_t receive_ring_offset;
};

DCC_ASSERT_SIZE(boot_tx_flow, 88);
DCC_ASSERT_OFFSET(boot_tx_flow, dscp, 16);
DCC_ASSERT_OFFSET(boot_tx_flow, bytes, 24);
DCC_ASSERT_OFFSET(boot_tx_flow, slot_bytes, 64);
DCC_ASSERT_OFFSET(boot_tx_flow, new_dscp_ns, 80);
DCC_ASSERT_SIZE(boot_rx_flow, 56);
DCC_ASSERT_OFFSET(boot_rx_flow, bytes, 24);
DCC_ASSERT_SIZE(boot_result, 384);
DCC_ASSERT_OFFSET(boot_result, text, 144);
DCC_ASSERT_SIZE(boot_tx_result, 48);
DCC_ASSERT_SIZE(boot_rx_result, 40);
DCC_ASSERT_OFFSET(boot_block, ram_bytes, 24);
DCC_ASSERT_OFFSET(boot_block, verify_bytes, 40);
DCC_ASSERT_OFFSET(boot_block, nic, 80);
DCC_ASSERT_OFFSET(boot_block, controller, 80 + sizeof(struct nic_config));
DCC_ASSERT_OFFSET(boot_block, result,
                  offsetof(struct boot_block, controller) +
                      (sizeof(struct dcc_config) + 7) / 8 * 8);
DCC_ASSERT_OFFSET(boot_block, qos, offsetof(struct boot_block, result) + 384);
DCC_ASSERT_SIZE(boot_block, offsetof(struct boot_block, qos) + 168 + 8);
DCC_ASSERT_SIZE(boot_qos_peer, 24);
DCC_ASSERT_SIZE(boot_qos, 168);
DCC_ASSERT_OFFSET(boot_qos_area, reports_in, 128);

static inline uint64_t boot_align(uint64_t offset) {
  return (offset + BOOT_ALIGNMENT - 1) & ~(uint64_t)(BOOT_ALIGNMENT - 1);
}

/* Returns the least power of two that is at least `entries`, limited to the NIC's range. */
static inline uint32_t boot_ring_entries(uint32_t entries) {
  uint32_t n = NIC_RING_ENTRIES_MIN;
  while (n < entries && n < (uint32_t)NIC_RING_ENTRIES_MAX) n *= 2;
  return n;
}

/* Sizes of the application's state of one flow; app/traffic_state.h defines the structures. */
enum { BOOT_TX_STATE_BYTES = 48, BOOT_RX_STATE_BYTES = 16 };

/* Bytes for both rings, the start-time heap, the waiting list, the queue pair index and the flows'
 * state. `queue_pairs` is the greatest qpn of either direction plus one. */
static inline uint64_t boot_scratch_bytes(uint32_t send_entries, uint32_t completion_entries,
                                          uint32_t tx_count, uint32_t rx_count,
                                          uint32_t queue_pairs) {
  return boot_align((uint64_t)send_entries * sizeof(struct nic_wqe)) +
         boot_align((uint64_t)completion_entries * sizeof(struct nic_cqe)) +
         boot_align((uint64_t)tx_count * BOOT_TX_STATE_BYTES) +
         boot_align((uint64_t)rx_count * BOOT_RX_STATE_BYTES) + boot_align((uint64_t)tx_count * 4) +
         boot_align((uint64_t)queue_pairs * 4);
}

/* Address of a host's reports or commands in the host's boot block, which boot_layout has laid out.
 * */
static inline uint64_t boot_qos_report_address(const struct boot_block* block, uint32_t meter) {
  return BOOT_BLOCK_ADDRESS + block->qos.area_offset + offsetof(struct boot_qos_area, reports_in) +
         (uint64_t)meter * sizeof(struct qos_report);
}
static inline uint64_t boot_qos_command_address(const struct boot_block* block) {
  return BOOT_BLOCK_ADDRESS + block->qos.area_offset + offsetof(struct boot_qos_area, command_in);
}

/* Sets every size and offset of `block` from tx_count, rx_count, queue_pairs, the rings' lengths
 * and qos's roles and peer_count. The platform calls the function before it writes the arrays.
 * total_bytes is the first possible offset of message buffers; total_bytes saturates at UINT32_MAX,
 * which no RAM holds. */
static inline void boot_layout(struct boot_block* block) {
  uint64_t at = boot_align(sizeof(struct boot_block));
  block->magic = BOOT_MAGIC;
  block->version = BOOT_VERSION;
  block->header_bytes = (uint32_t)sizeof(struct boot_block);
  block->tx_offset = (uint32_t)at;
  at = boot_align(at + (uint64_t)block->tx_count * sizeof(struct boot_tx_flow));
  block->rx_offset = (uint32_t)at;
  at = boot_align(at + (uint64_t)block->rx_count * sizeof(struct boot_rx_flow));
  block->tx_result_offset = (uint32_t)at;
  at = boot_align(at + (uint64_t)block->tx_count * sizeof(struct boot_tx_result));
  block->rx_result_offset = (uint32_t)at;
  at = boot_align(at + (uint64_t)block->rx_count * sizeof(struct boot_rx_result));
  block->scratch_offset = (uint32_t)at;
  const uint64_t scratch =
      boot_scratch_bytes(block->nic.send_ring_entries, block->nic.completion_ring_entries,
                         block->tx_count, block->rx_count, block->queue_pairs);
  block->scratch_bytes = (uint32_t)scratch;
  at += scratch;
  at = boot_align(at);
  block->qos.peers_offset = (uint32_t)at;
  at = boot_align(at + (uint64_t)block->qos.peer_count * sizeof(struct boot_qos_peer));
  block->qos.area_offset = (uint32_t)at;
  if (block->qos.roles != 0) at = boot_align(at + sizeof(struct boot_qos_area));
  block->receive_ring_offset = (uint32_t)at;
  at += (uint64_t)block->receive_ring_entries * sizeof(struct nic_rqe);
  block->total_bytes = at > UINT32_MAX ? UINT32_MAX : (uint32_t)at;
}

#ifdef __cplusplus
}
#endif

#endif
