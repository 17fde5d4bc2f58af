/* Writes a read-only register. The trap handler of the runtime reports the fault. */
#include "driver/memory_map.h"
#include "machine.h"
__attribute__((noinline)) static void write_status(void) {
  machine_write32(DCC_UART_BASE + DCC_UART_STATUS, 1);
}
int main(void) {
  write_status();
  return 0;
}
