/* The boot block: what the platform leaves in a host's RAM for the application, and where the
 * application leaves its results. Plain little-endian data; all offsets count from the block's own
 * start, all addresses are this host's physical addresses, all times are simulated nanoseconds.
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
/* Behind what belongs to the firmware image. */
#define BOOT_BLOCK_ADDRESS (BOOT_RAM_BASE + DCC_IMAGE_BYTES)
#define BOOT_MAGIC UINT32_C(0x44434342) /* "BCCD" in memory */
#define BOOT_VERSION UINT32_C(6)
#define BOOT_NEVER UINT64_MAX

enum { BOOT_MAX_FLOWS = 16384, BOOT_MAX_SLOTS = 64, BOOT_ALIGNMENT = 64 };

enum boot_flags {
  BOOT_PAYLOAD_REAL = 1 << 0,   /* buffers exist: fill them, verify what arrives */
  BOOT_HAS_CONTROLLER = 1 << 1, /* program the congestion controller (algorithm: dcc) */
};

/* How a flow's messages move. */
enum boot_operation {
  BOOT_WRITE = 0, /* into the slots at the receiver, immediate = the message's index */
  BOOT_SEND = 1,  /* into receive entries, one a slot; the same immediate, but for datagrams */
  BOOT_READ = 2,  /* out of the slots at the other end, which hold messages 0 … slots - 1 */
  /* On the words with which the slots at the other end begin, 0 at first. Each message in a slot
   * makes its word larger by boot_addend(seed): adds that, or swaps it in for what the message
   * before left. */
  BOOT_COMPARE_SWAP = 3,
  BOOT_FETCH_ADD = 4,
};

static inline int boot_is_atomic(uint8_t operation) {
  return operation == BOOT_COMPARE_SWAP || operation == BOOT_FETCH_ADD;
}
/* Software at the other end hears nothing of it. */
static inline int boot_is_one_sided(uint8_t operation) {
  return operation == BOOT_READ || boot_is_atomic(operation);
}
/* Odd, and in every byte of the word: no two messages of a flow find the same. */
static inline uint64_t boot_addend(uint32_t seed) { return ((uint64_t)seed << 32 | seed) | 1u; }

/* A flow of this host. It posts `bytes` as messages of `message_bytes` (the last may be shorter).
 * Message m lies in slot m mod slots, here and at the other end. */
struct boot_tx_flow {
  uint32_t id;             /* platform-wide flow id */
  uint32_t qpn;            /* queue pair here */
  uint32_t remote_host;    /* receiver */
  uint32_t remote_qpn;     /* queue pair there */
  uint8_t dscp;            /* 0 … 63 */
  uint8_t priority;        /* 802.1p, 0 … 7 */
  uint8_t slots;           /* message slots in either buffer, 1 … BOOT_MAX_SLOTS */
  uint8_t outstanding;     /* messages posted and not completed at any time, 1 … slots */
  uint32_t message_bytes;  /* 1 … 2^31 */
  uint64_t bytes;          /* in all; 0 = unlimited */
  uint64_t start_ns;       /* first message is posted at this time */
  uint64_t stop_ns;        /* no message is posted from this time on; BOOT_NEVER = never */
  uint64_t local_address;  /* slot 0 here; not read with virtual payload */
  uint64_t remote_address; /* slot 0 at the receiver */
  uint32_t slot_bytes;     /* distance of two slots, >= message_bytes */
  uint32_t seed;           /* of the payload's pattern; the same in the receiver's entry */
  uint8_t operation;       /* enum boot_operation */
  uint8_t service;         /* NIC_QP_SERVICE_SERVICE_… */
  uint8_t reserved[6];
};

/* A flow this host receives, or is read from. */
struct boot_rx_flow {
  uint32_t id;
  uint32_t qpn;         /* queue pair here */
  uint32_t remote_host; /* sender */
  uint32_t remote_qpn;  /* queue pair there */
  uint8_t dscp;
  uint8_t priority;
  uint8_t slots;
  uint8_t operation;
  uint32_t message_bytes;
  uint64_t bytes;         /* in all; 0 = unlimited */
  uint64_t local_address; /* slot 0 */
  uint32_t slot_bytes;
  uint32_t seed;
  uint8_t service;
  uint8_t reserved[7];
};

enum boot_state {
  BOOT_STATE_WAITING = 0, /* application has not begun */
  BOOT_STATE_RUNNING = 1,
  BOOT_STATE_DONE = 2,
  BOOT_STATE_FAILED = 3, /* see error and text */
};

/* Live: counters are exact at any moment, so a run cut short still reads true. */
struct boot_result {
  uint32_t state;        /* enum boot_state */
  uint32_t error;        /* enum traffic_error of app/traffic_app.h */
  uint32_t error_detail; /* register offset, flow index, … as the sentence in text says */
  uint32_t error_flow;   /* platform-wide id of the flow concerned; 0xFFFFFFFF = none */
  uint64_t started_ns;   /* bring-up finished, first flow may start */
  uint64_t finished_ns;
  uint64_t wakeups; /* returns from wait-for-interrupt */
  uint64_t irqs;    /* interrupts claimed */
  uint64_t nic_irqs;
  uint64_t controller_irqs;
  uint64_t messages_posted;
  uint64_t messages_completed;
  uint64_t messages_failed; /* completions with a status other than OK */
  uint64_t messages_received;
  uint64_t messages_verified;  /* every checked byte as sent */
  uint64_t messages_overtaken; /* a later message was already in the slot: not checkable */
  uint64_t messages_corrupt;   /* a byte is not what any message of the flow put there */
  uint64_t sequence_errors;    /* receive completions lost or out of order */
  uint64_t ring_full;          /* times a message waited for room in the send ring */
  uint64_t messages_unchecked; /* received and sampled out: see verify_bytes */
  char text[236];              /* sentence for people, zero-terminated; empty if all is well */
  uint32_t completions_held;   /* taken out of the ring and not counted above yet */
};

struct boot_tx_result {
  uint64_t messages_posted;
  uint64_t messages_completed;
  uint64_t bytes_completed;
  uint64_t first_post_ns;      /* 0 until posted */
  uint64_t last_completion_ns; /* the NIC's time of the last ACK */
  uint32_t messages_failed;
  uint32_t finished; /* 1: all bytes completed */
};

struct boot_rx_result {
  uint64_t messages_received;
  uint64_t bytes_received;
  uint64_t last_receive_ns; /* the NIC's time of the last byte */
  uint32_t messages_verified;
  uint32_t messages_overtaken;
  uint32_t messages_corrupt;
  uint32_t sequence_errors;
};

/* --- closed loop (docs/qos-manager.md); needs real payload --- */

enum boot_qos_roles {
  BOOT_QOS_METER = 1 << 0,
  BOOT_QOS_MANAGER = 1 << 1,
  BOOT_QOS_AGENT = 1 << 2,
};

enum boot_qos_peer_use {
  BOOT_QOS_PASSIVE = 0,      /* the far end writes to us */
  BOOT_QOS_SEND_REPORTS = 1, /* our meter's reports go to `address` */
  BOOT_QOS_SEND_COMMANDS = 2 /* our manager's commands go to `address` */
};

/* A queue pair of the closed loop. */
struct boot_qos_peer {
  uint32_t qpn;
  uint32_t remote_host;
  uint32_t remote_qpn;
  uint8_t dscp;
  uint8_t priority;
  uint8_t use; /* enum boot_qos_peer_use */
  uint8_t reserved;
  uint64_t address; /* in the remote host's memory: boot_qos_report_address(), … */
};

struct boot_qos {
  uint32_t roles; /* enum boot_qos_roles; 0 = off */
  uint32_t tenant_count;
  uint32_t report_ns; /* QOS_REPORT_NS */
  uint32_t update_ns; /* QOS_UPDATE_NS; a multiple of report_ns */
  struct qos_tenant tenants[QOS_TENANTS_MAX];
  uint32_t peer_count;
  uint32_t peers_offset; /* boot_layout */
  uint32_t area_offset;  /* struct boot_qos_area; boot_layout; the same for the same counts */
  uint32_t meter_count;  /* manager: meters that report, numbered from 0 */
  uint32_t local_meter;  /* manager and meter on one host: the meter's number; else UINT32_MAX */
  uint32_t reserved;
};

/* What the closed loop keeps in RAM. The first two are written by RDMA. */
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
  uint32_t header_bytes; /* sizeof(struct boot_block) */
  uint32_t total_bytes;  /* block, arrays and scratch */
  uint32_t host_id;
  uint32_t flags;     /* enum boot_flags */
  uint64_t ram_bytes; /* from BOOT_RAM_BASE */
  uint64_t end_ns;    /* the application stops here and writes BOOT_STATE_DONE */
  /* Bytes of each received message that are verified; 0 = all of every message. With a sample,
   * which moves through the message from one to the next, the application also leaves most messages
   * out (messages_unchecked) while it is behind with completions: for processors slower than the
   * port.
   */
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
  uint32_t receive_ring_entries; /* 0: no flow is sent to receive entries here */
  uint32_t receive_ring_offset;  /* boot_layout */
};

DCC_ASSERT_SIZE(boot_tx_flow, 80);
DCC_ASSERT_OFFSET(boot_tx_flow, dscp, 16);
DCC_ASSERT_OFFSET(boot_tx_flow, bytes, 24);
DCC_ASSERT_OFFSET(boot_tx_flow, slot_bytes, 64);
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

/* Least power of two that holds `entries`, within what the NIC accepts. */
static inline uint32_t boot_ring_entries(uint32_t entries) {
  uint32_t n = NIC_RING_ENTRIES_MIN;
  while (n < entries && n < (uint32_t)NIC_RING_ENTRIES_MAX) n *= 2;
  return n;
}

/* Application's own state of a flow; private to app/traffic_app.c, sized here. */
enum { BOOT_TX_STATE_BYTES = 48, BOOT_RX_STATE_BYTES = 16 };

/* Room for both rings, the start-time heap, the waiting list, the queue pair index and the flows'
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

/* Where a host's reports and commands are written, given its laid-out block. */
static inline uint64_t boot_qos_report_address(const struct boot_block* block, uint32_t meter) {
  return BOOT_BLOCK_ADDRESS + block->qos.area_offset + offsetof(struct boot_qos_area, reports_in) +
         (uint64_t)meter * sizeof(struct qos_report);
}
static inline uint64_t boot_qos_command_address(const struct boot_block* block) {
  return BOOT_BLOCK_ADDRESS + block->qos.area_offset + offsetof(struct boot_qos_area, command_in);
}

/* Fills in every size and offset of `block` from tx_count, rx_count, queue_pairs, the rings'
 * lengths and qos's roles and peer_count; the platform calls it before it writes the arrays.
 * total_bytes tells where message buffers may begin; it saturates at UINT32_MAX, which no RAM
 * holds. */
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
