/* Prints a line for each test of user mode, memory protection, atomic operations and their CSRs.
 * The program must print the same lines on this platform's CPU and on QEMU's machine virt. */
#include <inttypes.h>
#include <stdio.h>

#include "driver/memory_map.h"
#include "machine.h"
#include "trap.h"

#define QEMU_FINISHER 0x00100000u
#define QEMU_PASS 0x5555u
#define MSTATUS_MPP 0x1800u
#define MSTATUS_MPRV 0x20000u
#define USER_ECALL 8u

enum { R = 1, W = 2, X = 4, TOR = 1 << 3, NA4 = 2 << 3, NAPOT = 3 << 3, LOCK = 0x80 };

static uint32_t arena[64] __attribute__((aligned(256)));
static volatile uint32_t stopped_by;
static uint32_t machine_sp;

static void set_entry(unsigned entry, uint32_t config, uint32_t address) {
  switch (entry) {
    case 0:
      __asm__ volatile("csrw pmpaddr0, %0" ::"r"(address));
      break;
    case 1:
      __asm__ volatile("csrw pmpaddr1, %0" ::"r"(address));
      break;
    case 2:
      __asm__ volatile("csrw pmpaddr2, %0" ::"r"(address));
      break;
    default:
      __asm__ volatile("csrw pmpaddr3, %0" ::"r"(address));
      break;
  }
  const uint32_t old = MACHINE_CSR_READ(pmpcfg0);
  const unsigned shift = 8 * entry;
  __asm__ volatile("csrw pmpcfg0, %0" ::"r"((old & ~(0xFFu << shift)) | config << shift));
}

static uint32_t napot(const void* base, uint32_t size) {
  return (uint32_t)(uintptr_t)base >> 2 | (size / 8 - 1);
}

/* Prints a trap. A trap from user mode ends the user code and returns to run_user. */
static void print_trap(struct trap_frame* frame) {
  const uint32_t mstatus = MACHINE_CSR_READ(mstatus);
  printf("  cause %" PRIu32, frame->mcause);
  if (frame->mcause != TRAP_BREAKPOINT) printf(" mtval %08" PRIx32, frame->mtval);
  printf(" mstatus %08" PRIx32 "\n", mstatus & 0x21888u);
  stopped_by = frame->mcause;
  if ((mstatus & MSTATUS_MPP) == 0) {
    MACHINE_CSR_SET(mstatus, MSTATUS_MPP);
    frame->mepc = machine_sp; /* address at which run_user continues */
  } else {
    frame->mepc += trap_instruction_bytes(frame->mepc);
  }
}

/* Runs `code` in user mode with a0 = `argument` until the code traps. Returns the cause of the
 * trap. */
static uint32_t run_user(void (*code)(void), uint32_t argument) {
  register uint32_t a0 __asm__("a0") = argument;
  __asm__ volatile(
      "la t0, 1f\n sw t0, %[back]\n"
      "csrw mepc, %[code]\n"
      "li t0, 0x1800\n csrc mstatus, t0\n"
      "mret\n"
      ".balign 4\n 1:"
      : "+r"(a0), [back] "=m"(machine_sp)
      : [code] "r"(code)
      : "t0", "t1", "t2", "memory");
  return a0;
}

#define USER(name, text) \
  __attribute__((naked, aligned(64))) static void name(void) { __asm__ volatile(text); }

USER(user_call, "li a0, 5\n ecall")
USER(user_load, "lw a0, 0(a0)\n ecall")
USER(user_byte, "lbu a0, 0(a0)\n ecall")
USER(user_store, "sw a0, 0(a0)\n ecall")
USER(user_jump, "jr a0")
USER(user_mret, "mret\n ecall")
USER(user_mstatus, "csrr a0, mstatus\n ecall")
USER(user_mscratch, "csrw mscratch, a0\n ecall")
USER(user_cycle, "rdcycle a0\n li a0, 1\n ecall")
USER(user_instret, "rdinstret a0\n li a0, 2\n ecall")
USER(user_ebreak, "ebreak\n ecall")
USER(user_atomic, ".option push\n.option arch, +a\n amoadd.w a0, a0, (a0)\n ecall\n.option pop")
USER(user_reserve,
     ".option push\n.option arch, +a\n lr.w t0, (a0)\n sc.w a0, a0, (a0)\n ecall\n.option pop")

static void attempt(const char* text, void (*code)(void), uint32_t argument) {
  printf("%s\n", text);
  const uint32_t result = run_user(code, argument);
  if (stopped_by == USER_ECALL) printf("  a0 %08" PRIx32 "\n", result);
}

static void user_mode(void) {
  set_entry(3, NAPOT | R | W | X, 0xFFFFFFFF);
  attempt("environment call", user_call, 0);
  attempt("mret", user_mret, 0);
  attempt("read mstatus", user_mstatus, 0);
  attempt("write mscratch", user_mscratch, 0);
  attempt("ebreak", user_ebreak, 0);
  __asm__ volatile("csrw mcounteren, zero");
  attempt("cycle, not allowed", user_cycle, 0);
  attempt("instret, not allowed", user_instret, 0);
  __asm__ volatile("csrw mcounteren, %0" ::"r"(1));
  attempt("cycle, allowed", user_cycle, 0);
  attempt("instret, still not allowed", user_instret, 0);
  __asm__ volatile("csrw mcounteren, %0" ::"r"(4));
  attempt("instret, allowed", user_instret, 0);
}

static void permissions(void) {
  static const unsigned kinds[] = {0, R, R | W, X, R | X, R | W | X};
  const uint32_t at = (uint32_t)(uintptr_t)&arena[8];
  for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    printf("permission %u\n", kinds[i]);
    set_entry(0, NAPOT | kinds[i], napot(&arena[8], 32));
    arena[8] = 0x00000073; /* the instruction ecall */
    attempt(" load", user_load, at);
    attempt(" store", user_store, at);
    arena[8] = 0x00000073;
    __asm__ volatile("fence.i" ::: "memory");
    attempt(" jump", user_jump, at);
  }
}

static void ranges(void) {
  const uint32_t base = (uint32_t)(uintptr_t)arena;
  set_entry(3, NAPOT | X, 0xFFFFFFFF);
  for (uint32_t size = 8; size <= 128; size *= 2) {
    printf("naturally aligned, %" PRIu32 " bytes\n", size);
    set_entry(0, NAPOT | R, napot(arena, size));
    attempt(" first", user_load, base);
    attempt(" last byte", user_byte, base + size - 1);
    attempt(" behind", user_load, base + size);
  }
  set_entry(0, NA4 | R, (base + 4) >> 2);
  attempt("four bytes: before", user_load, base);
  attempt("four bytes: there", user_load, base + 4);
  attempt("four bytes: behind", user_load, base + 8);
  set_entry(0, 0, (base + 16) >> 2);
  set_entry(1, TOR | R | W, (base + 32) >> 2);
  attempt("top of range: before", user_load, base + 12);
  attempt("top of range: bottom", user_store, base + 16);
  attempt("top of range: top", user_store, base + 28);
  attempt("top of range: behind", user_load, base + 32);
  set_entry(2, NAPOT | R | W, napot(arena, 256));
  set_entry(0, NAPOT | R, napot(arena, 64));
  attempt("priority: first entry", user_store, base + 20);
  attempt("priority: second entry", user_store, base + 80);
  set_entry(1, 0, 0);
  attempt("atomic where only reading is allowed", user_atomic, base);
  attempt("reservation where only reading is allowed", user_reserve, base);
  attempt("atomic where both are allowed", user_atomic, base + 128);
  attempt("reservation where both are allowed", user_reserve, base + 128);
}

static void machine_view(void) {
  const uint32_t base = (uint32_t)(uintptr_t)arena;
  set_entry(0, NAPOT | R, napot(arena, 64));
  printf("the machine ignores an open entry\n");
  arena[0] = 7;
  printf("  %" PRIu32 "\n", arena[0]);
  printf("MPRV: as a user\n");
  set_entry(2, 0, 0);
  __asm__ volatile(
      "csrc mstatus, %2\n csrs mstatus, %1\n lw t1, 0(%0)\n"
      ".option push\n .option norvc\n lw t1, 64(%0)\n .option pop\n"
      "li t1, 0x20000\n csrc mstatus, t1"
      :
      : "r"(base), "r"(MSTATUS_MPRV), "r"(MSTATUS_MPP)
      : "t1", "memory");
  printf("locked\n");
  set_entry(0, NAPOT | R | LOCK, napot(arena, 64));
  set_entry(0, NAPOT | R | W, napot(arena, 128));
  printf("  pmpcfg0 %08" PRIx32 " pmpaddr0 %s\n", (uint32_t)MACHINE_CSR_READ(pmpcfg0) & 0xFFu,
         MACHINE_CSR_READ(pmpaddr0) == napot(arena, 64) ? "kept" : "changed");
  __asm__ volatile("sw zero, 0(%0)" ::"r"(base) : "memory");
  __asm__ volatile("lw t1, 0(%0)" ::"r"(base) : "t1", "memory");
  __asm__ volatile("sw zero, 64(%0)" ::"r"(base) : "memory");
}

static void counters(void) {
  uint32_t a;
  uint32_t b;
  uint32_t c;
  __asm__ volatile("csrw minstreth, %0" ::"r"(3));
  printf("minstreth %" PRIu32 "\n", (uint32_t)MACHINE_CSR_READ(minstreth));
  __asm__ volatile("csrw mcycleh, %0" ::"r"(9));
  printf("mcycleh %" PRIu32 "\n", (uint32_t)MACHINE_CSR_READ(mcycleh));
  __asm__ volatile(
      "csrw mcountinhibit, %3\n csrr %0, minstret\n nop\n csrr %1, minstret\n"
      "csrr %2, mcountinhibit\n csrw mcountinhibit, zero"
      : "=&r"(a), "=&r"(b), "=&r"(c)
      : "r"(5));
  printf("inhibited: %s, mcountinhibit %" PRIu32 "\n", a == b ? "stands" : "counts", c & 5u);
  printf("misa %08" PRIx32 "\n", (uint32_t)MACHINE_CSR_READ(misa) & 0x00101105u);
}

static void finish_qemu(struct trap_frame* frame) {
  (void)frame;
  machine_write32(QEMU_FINISHER, QEMU_PASS);
  for (;;) {
  }
}

int main(void) {
  trap_set_exception_handler(print_trap);
  user_mode();
  permissions();
  ranges();
  machine_view();
  counters();
  trap_set_exception_handler(finish_qemu);
  machine_exit(0);
}
