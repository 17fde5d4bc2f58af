/* Driver of the RDMA NIC: rings, queue pairs, work requests, completions. Portable C11 without
 * dynamic memory: the caller keeps `struct nic` and gives the places of the rings in host RAM.
 * Descriptor formats and ring protocol: driver/nic_descriptors.h. */
#ifndef DCC_DRIVER_NIC_DRIVER_H
#define DCC_DRIVER_NIC_DRIVER_H

#include <stdint.h>

#include "driver/hal.h"
#include "driver/nic_config.h"
#include "driver/nic_descriptors.h"
#include "driver/nic_regs.h"

#ifdef __cplusplus
extern "C" {
#endif

enum nic_error {
  NIC_OK = 0,
  NIC_ERROR_ID,
  NIC_ERROR_VERSION,
  NIC_ERROR_NOT_READY,
  NIC_ERROR_RING_ENTRIES,
  NIC_ERROR_RING_ADDRESS,
  NIC_ERROR_ACK_MODE,
  NIC_ERROR_CNP,
  NIC_ERROR_COALESCE,
  NIC_ERROR_QUEUE_PAIR,
  NIC_ERROR_DSCP,
  NIC_ERROR_PRIORITY,
  NIC_ERROR_QUEUE_PAIR_REFUSED,
  NIC_ERROR_LENGTH,
  NIC_ERROR_RING_FULL,
  NIC_ERROR_SERVICE,
  NIC_ERROR_WEIGHT,
  NIC_ERROR_READ_BACK,
  NIC_ERROR_OUTSIDE_RANGE, /* this plus an enum nic_parameter: the parameter is outside its range */
  NIC_ERRORS = NIC_ERROR_OUTSIDE_RANGE + NIC_PARAMETER_REGISTERS,
};

/* Returns the error as a sentence for users; never NULL. */
const char* nic_error_text(enum nic_error error);
const char* nic_cqe_status_text(uint32_t status);

struct nic {
  const struct hal* hal;
  uint64_t base;
  uint32_t queue_pairs;    /* number of queue pairs, from register CAPS; their numbers begin at 0 */
  uint32_t link_rate_mbps; /* rate of the NIC's link, from register CAPS */
  uint32_t host_id;
  struct nic_wqe* send_ring;
  volatile struct nic_cqe* completion_ring;
  uint32_t send_entries;
  uint32_t completion_entries;
  uint16_t send_tail; /* count of entries that software has written into the send ring */
  /* count of send ring entries that the doorbell has announced to the NIC */
  uint16_t send_doorbell;
  uint16_t send_head; /* count of send ring entries that the NIC has fetched, as last read */
  uint16_t completion_head;
  struct nic_rqe* receive_ring; /* null until nic_start_receives starts the receive ring */
  uint32_t receive_entries;
  uint16_t receive_tail;
  uint16_t receive_doorbell;
  uint16_t receive_head;
  volatile uint32_t*
      /* counter of completions that nic_reap took; null: nic_reap does not count */
      completions_held;
};

/* Finds the NIC at `base`: checks ID and version, waits until the NIC is ready. */
enum nic_error nic_probe(struct nic* nic, const struct hal* hal, uint64_t base);

/* Resets the NIC, clears the send and the completion ring, programs `config` and enables the NIC.
 * The rings lie in host RAM at multiples of NIC_RING_ALIGNMENT and stay there. Interrupts remain
 * masked. */
enum nic_error nic_start(struct nic* nic, const struct nic_config* config, uint64_t send_ring,
                         uint64_t completion_ring);
void nic_stop(struct nic* nic);

/* Gives the started NIC a receive ring, which SEND and datagrams need. The ring lies in host RAM at
 * a multiple of NIC_RING_ALIGNMENT; `entries` is a power of two. */
enum nic_error nic_start_receives(struct nic* nic, uint64_t receive_ring, uint32_t entries);

struct nic_queue_pair {
  uint32_t qpn; /* local queue pair, below nic.queue_pairs; also the controller's flow number */
  uint32_t remote_host;
  uint32_t remote_qpn;
  uint8_t dscp;     /* DSCP of the queue pair's packets, 0 … 63 */
  uint8_t priority; /* 802.1p priority of the queue pair's packets, 0 … 7 */
  /* transport service, NIC_QP_SERVICE_SERVICE_RC, _UC or _UD; UD ignores the remote end */
  uint8_t service;
};
enum nic_error nic_create_queue_pair(struct nic* nic, const struct nic_queue_pair* queue_pair);
enum nic_error nic_destroy_queue_pair(struct nic* nic, uint32_t qpn);
/* Gives a queue pair another DSCP while it sends. Packets that the NIC makes from then on have the
 * DSCP, and the congestion controller counts the flow to the class of the DSCP at once. The 802.1p
 * priority stays. NIC_ERROR_QUEUE_PAIR_REFUSED: the queue pair does not exist or has failed, or the
 * NIC's transport or congestion control cannot change the class of a running flow; nothing was
 * changed. */
enum nic_error nic_change_class(struct nic* nic, uint32_t qpn, uint32_t dscp);
/* Sets the weight of a DSCP (1.0 = 256) for congestion-control algorithms that use weights. */
enum nic_error nic_set_weight(struct nic* nic, uint32_t dscp, uint32_t weight_q8_8);

struct nic_write {
  uint32_t qpn;
  uint64_t wr_id;
  uint64_t local_address;
  uint64_t remote_address;
  uint32_t length;
  uint8_t with_immediate; /* 1: the RDMA WRITE has an immediate */
  uint8_t signaled;       /* 1: the NIC reports a completion also after success */
  uint32_t immediate;
};
/* Puts a work request into the send ring. The NIC fetches the request at the next
 * nic_ring_doorbell, so a batch of requests costs one register write. NIC_ERROR_RING_FULL: nothing
 * was posted, and the caller may try again later. */
enum nic_error nic_post_write(struct nic* nic, const struct nic_write* write);

struct nic_send {
  uint32_t qpn;
  uint64_t wr_id;
  uint64_t local_address;
  uint32_t length;        /* payload bytes of the message; for a datagram at most the MTU */
  uint8_t with_immediate; /* 1: the SEND has an immediate; must be 0 for a datagram */
  uint8_t signaled;
  uint32_t immediate;
  uint32_t remote_host; /* receiving host; only datagrams use this member */
  uint32_t remote_qpn;  /* receiving queue pair; only datagrams use this member */
};
/* Sends a message into the oldest receive entry of the remote queue pair. */
enum nic_error nic_post_send(struct nic* nic, const struct nic_send* send);

struct nic_read {
  uint32_t qpn;
  uint64_t wr_id;
  /* address of the destination buffer, within the window of struct nic_config */
  uint64_t local_address;
  uint64_t remote_address;
  uint32_t length;
  uint8_t signaled;
};
/* Posts an RDMA READ, which completes when the bytes are in local memory. */
enum nic_error nic_post_read(struct nic* nic, const struct nic_read* read);

struct nic_atomic {
  uint32_t qpn;
  uint64_t wr_id;
  /* address that receives the previous eight bytes, within the window of struct nic_config */
  uint64_t local_address;
  uint64_t remote_address; /* address of the eight remote bytes, a multiple of eight */
  uint64_t swap_or_add;
  uint64_t compare; /* operand of a compare-and-swap; fetch-and-add ignores this member */
  uint8_t signaled;
};
/* Posts an atomic operation. No access at the remote end, not even one of the remote processor,
 * changes the bytes between the operation's read and write. The operation is executed exactly once,
 * even if packets are lost. */
enum nic_error nic_post_compare_swap(struct nic* nic, const struct nic_atomic* atomic);
enum nic_error nic_post_fetch_add(struct nic* nic, const struct nic_atomic* atomic);

/* Posts a buffer to the receive ring. The buffer must lie in the window of struct nic_config. */
enum nic_error nic_post_receive(struct nic* nic, const struct nic_rqe* receive);

/* Rings the doorbells of both rings: the NIC fetches all posted entries. */
void nic_ring_doorbell(struct nic* nic);

/* Copies up to `room` completions in order, frees their ring entries and returns their number. */
uint32_t nic_reap(struct nic* nic, struct nic_cqe* completions, uint32_t room);

/* Causes of the NIC's interrupt, as bits of IRQ_STATUS (NIC_IRQ_STATUS_…_MASK). */
void nic_enable_interrupts(struct nic* nic, uint32_t causes);
/* Returns the enabled interrupt causes that are active and clears them. Call nic_reap afterwards,
 * not before, so that no completion is missed. */
uint32_t nic_take_interrupts(struct nic* nic);

struct nic_refused_access {
  uint32_t address;
  uint32_t code;
  uint32_t write;
};
void nic_read_refused_access(struct nic* nic, struct nic_refused_access* access);

/* Reads all counters of the NIC. The two words of a counter belong together; different counters are
 * read one after the other. */
void nic_read_statistics(struct nic* nic, struct nic_statistics* statistics);

#ifdef __cplusplus
}
#endif

#endif
