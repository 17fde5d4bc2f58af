/* Calls a function pointer that points to nothing; the runtime's handler reports it. */
#include <stdint.h>
int main(void) {
  void (*volatile nowhere)(void) = (void (*)(void))(uintptr_t)0x20000000u;
  nowhere();
  return 0;
}
