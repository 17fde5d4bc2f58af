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

/* The error as a sentence for users; never NULL. */
const char* nic_error_text(enum nic_error error);
const char* nic_cqe_status_text(uint32_t status);

struct nic {
  const struct hal* hal;
  uint64_t base;
  uint32_t queue_pairs;    /* from CAPS: queue pairs have numbers 0 … queue_pairs - 1 */
  uint32_t link_rate_mbps; /* from CAPS */
  uint32_t host_id;
  struct nic_wqe* send_ring;
  volatile struct nic_cqe* completion_ring;
  uint32_t send_entries;
  uint32_t completion_entries;
  uint16_t send_tail;     /* entries written by software */
  uint16_t send_doorbell; /* entries announced to the NIC by the doorbell */
  uint16_t send_head;     /* entries that the NIC has fetched, as last read */
  uint16_t completion_head;
  struct nic_rqe* receive_ring; /* null until nic_start_receives */
  uint32_t receive_entries;
  uint16_t receive_tail;
  uint16_t receive_doorbell;
  uint16_t receive_head;
  volatile uint32_t*
      completions_held; /* counter of completions that nic_reap took; null: not counted */
};

/* Finds the NIC at `base`: checks ID and version, waits until it is ready. */
enum nic_error nic_probe(struct nic* nic, const struct hal* hal, uint64_t base);

/* Resets the NIC, clears both rings, programs `config` and enables it. The rings lie in host RAM at
 * multiples of NIC_RING_ALIGNMENT and stay there. Interrupts are still masked. */
enum nic_error nic_start(struct nic* nic, const struct nic_config* config, uint64_t send_ring,
                         uint64_t completion_ring);
void nic_stop(struct nic* nic);

/* Gives the started NIC a receive ring, which SEND and datagrams need: host RAM at a multiple of
 * NIC_RING_ALIGNMENT, `entries` a power of two as for the other rings. */
enum nic_error nic_start_receives(struct nic* nic, uint64_t receive_ring, uint32_t entries);

struct nic_queue_pair {
  uint32_t qpn; /* local queue pair, below nic.queue_pairs; also the controller's flow number */
  uint32_t remote_host;
  uint32_t remote_qpn;
  uint8_t dscp;     /* 0 … 63 */
  uint8_t priority; /* 0 … 7 */
  uint8_t service;  /* NIC_QP_SERVICE_SERVICE_RC, _UC or _UD; a datagram's remote end is ignored */
};
enum nic_error nic_create_queue_pair(struct nic* nic, const struct nic_queue_pair* queue_pair);
enum nic_error nic_destroy_queue_pair(struct nic* nic, uint32_t qpn);
/* Gives a queue pair another DSCP while it sends: packets made from then on have it, and the
 * congestion controller counts the flow to that class at once. The 802.1p priority stays.
 * NIC_ERROR_QUEUE_PAIR_REFUSED: the queue pair does not exist or has failed, or the NIC's transport
 * or congestion control cannot change the class of a running flow; nothing was changed. */
enum nic_error nic_change_class(struct nic* nic, uint32_t qpn, uint32_t dscp);
/* Sets the weight of a DSCP, 1.0 = 256, for congestion controls of the NIC that follow weights. */
enum nic_error nic_set_weight(struct nic* nic, uint32_t dscp, uint32_t weight_q8_8);

struct nic_write {
  uint32_t qpn;
  uint64_t wr_id;
  uint64_t local_address;
  uint64_t remote_address;
  uint32_t length;
  uint8_t with_immediate; /* 1: RDMA WRITE with immediate */
  uint8_t signaled;       /* 1: completion on success as well */
  uint32_t immediate;
};
/* Puts a work request into the send ring; the NIC learns of it at the next nic_ring_doorbell, so a
 * batch costs one register write. NIC_ERROR_RING_FULL: nothing was posted, try again later. */
enum nic_error nic_post_write(struct nic* nic, const struct nic_write* write);

struct nic_send {
  uint32_t qpn;
  uint64_t wr_id;
  uint64_t local_address;
  uint32_t length;        /* for a datagram at most the MTU */
  uint8_t with_immediate; /* must be 0 for a datagram */
  uint8_t signaled;
  uint32_t immediate;
  uint32_t remote_host; /* datagrams only */
  uint32_t remote_qpn;  /* datagrams only */
};
/* Sends a message into the oldest receive entry of the remote queue pair. */
enum nic_error nic_post_send(struct nic* nic, const struct nic_send* send);

struct nic_read {
  uint32_t qpn;
  uint64_t wr_id;
  uint64_t local_address; /* within the window of struct nic_config */
  uint64_t remote_address;
  uint32_t length;
  uint8_t signaled;
};
/* Posts an RDMA READ; its completion comes when the bytes are in memory. */
enum nic_error nic_post_read(struct nic* nic, const struct nic_read* read);

struct nic_atomic {
  uint32_t qpn;
  uint64_t wr_id;
  uint64_t local_address;  /* receives the previous eight bytes, as data of a READ */
  uint64_t remote_address; /* a multiple of eight */
  uint64_t swap_or_add;
  uint64_t compare; /* compare-and-swap only */
  uint8_t signaled;
};
/* Posts an atomic operation. Nothing at the remote end, the remote processor included, changes the
 * bytes between its read and its write. The operation is executed exactly once, even if packets are
 * lost. */
enum nic_error nic_post_compare_swap(struct nic* nic, const struct nic_atomic* atomic);
enum nic_error nic_post_fetch_add(struct nic* nic, const struct nic_atomic* atomic);

/* Posts a buffer to the receive ring. The buffer must lie in the window of struct nic_config. */
enum nic_error nic_post_receive(struct nic* nic, const struct nic_rqe* receive);

/* Rings the doorbells of both rings: the NIC fetches all posted entries. */
void nic_ring_doorbell(struct nic* nic);

/* Copies up to `room` completions in order, frees their ring entries and returns their number. */
uint32_t nic_reap(struct nic* nic, struct nic_cqe* completions, uint32_t room);

/* Causes of an interrupt, as bits of IRQ_STATUS (NIC_IRQ_STATUS_…_MASK). */
void nic_enable_interrupts(struct nic* nic, uint32_t causes);
/* Returns the enabled causes that are active and clears them. Call nic_reap after it, not before,
 * so that no completion is missed. */
uint32_t nic_take_interrupts(struct nic* nic);

struct nic_refused_access {
  uint32_t address;
  uint32_t code;
  uint32_t write;
};
void nic_read_refused_access(struct nic* nic, struct nic_refused_access* access);

/* Reads all counters. Each counter is consistent in itself; they are read one after the other. */
void nic_read_statistics(struct nic* nic, struct nic_statistics* statistics);

#ifdef __cplusplus
}
#endif

#endif
