#include "register_test.h"

#include <inttypes.h>
#include <stdio.h>

#include "driver/dcc_regs.h"
#include "driver/memory_map.h"
#include "driver/nic_regs.h"
#include "machine.h"
#include "trap.h"

enum register_kind { REGISTER_RO, REGISTER_RW, REGISTER_W0C, REGISTER_W1C, REGISTER_WO };

struct register_entry {
  const char* name;
  uint32_t offset;
  enum register_kind kind;
  int strobe; /* 1: a write has effects beyond the register */
  uint32_t entries;
  uint32_t stride;
  uint32_t rw_mask;
  uint32_t reset;
  uint32_t pattern_a; /* two patterns within every field's range */
  uint32_t pattern_b;
  uint32_t out_of_range; /* value beyond a field's range; 0: the register has no such value */
};

#include "register_table.h"

#define ERROR_CODE_SHIFT 24
#define ERROR_CODE_MASK 7u
#define ERROR_WRITE 0x80000000u

struct device {
  const char* name;
  uint32_t base;
  const struct register_entry* table;
  uint32_t count;
  uint32_t hole;
  uint32_t error_info;
  uint32_t irq_status;
};

static volatile uint32_t trap_cause;
static int mistakes;
static uint32_t accesses;

static void note_trap(struct trap_frame* frame) {
  trap_cause = frame->mcause;
  frame->mepc += trap_instruction_bytes(frame->mepc);
}

/* Attempts one access; returns the cause of the trap, or 0 without a trap. */
static uint32_t attempt_read(uint32_t address, uint32_t* value) {
  uint32_t got = 0;
  trap_cause = 0;
  __asm__ volatile("lw %0, 0(%1)" : "+r"(got) : "r"(address) : "memory");
  *value = got;
  ++accesses;
  return trap_cause;
}
static uint32_t attempt_write(uint32_t address, uint32_t value) {
  trap_cause = 0;
  __asm__ volatile("sw %0, 0(%1)" ::"r"(value), "r"(address) : "memory");
  ++accesses;
  return trap_cause;
}
static uint32_t attempt_byte_write(uint32_t address) {
  trap_cause = 0;
  __asm__ volatile("sb zero, 0(%0)" ::"r"(address) : "memory");
  ++accesses;
  return trap_cause;
}

static void wrong(const struct device* d, const struct register_entry* r, uint32_t offset,
                  const char* what, uint32_t value) {
  ++mistakes;
  printf("FAIL %s.%s at 0x%05" PRIx32 ": %s (0x%08" PRIx32 ")\n", d->name, r->name, offset, what,
         value);
}

/* Checks that ERROR_INFO of the device names the access that the device has just refused. */
static void expect_refused(const struct device* d, const struct register_entry* r, uint32_t offset,
                           uint32_t trap, uint32_t code, int write) {
  const uint32_t expected_trap = write ? TRAP_STORE_FAULT : TRAP_LOAD_FAULT;
  if (trap != expected_trap) {
    wrong(d, r, offset, "was not refused", trap);
    return;
  }
  const uint32_t info = machine_read32(d->base + d->error_info);
  const uint32_t expected = offset | code << ERROR_CODE_SHIFT | (write ? ERROR_WRITE : 0);
  if (info != expected) wrong(d, r, offset, "ERROR_INFO is wrong", info);
}

static void test_writable(const struct device* d, const struct register_entry* r, uint32_t offset) {
  const uint32_t address = d->base + offset;
  uint32_t before = 0;
  uint32_t value = 0;
  if (attempt_read(address, &before) != 0) wrong(d, r, offset, "cannot be read", trap_cause);
  const uint32_t patterns[] = {r->pattern_a, r->pattern_b};
  for (unsigned i = 0; i < 2; ++i) {
    if (attempt_write(address, patterns[i]) != 0) wrong(d, r, offset, "refuses", patterns[i]);
    attempt_read(address, &value);
    if ((value & r->rw_mask) != patterns[i]) wrong(d, r, offset, "reads back wrong", value);
  }
  if (r->out_of_range != 0) {
    expect_refused(d, r, offset, attempt_write(address, r->out_of_range),
                   DCC_ERROR_INFO_CODE_OUT_OF_RANGE, 1);
  }
  expect_refused(d, r, offset, attempt_byte_write(address), DCC_ERROR_INFO_CODE_NARROW, 1);
  attempt_read(address, &value);
  if ((value & r->rw_mask) != r->pattern_b)
    wrong(d, r, offset, "changed by a refused write", value);
  attempt_write(address, before & r->rw_mask);
}

static void test_one(const struct device* d, const struct register_entry* r, uint32_t offset) {
  const uint32_t address = d->base + offset;
  uint32_t value = 0;
  switch (r->kind) {
    case REGISTER_RO:
      if (attempt_read(address, &value) != 0) wrong(d, r, offset, "cannot be read", trap_cause);
      expect_refused(d, r, offset, attempt_write(address, 0), DCC_ERROR_INFO_CODE_READ_ONLY, 1);
      break;
    case REGISTER_RW:
      if (!r->strobe) test_writable(d, r, offset);
      break;
    case REGISTER_W0C:
      /* Clearing a bit would lock registers that are tested later. */
      attempt_write(address, UINT32_MAX);
      if (attempt_read(address, &value) != 0 || value != r->reset) {
        wrong(d, r, offset, "changed by writing 1", value);
      }
      break;
    case REGISTER_W1C:
      /* The refused accesses above have set the ERROR bit, which stays until 1 is written to it. */
      attempt_write(address, 0);
      if (attempt_read(address, &value) != 0 || value == 0) {
        wrong(d, r, offset, "was cleared by writing 0", value);
      }
      attempt_write(address, UINT32_MAX);
      if (attempt_read(address, &value) != 0 || value != 0) {
        wrong(d, r, offset, "was not cleared by writing 1", value);
      }
      break;
    case REGISTER_WO:
      if (attempt_read(address, &value) == 0 && value != 0) {
        wrong(d, r, offset, "write-only, but reads", value);
      }
      break;
  }
}

static void test_device(const struct device* d, uint32_t slots) {
  static const struct register_entry hole = {.name = "(unmapped)"};
  uint32_t value = 0;
  expect_refused(d, &hole, d->hole, attempt_read(d->base + d->hole, &value),
                 DCC_ERROR_INFO_CODE_UNMAPPED, 0);
  for (uint32_t i = 0; i < d->count; ++i) {
    const struct register_entry* const r = &d->table[i];
    uint32_t last = r->entries - 1;
    if (r->entries > slots) last = slots - 1;
    test_one(d, r, r->offset);
    if (last > 0) test_one(d, r, r->offset + last * r->stride);
    if (r->entries > slots) {
      expect_refused(d, r, r->offset + slots * r->stride,
                     attempt_read(d->base + r->offset + slots * r->stride, &value),
                     DCC_ERROR_INFO_CODE_UNMAPPED, 0);
    }
  }
  attempt_write(d->base + d->irq_status, UINT32_MAX);
}

int register_test_all(uint32_t slots) {
  static const struct device devices[] = {
      {"controller", DCC_BASE, dcc_table, sizeof dcc_table / sizeof *dcc_table, DCC_TABLE_HOLE,
       DCC_ERROR_INFO_OFFSET, DCC_IRQ_STATUS_OFFSET},
      {"nic", NIC_BASE, nic_table, sizeof nic_table / sizeof *nic_table, NIC_TABLE_HOLE,
       NIC_ERROR_INFO_OFFSET, NIC_IRQ_STATUS_OFFSET}};
  trap_set_exception_handler(note_trap);
  for (unsigned i = 0; i < sizeof devices / sizeof *devices; ++i) {
    const int before = mistakes;
    accesses = 0;
    test_device(&devices[i], slots);
    printf("%s registers: %" PRIu32 " of the map, %" PRIu32 " accesses, %s\n", devices[i].name,
           devices[i].count, accesses, mistakes == before ? "all as they should be" : "MISTAKES");
  }
  trap_set_exception_handler(0);
  return mistakes;
}
