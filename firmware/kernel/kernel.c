/* The kernel: traps, the scheduling of tasks, the queue between them, and the serial port's
 * driver.
 */
#include "kernel.h"

#include <inttypes.h>
#include <stdio.h>

#include "app/traffic_app.h"
#include "driver/irq_regs.h"
#include "driver/memory_map.h"
#include "machine.h"
#include "syscall.h"
#include "trap.h"

#define INTERRUPT_FLAG 0x80000000u
#define SLICE_NS 20000u

enum { PMP_R = 1, PMP_W = 2, PMP_X = 4, PMP_TOR = 1 << 3, PMP_NAPOT = 3 << 3 };

/* State of a task; for a waiting task, a7 holds the system call that it waits in. */
enum task_state { TASK_READY, TASK_WAITS, TASK_ENDED };

static struct task {
  const char* name;
  struct task_context context;
  enum task_state state;
} tasks[KERNEL_TASKS];

/* Memory that a task may write, with its stack; size and alignment are a power of two, for the
 * PMP. */
static uint8_t memories[KERNEL_TASKS][KERNEL_TASK_BYTES]
    __attribute__((aligned(KERNEL_TASK_BYTES)));

static struct task* running;
static uint32_t queue[KERNEL_QUEUE_WORDS];
static unsigned queue_first;
static unsigned queue_count;
static unsigned preemptions;
static unsigned serial_interrupts;

/* State of the network, if the host has one: application and drivers run here, in machine mode. */
static const struct hal hal;
static struct traffic_app network;
static struct traffic_work network_work;
static enum { NETWORK_ABSENT, NETWORK_RUNS, NETWORK_ENDED, NETWORK_TOLD } network_state;
static int serving_network;
volatile uint32_t kernel_secret = 0x600D;

extern char __text_end[];
void kernel_trap_entry(void);
void kernel_trap(struct task_context* context);
void kernel_fault(void);

/* ---- memory of the running task ---- */

static void protect_all(void) {
  const uint32_t code = DCC_RAM_BASE >> 2;
  const uint32_t code_end = (uint32_t)(uintptr_t)__text_end >> 2;
  __asm__ volatile("csrw pmpaddr0, %0\n csrw pmpaddr1, %1" ::"r"(code), "r"(code_end));
  __asm__ volatile(
      "csrw pmpcfg0, %0" ::"r"((PMP_TOR | PMP_R | PMP_X) << 8 | (PMP_NAPOT | PMP_R | PMP_W) << 16));
}

static void open_memory_of(unsigned task) {
  const uint32_t address = (uint32_t)(uintptr_t)memories[task];
  __asm__ volatile("csrw pmpaddr2, %0" ::"r"(address >> 2 | (KERNEL_TASK_BYTES / 8 - 1)));
}

/* Length of a text that a task passes, or 0 if the task may not read all of it. */
static unsigned readable_text(const struct task* task, uint32_t address) {
  const uint32_t own = (uint32_t)(uintptr_t)memories[task - tasks];
  uint32_t end = 0;
  if (address - own < KERNEL_TASK_BYTES) end = own + KERNEL_TASK_BYTES;
  if (address >= DCC_RAM_BASE && address < (uint32_t)(uintptr_t)__text_end) {
    end = (uint32_t)(uintptr_t)__text_end;
  }
  for (uint32_t at = address; at < end; ++at) {
    if (*(const char*)(uintptr_t)at == '\0') return at - address;
  }
  return 0;
}

/* ---- the queue ---- */

static int queue_put(uint32_t word) {
  if (queue_count == KERNEL_QUEUE_WORDS) return 0;
  queue[(queue_first + queue_count++) % KERNEL_QUEUE_WORDS] = word;
  return 1;
}

static int queue_take(uint32_t* word) {
  if (queue_count == 0) return 0;
  *word = queue[queue_first];
  queue_first = (queue_first + 1) % KERNEL_QUEUE_WORDS;
  --queue_count;
  return 1;
}

/* ---- the serial port ---- */

/* A character that finds the queue full stays in the port. The interrupt is enabled again when a
 * word leaves the queue, and the port is then served again. */
static void serve_serial_port(void) {
  const uint32_t source = machine_read32(DCC_INTERRUPT_CONTROLLER_BASE + IRQ_CLAIM_OFFSET);
  if (source == IRQ_SOURCE_UART) {
    if (queue_count < KERNEL_QUEUE_WORDS) {
      ++serial_interrupts;
      queue_put(FROM_SERIAL | (machine_read32(DCC_UART_BASE + DCC_UART_DATA) & 0xFF));
    } else {
      machine_write32(DCC_UART_BASE + DCC_UART_IRQ_ENABLE, 0);
    }
  }
  machine_write32(DCC_INTERRUPT_CONTROLLER_BASE + IRQ_COMPLETE_OFFSET, source);
}

static void start_serial_port(void) {
  machine_write32(DCC_INTERRUPT_CONTROLLER_BASE + IRQ_ENABLE_OFFSET, 1u << IRQ_SOURCE_UART);
  machine_write32(DCC_UART_BASE + DCC_UART_IRQ_ENABLE, 1);
}

/* ---- the network ---- */

/* Machine functions for the drivers (driver/hal.h). While tasks are scheduled the drivers never
 * sleep: the interrupt or the end of a time slice returns to serve_network(). */
int firmware_wait_for_interrupt(uint64_t deadline_ns) {
  for (;;) {
    if ((MACHINE_CSR_READ(mip) & 1u << TRAP_EXTERNAL) != 0) return 1;
    if (serving_network || machine_time_ns() >= deadline_ns) return 0;
  }
}

static void serve_network(void) {
  if (network_state == NETWORK_RUNS) {
    serving_network = 1;
    /* Printing takes time, so the result is printed before the end of the run. */
    if (!traffic_app_step(&network) || traffic_app_work_done(&network, network_work)) {
      traffic_app_finish(&network);
      network_state = NETWORK_ENDED;
    }
    serving_network = 0;
  }
  if (network_state == NETWORK_ENDED) {
    const struct boot_result* const result = &network.block->result;
    const uint32_t messages = (uint32_t)(result->messages_completed + result->messages_received);
    if (queue_put(FROM_NETWORK | (messages & 0xFFFF))) network_state = NETWORK_TOLD;
  }
}

static void serve_device(void) {
  if (network_state == NETWORK_ABSENT) {
    serve_serial_port();
  } else {
    serve_network();
  }
}

static void start_device(void) {
  if (traffic_app_start(&network, &hal, BOOT_BLOCK_ADDRESS) == TRAFFIC_OK) {
    network_work = traffic_app_work(&network);
    network_state = NETWORK_RUNS;
  } else {
    start_serial_port();
  }
}

/* ---- system calls ---- */

/* Completes the system call of a waiting task if that is possible now. */
static void serve(struct task* task) {
  uint32_t* const a0 = &task->context.x[10];
  int done = 1;
  switch (task->context.x[17]) {
    case SYSCALL_PRINT:
      if (readable_text(task, *a0) != 0) fputs((const char*)(uintptr_t)*a0, stdout);
      break;
    case SYSCALL_SEND:
      done = queue_put(*a0);
      break;
    case SYSCALL_RECEIVE:
      done = queue_take(a0);
      if (done) machine_write32(DCC_UART_BASE + DCC_UART_IRQ_ENABLE, 1);
      break;
    default:
      task->state = TASK_ENDED;
      return;
  }
  task->state = done ? TASK_READY : TASK_WAITS;
}

static void end_for(struct task* task, uint32_t mcause) {
  printf("kernel: the %s is ended: %s%s\n", task->name, trap_name(mcause),
         MACHINE_CSR_READ(mtval) == (uint32_t)(uintptr_t)&kernel_secret ? " at the secret" : "");
  task->state = TASK_ENDED;
}

/* ---- scheduling ---- */

static struct task* next_ready(void) {
  for (unsigned i = 1; i <= KERNEL_TASKS; ++i) {
    struct task* const task = &tasks[((unsigned)(running - tasks) + i) % KERNEL_TASKS];
    if (task->state == TASK_WAITS) serve(task);
    if (task->state == TASK_READY) return task;
  }
  return 0;
}

static int all_ended(void) {
  for (unsigned i = 0; i < KERNEL_TASKS; ++i) {
    if (tasks[i].state != TASK_ENDED) return 0;
  }
  return network_state == NETWORK_ABSENT || network_state == NETWORK_TOLD;
}

static _Noreturn void give_turn(void) {
  for (;;) {
    struct task* const task = next_ready();
    if (task != 0) {
      running = task;
      open_memory_of((unsigned)(task - tasks));
      machine_set_timer(machine_time_ns() + SLICE_NS);
      kernel_enter(&task->context);
    }
    if (all_ended()) break;
    /* Interrupts are disabled here: this loop serves pending interrupts. */
    machine_set_timer(network_state == NETWORK_RUNS ? machine_time_ns() + SLICE_NS : UINT64_MAX);
    machine_sleep();
    if (network_state != NETWORK_ABSENT || (MACHINE_CSR_READ(mip) & 1u << TRAP_EXTERNAL) != 0) {
      serve_device();
    }
  }
  printf("kernel: %u interrupts of the %s, tasks preempted: %s, secret %s\n",
         network_state == NETWORK_ABSENT ? serial_interrupts : (unsigned)network.block->result.irqs,
         network_state == NETWORK_ABSENT ? "serial port" : "network",
         preemptions > 0 ? "yes" : "no", kernel_secret == 0x600D ? "kept" : "lost");
  machine_exit(0);
}

void kernel_trap(struct task_context* context) {
  struct task* const task = running;
  const uint32_t mcause = MACHINE_CSR_READ(mcause);
  switch (mcause) {
    case INTERRUPT_FLAG | TRAP_TIMER:
      ++preemptions;
      serve_network();
      break;
    case INTERRUPT_FLAG | TRAP_EXTERNAL:
      serve_device();
      break;
    case TRAP_ECALL_FROM_USER:
      context->pc += 4;
      serve(task);
      break;
    default:
      end_for(task, mcause);
  }
  give_turn();
}

void kernel_fault(void) {
  printf("kernel: a trap of its own: %s at 0x%08" PRIx32 "\n", trap_name(MACHINE_CSR_READ(mcause)),
         MACHINE_CSR_READ(mepc));
  machine_exit(1);
}

static void add_task(unsigned index, const char* name, void (*begin)(void)) {
  tasks[index].name = name;
  tasks[index].context.pc = (uint32_t)(uintptr_t)begin;
  tasks[index].context.x[2] = (uint32_t)(uintptr_t)(memories[index] + KERNEL_TASK_BYTES);
  __asm__ volatile("mv %0, gp" : "=r"(tasks[index].context.x[3]));
}

int main(void) {
  printf("kernel: %d tasks in user mode, turns of %u us\n", KERNEL_TASKS, SLICE_NS / 1000);
  add_task(0, "worker", task_worker);
  add_task(1, "reporter", task_reporter);
  protect_all();
  start_device();
  __asm__ volatile("csrw mscratch, zero\n csrw mtvec, %0" ::"r"(kernel_trap_entry));
  MACHINE_CSR_SET(mie, 1u << TRAP_EXTERNAL | 1u << TRAP_TIMER);
  running = &tasks[KERNEL_TASKS - 1];
  give_turn();
}
