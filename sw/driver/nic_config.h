/* The configuration of the NIC. The boot block contains the structure, so its layout is fixed. */
#ifndef DCC_DRIVER_NIC_CONFIG_H
#define DCC_DRIVER_NIC_CONFIG_H

#include "driver/fixed_layout.h"
#include "driver/nic_regs.h"

#ifdef __cplusplus
extern "C" {
#endif

enum nic_ack_mode { NIC_ACK_NONE = 0, NIC_ACK_PER_PACKET = 1, NIC_ACK_PER_MESSAGE = 2 };

struct nic_config {
  /* number of entries of the send ring, a power of two, 2 … 32768 */
  uint32_t send_ring_entries;
  /* number of entries of the completion ring, a power of two, 2 … 32768 */
  uint32_t completion_ring_entries;
  /* parameters of the NIC, one register for each member (driver/nic_regs.h) */
  struct nic_parameters parameters;
  uint8_t ack_mode;        /* mode of acknowledgements, enum nic_ack_mode */
  uint8_t cnp_enable;      /* 1: a CE mark triggers a CNP */
  uint8_t cnp_carry_marks; /* 1: CNPs carry the count of CE marks */
  uint8_t irq_count;       /* number of completions that trigger an interrupt, 1 … 255 */
  /* longest delay between a completion and its interrupt; 0 = no delay */
  uint16_t irq_delay_us;
  uint16_t reserved;
  /* first address of the window [base, base + bytes) that remote writes may access */
  uint64_t memory_base;
  uint32_t memory_bytes; /* bytes of the window for remote writes; 0 refuses all remote writes */
  uint32_t reserved2;
};

DCC_ASSERT_SIZE(nic_parameters, 4 * NIC_PARAMETER_REGISTERS);
DCC_ASSERT_OFFSET(nic_config, parameters, 8);
DCC_ASSERT_OFFSET(nic_config, memory_base, (16 + sizeof(struct nic_parameters) + 7) / 8 * 8);
DCC_ASSERT_SIZE(nic_config, offsetof(struct nic_config, memory_base) + 16);

#ifdef __cplusplus
}
#endif

#endif
