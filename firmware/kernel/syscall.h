/* System calls of the kernel: environment calls with the number in a7. */
#ifndef DCC_FIRMWARE_SYSCALL_H
#define DCC_FIRMWARE_SYSCALL_H

#include <stdint.h>

enum syscall_number {
  /* prints the text at the address in a0, which lies in the task's memory or in the program */
  SYSCALL_PRINT,
  SYSCALL_SEND,    /* sends the word in a0 to the queue; blocks while the queue is full */
  SYSCALL_RECEIVE, /* returns the queue's oldest word in a0; blocks while the queue is empty */
  SYSCALL_EXIT,    /* ends the calling task */
  SYSCALLS,
};

static inline uint32_t syscall(enum syscall_number number, uint32_t argument) {
  register uint32_t a0 __asm__("a0") = argument;
  register uint32_t a7 __asm__("a7") = (uint32_t)number;
  __asm__ volatile("ecall" : "+r"(a0) : "r"(a7) : "memory");
  return a0;
}

static inline void task_print(const char* text) {
  syscall(SYSCALL_PRINT, (uint32_t)(uintptr_t)text);
}
static inline void task_send(uint32_t word) { syscall(SYSCALL_SEND, word); }
static inline uint32_t task_receive(void) { return syscall(SYSCALL_RECEIVE, 0); }
static inline _Noreturn void task_exit(void) {
  for (;;) syscall(SYSCALL_EXIT, 0);
}

/* Origin of a word in the queue, in its highest byte. */
enum {
  FROM_WORKER = 1u << 24,
  FROM_SERIAL = 2u << 24,  /* the word carries a character of the serial line */
  FROM_NETWORK = 3u << 24, /* the word carries the number of messages sent and received */
  WORKER_DONE = 4u << 24,
};

/* Entry functions of the tasks, defined in tasks.c. */
_Noreturn void task_worker(void);
_Noreturn void task_reporter(void);
/* A variable of the kernel that no task may access. */
extern volatile uint32_t kernel_secret;

#endif
