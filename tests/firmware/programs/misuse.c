/* Misuses registers of the controller and of the NIC in every possible way, for the transaction
 * trace. */
#include "driver/dcc_regs.h"
#include "driver/memory_map.h"
#include "driver/nic_regs.h"
#include "machine.h"
#include "trap.h"

static void skip(struct trap_frame* frame) { frame->mepc += trap_instruction_bytes(frame->mepc); }

int main(void) {
  trap_set_exception_handler(skip);
  machine_write32(DCC_BASE + DCC_ID_OFFSET, 1);                    /* read-only register */
  (void)machine_read32(DCC_BASE + 0x0FFC);                         /* unmapped address */
  *(volatile uint8_t*)(uintptr_t)(DCC_BASE + DCC_CTRL_OFFSET) = 1; /* writes a byte of a register */
  machine_write32(DCC_BASE + DCC_TICK_DIV_OFFSET, 1);              /* a value below the range */
  machine_write32(NIC_BASE + NIC_QP_STATUS_OFFSET, 5);             /* read-only register */
  (void)machine_read32(0x40200000u);                               /* an address without a device */
  machine_write32(DCC_BASE + DCC_CTRL_OFFSET, 1);                  /* a legal write at the end */
  return 0;
}
