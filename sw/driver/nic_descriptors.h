/* The NIC's descriptors in host memory: work requests from software and completions from the NIC.
 *
 * A NIC has one send ring of work queue entries, one receive ring and one completion ring, all in
 * host RAM, all a power of two in length. Indices are free-running 16-bit counts; an entry's place
 * is its index modulo the ring's length.
 *
 * Send ring. Software fills entry `tail`, advances its tail and writes it to SQ_TAIL (the
 * doorbell). The NIC fetches entries in ring order, moves each to its queue pair's own list and
 * advances SQ_HEAD: a slow queue pair does not hold up the others. The ring is full when
 * tail - head equals its length. An entry may be reused as soon as SQ_HEAD has passed it; the
 * payload it points to may not before its completion.
 *
 * Receive ring. The receive ring works like the send ring, with RQ_TAIL and RQ_HEAD. Each entry is
 * a buffer for one SEND to the queue pair that the entry names; a queue pair takes its entries in
 * the order in which they were posted. A reliable sender repeats a SEND for which no entry is
 * posted (receiver not ready); other senders lose the SEND. A datagram's buffer begins with
 * NIC_DATAGRAM_HEADER_BYTES, of which the last twenty bytes are the datagram's IPv4 header. Buffers
 * of receive entries, of RDMA READs and of atomic operations lie in the window of MR_BASE and
 * MR_LENGTH.
 *
 * Completion ring. The NIC writes entry `tail` in one burst and advances CQ_TAIL. `phase` is 1 in
 * the NIC's first turn through the ring, 0 in the second, and so on, and is the entry's last byte:
 * software that zeroed the ring reads forward while the phase is the expected one, without a
 * register access. Software gives entries back by writing CQ_HEAD. While the ring is full the NIC
 * keeps further completions to itself, in order, and writes them when there is room again.
 *
 * Work requests of one queue pair complete in the order in which they were posted. A request
 * without NIC_WQE_SIGNALED completes silently, unless it fails: errors are always reported. */
#ifndef DCC_DRIVER_NIC_DESCRIPTORS_H
#define DCC_DRIVER_NIC_DESCRIPTORS_H

#include "driver/fixed_layout.h"
#include "driver/nic_regs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Ring lengths that the NIC accepts: powers of two in this range. */
enum {
  NIC_RING_ENTRIES_MIN = 1 << NIC_SQ_SIZE_LOG2_VALUE_MIN,
  NIC_RING_ENTRIES_MAX = 1 << NIC_SQ_SIZE_LOG2_VALUE_MAX,
};
#define NIC_MESSAGE_BYTES_MAX UINT32_C(0x80000000)
/* Alignment of rings in bytes. */
enum { NIC_RING_ALIGNMENT = 64 };

enum nic_wqe_opcode {
  NIC_WQE_RDMA_WRITE = 1,           /* write `length` bytes to remote_address */
  NIC_WQE_RDMA_WRITE_IMMEDIATE = 2, /* RDMA_WRITE with a completion at the receiver */
  NIC_WQE_SEND = 3,                 /* send `length` bytes into a buffer posted by the receiver */
  NIC_WQE_SEND_IMMEDIATE = 4,       /* SEND with `immediate`; not for datagrams */
  NIC_WQE_RDMA_READ = 5,            /* fetch `length` bytes from remote_address to local_address */
  /* Atomic operations on the eight bytes at remote_address, a multiple of eight; the previous
   * value is stored at local_address. `length` is 8. */
  NIC_WQE_COMPARE_SWAP = 6, /* stores swap_or_add if the value equals `compare` */
  NIC_WQE_FETCH_ADD = 7,    /* adds swap_or_add to the remote value, modulo 2^64 */
};

enum { NIC_ATOMIC_BYTES = 8 };

enum nic_wqe_flags {
  NIC_WQE_SIGNALED = 1 << 0, /* request a completion on success, not only on failure */
};

/* Work queue entry of the send ring, 64 bytes. */
struct nic_wqe {
  uint8_t opcode; /* operation, enum nic_wqe_opcode */
  uint8_t flags;  /* options, enum nic_wqe_flags */
  uint16_t reserved0;
  uint32_t qpn;            /* local queue pair, also the flow number of the controller; 24 bits */
  uint64_t wr_id;          /* chosen by software; returned in the completion */
  uint64_t local_address;  /* address of the payload in this host's memory */
  uint64_t remote_address; /* address of the destination in the receiver's memory */
  uint32_t length;         /* length of the payload in bytes, 1 … 2^31 */
  uint32_t immediate;      /* immediate of RDMA WRITE and SEND with immediate */
  /* receiving host of a datagram, since the queue pair of a datagram has no peer */
  uint32_t remote_host;
  uint32_t remote_qpn;  /* receiving queue pair of a datagram */
  uint64_t swap_or_add; /* operand of an atomic operation */
  uint64_t compare;     /* operand of a compare-and-swap */
};

/* Receive queue entry of the receive ring, 32 bytes. */
struct nic_rqe {
  uint32_t qpn;     /* queue pair that takes the buffer */
  uint32_t length;  /* bytes of the receive buffer, 1 … 2^31 */
  uint64_t wr_id;   /* chosen by software; returned in the completion */
  uint64_t address; /* address of the receive buffer */
  uint64_t reserved;
};

/* Bytes before a datagram's payload: 20 reserved bytes and the IPv4 header. */
enum { NIC_DATAGRAM_HEADER_BYTES = 40 };

enum nic_cqe_status {
  NIC_CQE_OK = 0,
  NIC_CQE_LOCAL_ERROR = 1,    /* bad opcode or length, or the local address cannot be read */
  NIC_CQE_REMOTE_ERROR = 2,   /* the remote host refuses access to the remote address */
  NIC_CQE_RETRY_EXCEEDED = 3, /* the request got no acknowledgement after all retries */
  /* the request was not executed: the queue pair had failed or was closed */
  NIC_CQE_FLUSHED = 4,
  NIC_CQE_NOT_READY = 5,      /* the remote queue pair had no receive entry, after all retries */
  NIC_CQE_REMOTE_INVALID = 6, /* a SEND longer than its receive entry, or an atomic operation at an
                               * address that is no multiple of eight */
  NIC_CQE_LENGTH_ERROR = 7,   /* a received SEND was longer than its buffer */
};

enum nic_cqe_opcode {
  NIC_CQE_SEND_DONE = 1,         /* a posted request is acknowledged (or has failed) */
  NIC_CQE_RECEIVE_IMMEDIATE = 2, /* an RDMA WRITE with immediate has arrived and is in memory */
  NIC_CQE_RECEIVE = 3,           /* a SEND has arrived and is in its buffer, or the entry failed */
  NIC_CQE_RECEIVE_SEND_IMMEDIATE = 4, /* a SEND with immediate has arrived and is in its buffer */
};

/* Completion queue entry of the completion ring, 32 bytes. */
struct nic_cqe {
  uint64_t wr_id;        /* wr_id of the request or receive entry; 0 for RECEIVE_IMMEDIATE */
  uint64_t timestamp_ns; /* simulated time of the last ACK, or of the last byte in memory */
  uint32_t byte_len;     /* bytes of the whole message, including the header of a datagram */
  /* immediate as sent, or the sender's queue pair if the message is a datagram */
  uint32_t immediate;
  uint32_t qpn;   /* local queue pair of the completed request */
  uint8_t status; /* result of the request, enum nic_cqe_status */
  uint8_t opcode; /* kind of the completion, enum nic_cqe_opcode */
  uint8_t reserved;
  /* phase bit of the ring's turn, in the last byte that the NIC writes of an entry */
  uint8_t phase;
};

DCC_ASSERT_SIZE(nic_wqe, 64);
DCC_ASSERT_OFFSET(nic_wqe, opcode, 0);
DCC_ASSERT_OFFSET(nic_wqe, flags, 1);
DCC_ASSERT_OFFSET(nic_wqe, qpn, 4);
DCC_ASSERT_OFFSET(nic_wqe, wr_id, 8);
DCC_ASSERT_OFFSET(nic_wqe, local_address, 16);
DCC_ASSERT_OFFSET(nic_wqe, remote_address, 24);
DCC_ASSERT_OFFSET(nic_wqe, length, 32);
DCC_ASSERT_OFFSET(nic_wqe, immediate, 36);
DCC_ASSERT_OFFSET(nic_wqe, remote_host, 40);
DCC_ASSERT_OFFSET(nic_wqe, remote_qpn, 44);
DCC_ASSERT_OFFSET(nic_wqe, swap_or_add, 48);
DCC_ASSERT_OFFSET(nic_wqe, compare, 56);

DCC_ASSERT_SIZE(nic_rqe, 32);
DCC_ASSERT_OFFSET(nic_rqe, length, 4);
DCC_ASSERT_OFFSET(nic_rqe, wr_id, 8);
DCC_ASSERT_OFFSET(nic_rqe, address, 16);

DCC_ASSERT_SIZE(nic_cqe, 32);
DCC_ASSERT_OFFSET(nic_cqe, wr_id, 0);
DCC_ASSERT_OFFSET(nic_cqe, timestamp_ns, 8);
DCC_ASSERT_OFFSET(nic_cqe, byte_len, 16);
DCC_ASSERT_OFFSET(nic_cqe, immediate, 20);
DCC_ASSERT_OFFSET(nic_cqe, qpn, 24);
DCC_ASSERT_OFFSET(nic_cqe, status, 28);
DCC_ASSERT_OFFSET(nic_cqe, opcode, 29);
DCC_ASSERT_OFFSET(nic_cqe, phase, 31);

#ifdef __cplusplus
}
#endif

#endif
