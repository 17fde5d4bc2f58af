/* The two tasks, in user mode: one computes and never yields, the other prints received words. */
#include "syscall.h"

enum { RESULTS = 3, ROUNDS = 20000 };

_Noreturn void task_worker(void) {
  for (uint32_t result = 1; result <= RESULTS; ++result) {
    uint32_t x = result;
    for (uint32_t i = 0; i < ROUNDS; ++i) {
      x ^= x << 13;
      x ^= x >> 17;
      x ^= x << 5;
    }
    task_send(FROM_WORKER | (x & 0xFFFF));
  }
  task_send(WORKER_DONE);
  task_print("worker: reaches for the kernel's memory\n");
  kernel_secret = 0;
  task_print("worker: and got there\n");
  task_exit();
}

static char* put_hex(char* at, uint32_t value, unsigned digits) {
  while (digits-- > 0) *at++ = "0123456789abcdef"[value >> (4 * digits) & 15];
  return at;
}

static char* put_text(char* at, const char* text) {
  while (*text != '\0') *at++ = *text++;
  return at;
}

_Noreturn void task_reporter(void) {
  char line[64]; /* a buffer on the task's stack */
  char heard[32];
  unsigned letters = 0;
  for (int working = 1, listening = 1; working || listening;) {
    const uint32_t word = task_receive();
    char* at = line;
    switch (word & 0xFF000000u) {
      case FROM_WORKER:
        at = put_hex(put_text(at, "reporter: the worker has "), word & 0xFFFF, 4);
        break;
      case FROM_SERIAL:
        if ((char)word != '\n') {
          if (letters < sizeof heard - 1) heard[letters++] = (char)word;
          continue;
        }
        heard[letters] = '\0';
        at = put_text(put_text(at, "reporter: the serial port has "), heard);
        listening = 0;
        break;
      case FROM_NETWORK:
        at = put_text(at, "reporter: messages sent and received, ");
        at = put_hex(at, word & 0xFFFF, 4);
        listening = 0;
        break;
      default:
        at = put_text(at, "reporter: the worker is done");
        working = 0;
    }
    *at++ = '\n';
    *at = '\0';
    task_print(line);
  }
  task_print("reporter: done\n");
  task_exit();
}
