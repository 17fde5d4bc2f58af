/* The NIC's configuration as software holds it. Lives in the boot block: fixed layout. */
#ifndef DCC_DRIVER_NIC_CONFIG_H
#define DCC_DRIVER_NIC_CONFIG_H

#include "driver/fixed_layout.h"

#ifdef __cplusplus
extern "C" {
#endif

enum nic_ack_mode { NIC_ACK_NONE = 0, NIC_ACK_PER_PACKET = 1, NIC_ACK_PER_MESSAGE = 2 };

struct nic_config {
  uint32_t send_ring_entries;       /* power of two, 2 … 32768 */
  uint32_t completion_ring_entries; /* power of two, 2 … 32768 */
  uint32_t mtu;                     /* payload bytes of a packet, 64 … 9000 */
  uint8_t ack_mode;                 /* enum nic_ack_mode */
  uint8_t cnp_enable;               /* 1: a CE mark is answered by a CNP */
  uint8_t cnp_carry_marks;          /* 1: CNPs carry the count of CE marks */
  uint8_t irq_count;                /* completions per interrupt at most waited for, 1 … 255 */
  uint32_t cnp_interval_ns;         /* least distance of two CNPs of a flow */
  uint8_t cnp_dscp;                 /* 0 … 63 */
  uint8_t cnp_priority;             /* 0 … 7 */
  uint16_t irq_delay_us;            /* longest wait of a completion for its interrupt; 0 = none */
  uint64_t memory_base;             /* remote writes may touch [base, base + bytes) */
  uint32_t memory_bytes;            /* 0 refuses all remote writes */
  uint32_t reserved;
};

DCC_ASSERT_SIZE(nic_config, 40);
DCC_ASSERT_OFFSET(nic_config, ack_mode, 12);
DCC_ASSERT_OFFSET(nic_config, memory_base, 24);

#ifdef __cplusplus
}
#endif

#endif
