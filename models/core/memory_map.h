/* Where things lie in a host's address space: the one source for models, firmware, linker script
 * and assembler. Preprocessor constants only, so that all of them can include it. Bytes.
 * (The register maps of controller, NIC and interrupt controller have headers of their own, whose
 * base addresses models/tlm/firmware_host.cpp compares with these.) */
#ifndef DCC_MEMORY_MAP_H
#define DCC_MEMORY_MAP_H

/* Timer and software interrupt, laid out as SiFive's CLINT. */
#define DCC_CLINT_BASE 0x02000000
#define DCC_CLINT_BYTES 0x10000
#define DCC_CLINT_MSIP 0x0        /* RW, bit 0: software interrupt */
#define DCC_CLINT_MTIMECMP 0x4000 /* RW, 64 bit: timer interrupt while mtime >= mtimecmp */
#define DCC_CLINT_MTIME 0xBFF8    /* RW, 64 bit: simulated nanoseconds */

#define DCC_INTERRUPT_CONTROLLER_BASE 0x0C000000
#define DCC_INTERRUPT_CONTROLLER_BYTES 0x1000

#define DCC_UART_BASE 0x10000000
#define DCC_UART_BYTES 0x1000
#define DCC_UART_DATA 0x0       /* write: send a byte; read: next received byte, 0 if none */
#define DCC_UART_STATUS 0x4     /* RO, bit 0: a byte was received; bit 1: can send (always) */
#define DCC_UART_IRQ_ENABLE 0x8 /* RW, bit 0: interrupt while a received byte waits */

/* The way out of the simulation. */
#define DCC_SIM_CONTROL_BASE 0x10010000
#define DCC_SIM_CONTROL_BYTES 0x1000
#define DCC_SIM_CONTROL_EXIT 0x0    /* WO: ends the program with this exit code */
#define DCC_SIM_CONTROL_PUTCHAR 0x4 /* WO: a character for the simulator's console */

#define DCC_CONTROLLER_BASE 0x40000000
#define DCC_CONTROLLER_BYTES 0x100000
#define DCC_NIC_BASE 0x40100000
#define DCC_NIC_BYTES 0x10000

#define DCC_RAM_BASE 0x80000000
#define DCC_RAM_DEFAULT_BYTES 0x400000
/* The first MiB of RAM: firmware's code, data and stack. */
#define DCC_IMAGE_BYTES 0x100000
#define DCC_STACK_BYTES 0x10000

#endif
