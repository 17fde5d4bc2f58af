/* A small preemptive kernel in machine mode with two tasks in user mode: each sees the program's
 * code and constants, and its own memory. What tasks can ask for is in syscall.h. */
#ifndef DCC_FIRMWARE_KERNEL_H
#define DCC_FIRMWARE_KERNEL_H

#include <stdint.h>

enum { KERNEL_TASKS = 2, KERNEL_TASK_BYTES = 4096, KERNEL_QUEUE_WORDS = 4 };

/* Registers of a task that does not run; the order is that of switch.S. */
struct task_context {
  uint32_t x[32]; /* x[0] unused */
  uint32_t pc;
};

/* Enters user mode where `context` stands; comes back by kernel_trap(). */
_Noreturn void kernel_enter(struct task_context* context);

#endif
