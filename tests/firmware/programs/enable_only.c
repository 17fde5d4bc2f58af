/* Enables the controller without writing any of its tables. */
#include "driver/dcc_regs.h"
#include "machine.h"

int main(void) {
  machine_write32(DCC_BASE + DCC_CTRL_OFFSET, DCC_CTRL_ENABLE_MASK);
  return 0;
}
