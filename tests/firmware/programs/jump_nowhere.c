/* Calls a function pointer to an address without memory. The trap handler of the runtime reports
 * the fault. */
#include <stdint.h>
int main(void) {
  void (*volatile nowhere)(void) = (void (*)(void))(uintptr_t)0x20000000u;
  nowhere();
  return 0;
}
