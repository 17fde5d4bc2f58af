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

#include "driver/dcc_config.h"
#include "driver/fixed_layout.h"
#include "driver/nic_config.h"
#include "driver/nic_descriptors.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BOOT_RAM_BASE UINT64_C(0x80000000)
/* The first MiB of RAM belongs to the firmware image. */
#define BOOT_BLOCK_ADDRESS UINT64_C(0x80100000)
#define BOOT_MAGIC UINT32_C(0x44434342) /* "BCCD" in memory */
#define BOOT_VERSION UINT32_C(1)
#define BOOT_NEVER UINT64_MAX

enum { BOOT_MAX_FLOWS = 16384, BOOT_MAX_SLOTS = 64, BOOT_ALIGNMENT = 64 };

enum boot_flags {
  BOOT_PAYLOAD_REAL = 1 << 0,   /* buffers exist: fill them, verify what arrives */
  BOOT_HAS_CONTROLLER = 1 << 1, /* program the congestion controller (algorithm: dcc) */
};

/* A flow this host sends. It posts `bytes` as messages of `message_bytes` (the last may be
 * shorter), as RDMA WRITEs with immediate = the message's index. Message m lies in slot
 * m mod slots, here and at the receiver. */
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
};

/* A flow this host receives. */
struct boot_rx_flow {
  uint32_t id;
  uint32_t qpn;         /* queue pair here */
  uint32_t remote_host; /* sender */
  uint32_t remote_qpn;  /* queue pair there */
  uint8_t dscp;
  uint8_t priority;
  uint8_t slots;
  uint8_t reserved;
  uint32_t message_bytes;
  uint64_t bytes;         /* in all; 0 = unlimited */
  uint64_t local_address; /* slot 0 */
  uint32_t slot_bytes;
  uint32_t seed;
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
  char text[248];              /* sentence for people, zero-terminated; empty if all is well */
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

struct boot_block {
  uint32_t magic;
  uint32_t version;
  uint32_t header_bytes; /* sizeof(struct boot_block) */
  uint32_t total_bytes;  /* block, arrays and scratch */
  uint32_t host_id;
  uint32_t flags;     /* enum boot_flags */
  uint64_t ram_bytes; /* from BOOT_RAM_BASE */
  uint64_t end_ns;    /* the application stops here and writes BOOT_STATE_DONE */
  /* Bytes of each received message that are verified; 0 = all. A slow processor checks a sample
   * that moves through the message from one message to the next. */
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
};

DCC_ASSERT_SIZE(boot_tx_flow, 72);
DCC_ASSERT_OFFSET(boot_tx_flow, dscp, 16);
DCC_ASSERT_OFFSET(boot_tx_flow, bytes, 24);
DCC_ASSERT_OFFSET(boot_tx_flow, slot_bytes, 64);
DCC_ASSERT_SIZE(boot_rx_flow, 48);
DCC_ASSERT_OFFSET(boot_rx_flow, bytes, 24);
DCC_ASSERT_SIZE(boot_result, 384);
DCC_ASSERT_OFFSET(boot_result, text, 136);
DCC_ASSERT_SIZE(boot_tx_result, 48);
DCC_ASSERT_SIZE(boot_rx_result, 40);
DCC_ASSERT_OFFSET(boot_block, ram_bytes, 24);
DCC_ASSERT_OFFSET(boot_block, verify_bytes, 40);
DCC_ASSERT_OFFSET(boot_block, nic, 80);
DCC_ASSERT_OFFSET(boot_block, controller, 120);
DCC_ASSERT_OFFSET(boot_block, result, 960);
DCC_ASSERT_SIZE(boot_block, 1344);

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

/* Fills in every size and offset of `block` from tx_count, rx_count, queue_pairs and nic's ring
 * lengths; the platform calls it before it writes the arrays. total_bytes tells where message
 * buffers may begin; it saturates at UINT32_MAX, which no RAM holds. */
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
  block->total_bytes = at > UINT32_MAX ? UINT32_MAX : (uint32_t)at;
}

#ifdef __cplusplus
}
#endif

#endif
