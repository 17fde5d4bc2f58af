/* Accesses the serial port's registers in random sequences, most of them in loopback mode. */
#include "driver/memory_map_virt.h"
#include "sequences.h"

#define LOOPBACK 0x10u
#define DIVISOR 0x80u
#define OPERATIONS 8

static uint8_t get(uint32_t reg) { return read8(VIRT_UART_BASE + reg); }
static void set(uint32_t reg, uint32_t value) { write8(VIRT_UART_BASE + reg, value); }
static void show(uint32_t reg) { keep(" r%lu=%02x", (unsigned long)reg, get(reg)); }
static void put(uint32_t reg, uint32_t value) {
  set(reg, value);
  keep(" w%lu=%02lx", (unsigned long)reg, (unsigned long)value & 0xFF);
}

static void set_divisor(uint32_t divisor) {
  set(VIRT_UART_LCR, DIVISOR | 3);
  set(VIRT_UART_DATA, divisor & 0xFF);
  set(VIRT_UART_IER, divisor >> 8);
  set(VIRT_UART_LCR, 3);
}

static void reset_values(void) {
  keep("reset:");
  for (uint32_t reg = 1; reg < 8; ++reg) show(reg);
  set(VIRT_UART_LCR, DIVISOR);
  keep(" divisor");
  show(VIRT_UART_DATA);
  show(VIRT_UART_IER);
  set(VIRT_UART_LCR, 0);
  keep(" data");
  show(VIRT_UART_DATA);
  keep("\n");
}

/* A sequence of random operations. With the greatest divisor no character leaves the port and no
 * receive timeout occurs. */
static void sequence(unsigned number, uint32_t mcr) {
  keep("sequence %u:", number);
  put(VIRT_UART_MCR, mcr);
  for (int i = 0; i < OPERATIONS; ++i) {
    switch (random_below(13)) {
      case 0:
      case 1:
      case 2:
        if ((mcr & LOOPBACK) != 0) put(VIRT_UART_DATA, random_bits());
        break;
      case 3:
      case 4:
        show(VIRT_UART_DATA);
        break;
      case 5:
        put(VIRT_UART_IER, random_bits());
        break;
      case 6:
        show(VIRT_UART_IIR_FCR);
        break;
      case 7:
        show(VIRT_UART_LSR);
        break;
      case 8:
        put(VIRT_UART_IIR_FCR, random_bits() & (random_below(3) != 0 ? 0xC9 : 0xFF));
        break;
      case 9:
        show(VIRT_UART_MSR);
        break;
      case 10:
        put(VIRT_UART_SCR, random_bits());
        show(VIRT_UART_SCR);
        break;
      case 11:
        put(VIRT_UART_LCR, random_bits() & 0x3F);
        show(VIRT_UART_LCR);
        break;
      default:
        show(VIRT_UART_IER);
        show(VIRT_UART_MCR);
        break;
    }
  }
  show(VIRT_UART_IIR_FCR);
  show(VIRT_UART_LSR);
  keep("\n");
}

/* Fills the FIFO to each level and beyond its capacity. */
static void fifo(uint32_t control) {
  keep("fifo %02lx:", (unsigned long)control);
  set(VIRT_UART_MCR, LOOPBACK);
  set(VIRT_UART_IER, 0x05);
  set(VIRT_UART_IIR_FCR, control | 7);
  for (uint32_t i = 0; i < 18; ++i) {
    set(VIRT_UART_DATA, 'a' + i);
    keep(" %02x", get(VIRT_UART_IIR_FCR));
  }
  show(VIRT_UART_LSR);
  show(VIRT_UART_LSR);
  for (uint32_t i = 0; i < 18; ++i) keep(" %02x/%02x", get(VIRT_UART_DATA), get(VIRT_UART_IIR_FCR));
  keep("\n");
}

static void wait_ns(uint64_t ns) {
  const uint64_t end = machine_time_ns() + ns;
  while (machine_time_ns() < end) {
  }
}

/* Received bytes below the trigger level cause an interrupt after four character times. */
static void timeout(uint32_t bytes, uint32_t divisor) {
  set_divisor(divisor);
  set(VIRT_UART_MCR, LOOPBACK);
  set(VIRT_UART_IER, 1);
  set(VIRT_UART_IIR_FCR, 0xC7);
  keep("timeout %lu/%lu:", (unsigned long)bytes, (unsigned long)divisor);
  for (uint32_t i = 0; i < bytes; ++i) set(VIRT_UART_DATA, i);
  show(VIRT_UART_IIR_FCR);
  wait_ns(divisor * 1000000ull);
  show(VIRT_UART_IIR_FCR);
  show(VIRT_UART_DATA);
  show(VIRT_UART_IIR_FCR);
  wait_ns(divisor * 1000000ull);
  show(VIRT_UART_IIR_FCR);
  set(VIRT_UART_IIR_FCR, 0xC3);
  show(VIRT_UART_IIR_FCR);
  keep("\n");
}

int main(void) {
  reset_values();
  set_divisor(0xFFFF);
  for (unsigned i = 1; i <= 230; ++i) {
    sequence(i, random_below(4) != 0 ? LOOPBACK | random_below(16) : random_below(256) & ~LOOPBACK);
  }
  for (uint32_t level = 0; level < 4; ++level) fifo(level << 6);
  for (uint32_t bytes = 1; bytes < 14; bytes += 4) timeout(bytes, 1);
  timeout(14, 1);
  timeout(2, 3);
  set_divisor(12);
  set(VIRT_UART_MCR, 0);
  set(VIRT_UART_IER, 0);
  set(VIRT_UART_IIR_FCR, 0);
  print_kept();
  return 0;
}
