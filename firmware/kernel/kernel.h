/* A small preemptive kernel in machine mode with two tasks in user mode. Each task sees the
 * program's code and constants, and the task's own memory. System calls are in syscall.h. */
#ifndef DCC_FIRMWARE_KERNEL_H
#define DCC_FIRMWARE_KERNEL_H

#include <stdint.h>

enum { KERNEL_TASKS = 2, KERNEL_TASK_BYTES = 4096, KERNEL_QUEUE_WORDS = 4 };

/* Registers of a suspended task; switch.S depends on their order. */
struct task_context {
  uint32_t x[32]; /* the entry x[0] is unused */
  uint32_t pc;
};

/* Enters user mode with the registers of `context`; the next trap calls kernel_trap(). */
_Noreturn void kernel_enter(struct task_context* context);

#endif
