/* Prints a line for each tested trap, CSR and interrupt. The program must print the same lines on
 * this platform's CPU and on QEMU's machine virt. */
#include <inttypes.h>
#include <stdio.h>

#include "driver/memory_map.h"
#include "machine.h"
#include "trap.h"

#define QEMU_FINISHER 0x00100000u
#define QEMU_PASS 0x5555u
#define NOWHERE 0x08000000u

static volatile uint32_t resume_at;
static volatile uint32_t trapped;

static void print_trap(struct trap_frame* frame) {
  const uint32_t mstatus = MACHINE_CSR_READ(mstatus);
  ++trapped;
  printf("  trap cause %08" PRIx32, frame->mcause);
  /* The value of mtval after ebreak depends on the implementation. */
  if (frame->mcause != TRAP_BREAKPOINT) printf(" mtval %08" PRIx32, frame->mtval);
  printf(" mepc %08" PRIx32 " mstatus %08" PRIx32 "\n", frame->mepc, mstatus & 0x1888u);
  if (frame->mcause == TRAP_FETCH_FAULT) {
    frame->mepc = resume_at;
  } else if ((frame->mcause & 0x80000000u) == 0) {
    frame->mepc += trap_instruction_bytes(frame->mepc);
  }
}

static void on_software(struct trap_frame* frame) {
  machine_set_software_interrupt(0);
  print_trap(frame);
}

static void on_timer(struct trap_frame* frame) {
  machine_set_timer(UINT64_MAX);
  print_trap(frame);
}

#define SHOW(text, ...)            \
  do {                             \
    printf("%s\n", text);          \
    __asm__ volatile(__VA_ARGS__); \
  } while (0)

static void exceptions(void) {
  SHOW("ecall", "ecall");
  SHOW("ebreak", ".option push\n .option norvc\n ebreak\n .option pop");
  SHOW("c.ebreak", "c.ebreak");
  SHOW("illegal word of ones", ".word 0xffffffff");
  SHOW("illegal opcode", ".word 0x0000007b");
  SHOW("reserved shift", ".word 0x02029293");
  SHOW("reserved funct7", ".word 0x045282b3");
  SHOW("reserved load width", ".word 0x0002b283");
  SHOW("reserved branch", ".word 0x00002063");
  SHOW("zero halfword", ".2byte 0");
  SHOW("c.addi4spn 0", ".2byte 0x0004");
  SHOW("c.lui 0", ".2byte 0x6281");
  SHOW("c.addi16sp 0", ".2byte 0x6101");
  SHOW("c.lwsp x0", ".2byte 0x4002");
  SHOW("c.jr x0", ".2byte 0x8002");
  SHOW("c.subw", ".2byte 0x9c05");
  SHOW("unknown csr", "csrr t0, 0x5c0" ::: "t0");
  SHOW("write read-only csr", "csrw mhartid, t0");
  SHOW("set read-only csr", "csrs mvendorid, sp");
  SHOW("load from nowhere", "li t0, %0\n lw t1, 4(t0)" ::"i"(NOWHERE) : "t0", "t1");
  SHOW("byte load from nowhere", "li t0, %0\n lbu t1, 3(t0)" ::"i"(NOWHERE) : "t0", "t1");
  SHOW("store to nowhere", "li t0, %0\n sw t1, -8(t0)" ::"i"(NOWHERE + 64) : "t0", "t1");
  SHOW("half store to nowhere", "li t0, %0\n sh t1, 2(t0)" ::"i"(NOWHERE) : "t0", "t1");
  SHOW("jump to nowhere", "la t0, 1f\n sw t0, %0\n li t0, %1\n jr t0\n 1:"
       : "=m"(resume_at)
       : "i"(NOWHERE + 2)
       : "t0", "memory");
  SHOW("odd jump target", "la t0, 1f\n sw t0, %0\n li t0, %1\n jalr t1, 5(t0)\n 1:"
       : "=m"(resume_at)
       : "i"(NOWHERE)
       : "t0", "t1", "memory");
}

#define SHOW_CSR(name, mask, value)                                                 \
  do {                                                                              \
    uint32_t shown;                                                                 \
    const uint32_t old = MACHINE_CSR_READ(name);                                    \
    __asm__ volatile("csrw " #name ", %0" ::"r"(value));                            \
    __asm__ volatile("csrr %0, " #name : "=r"(shown));                              \
    __asm__ volatile("csrw " #name ", %0" ::"r"(old));                              \
    printf("%-8s <- %08" PRIx32 " reads %08" PRIx32 "\n", #name, (uint32_t)(value), \
           shown&(uint32_t)(mask));                                                 \
  } while (0)

static void registers(void) {
  machine_set_timer(UINT64_MAX); /* the reset value depends on the implementation */
  SHOW_CSR(mscratch, 0xffffffff, 0xdeadbeef);
  SHOW_CSR(mepc, 0xfffffffe, 0xffffffff); /* against the rule QEMU lets bit 0 be written */
  SHOW_CSR(mepc, 0xffffffff, 0x80000002);
  SHOW_CSR(mcause, 0xffffffff, 0x8000000b);
  SHOW_CSR(mtval, 0xffffffff, 0x12345678);
  SHOW_CSR(mtvec, 0xffffffff, 0x80001000);
  SHOW_CSR(mtvec, 0xffffffff, 0x80001001);
  SHOW_CSR(mie, 0x888, 0xffffffff);
  SHOW_CSR(mie, 0x888, 0x80);
  SHOW_CSR(mstatus, 0x88, 0x80); /* QEMU's hart has user mode, so MPP is writable */
  SHOW_CSR(mip, 0x888, 0xffffffff);
  printf("misa %08" PRIx32 "\n", (uint32_t)(MACHINE_CSR_READ(misa) & 0xC0001104u));
  printf("mhartid %08" PRIx32 "\n", (uint32_t)MACHINE_CSR_READ(mhartid));
  uint32_t a;
  uint32_t b;
  __asm__ volatile("csrw mscratch, %2\n csrrs %0, mscratch, %3\n csrrc %1, mscratch, %4"
                   : "=&r"(a), "=&r"(b)
                   : "r"(0xF0), "r"(0x0F), "r"(0x3C));
  printf("csrrs %" PRIx32 " csrrc %" PRIx32 " then %" PRIx32 "\n", a, b,
         (uint32_t)MACHINE_CSR_READ(mscratch));
  __asm__ volatile("csrwi mscratch, 21\n csrrsi %0, mscratch, 10\n csrrci %1, mscratch, 7"
                   : "=&r"(a), "=&r"(b));
  printf("csrrsi %" PRIx32 " csrrci %" PRIx32 " then %" PRIx32 "\n", a, b,
         (uint32_t)MACHINE_CSR_READ(mscratch));
}

static void interrupts(void) {
  trap_set_interrupt_handler(TRAP_SOFTWARE, on_software);
  trap_set_interrupt_handler(TRAP_TIMER, on_timer);
  machine_set_timer(UINT64_MAX);
  printf("mip quiet %08" PRIx32 "\n", (uint32_t)(MACHINE_CSR_READ(mip) & 0x888));
  machine_set_software_interrupt(1);
  machine_set_timer(0);
  printf("mip both %08" PRIx32 "\n", (uint32_t)(MACHINE_CSR_READ(mip) & 0x888));
  puts("enabled in mie only");
  MACHINE_CSR_SET(mie, 1u << TRAP_SOFTWARE | 1u << TRAP_TIMER);
  printf("  %" PRIu32 " traps\n", trapped);
  puts("wfi with a line up");
  machine_sleep();
  puts("enabled in mstatus: software first, then timer");
  resume_at = 0;
  machine_enable_interrupts();
  machine_disable_interrupts();
  printf("mip after %08" PRIx32 "\n", (uint32_t)(MACHINE_CSR_READ(mip) & 0x888));
  /* Interrupts are enabled only after the timer's interrupt is pending. The value of mepc then does
   * not depend on the timer's speed, and no wake-up is lost between the check and wfi. */
  puts("wfi until the timer");
  machine_set_timer(machine_time_ns() + 1000);
  while ((MACHINE_CSR_READ(mip) & 1u << TRAP_TIMER) == 0) machine_sleep();
  machine_enable_interrupts();
  machine_disable_interrupts();
}

__attribute__((naked, aligned(256))) static void vectors(void) {
  __asm__ volatile(
      ".option push\n .option norvc\n"
      "j 1f\n j 1f\n j 1f\n j 2f\n j 1f\n j 1f\n j 1f\n j 3f\n j 1f\n j 1f\n j 1f\n j 1f\n"
      "1: li a0, 0\n j 4f\n"
      "2: li a0, 3\n j 4f\n"
      "3: li a0, 7\n"
      "4: csrw mie, zero\n la t0, 5f\n csrw mepc, t0\n mret\n"
      "5: csrci mstatus, 8\n ret\n"
      ".option pop");
}

/* Sets mtvec to the table `vectors` and takes an interrupt enabled by `mie`, or an ecall. Returns
 * the number of the table entry that was entered. */
static uint32_t through_vectors(uint32_t mie) {
  const uint32_t old = MACHINE_CSR_READ(mtvec);
  register uint32_t entry __asm__("a0") = 99;
  __asm__ volatile(
      "csrw mtvec, %1\n csrw mie, %2\n"
      "la ra, 1f\n csrsi mstatus, 8\n"
      "nop\n ecall\n 1:"
      : "+r"(entry)
      : "r"((uint32_t)(uintptr_t)vectors | 1u), "r"(mie)
      : "ra", "t0", "memory");
  __asm__ volatile("csrw mtvec, %0" ::"r"(old));
  return entry;
}

static void vectored(void) {
  machine_set_timer(UINT64_MAX);
  machine_set_software_interrupt(0);
  printf("vectored ecall: entry %" PRIu32 "\n", through_vectors(0));
  machine_set_timer(0);
  printf("vectored timer: entry %" PRIu32 "\n", through_vectors(1u << TRAP_TIMER));
  machine_set_software_interrupt(1);
  printf("vectored both: entry %" PRIu32 "\n",
         through_vectors(1u << TRAP_TIMER | 1u << TRAP_SOFTWARE));
  machine_set_software_interrupt(0);
  machine_set_timer(UINT64_MAX);
}

static void finish_qemu(struct trap_frame* frame) {
  (void)frame;
  machine_write32(QEMU_FINISHER, QEMU_PASS);
  for (;;) {
  }
}

int main(void) {
  trap_set_exception_handler(print_trap);
  exceptions();
  registers();
  interrupts();
  vectored();
  /* QEMU has no device at the address of our exit register. */
  trap_set_exception_handler(finish_qemu);
  machine_exit(0);
}
