"""Register vectors of accesses: values after reset, refusals, locks, interrupts, the cycles of an access."""
from register_lines import (
    CODES, COUNTERS, CTRL, ENABLED, ERROR_INFO, EVENTS_PENDING, FREE_SLOTS, IRQ_MASK, IRQ_STATUS, IRQ_TEST,
    LAST_SLOTS, MEMORY_CORRECTED, MEMORY_ERROR, MEMORY_ERRORS, MEMORY_LOST, MEMORY_WORD, REGWEN, STATISTICS,
    STATUS, TABLES, TICK_DIV, another, line, read, refused, reset, write)


def first_access():
    """An access that begins before the memories are swept ends after the sweep, and takes effect only then."""
    line(0)
    line(13, 0x10FC, 0x20000200)
    line(8)
    read(0x10FC, 0x20000200)
    # Contract: an access acts two edges after it begins if nothing is under way, and ends 3 edges after it acts for a
    # slot, 17 edges for a table.
    for _ in range(2):
        for word in range(8):
            line(20, 0x80000 + 4 * word, 0, 2 + 3)
        line(20, 0x10FC, 0x20000200, 2 + 17)
        line(20, CTRL, ENABLED - 1, 2)
        line(4, 7)


def after_reset(registers):
    for offset, _, value, _ in registers:
        if value is not None:
            read(offset, value)
    for offset, value in ((STATUS, 3), (FREE_SLOTS, 64), (EVENTS_PENDING, 0), (MEMORY_ERROR, 0), (MEMORY_ERRORS, 0),
                          (MEMORY_CORRECTED, 0), (MEMORY_WORD, 0), (MEMORY_LOST, 0)):
        read(offset, value)
    for word in range(2 * COUNTERS):
        read(STATISTICS + 4 * word, 0)
    line(5, 0)


def writes_and_refusals(registers, ranges):
    for offset, access, value, guard in registers:
        if access == "RO":
            refused(1, offset, "read only")
        elif guard == 1:
            write(offset, another(value))
            read(offset, another(value))
            refused(1, offset + 1, "misaligned")
    for address in (0xC8, 0x3088, 0x2404, LAST_SLOTS):
        refused(0, address, "unmapped")
    refused(1, 0xC8, "unmapped")
    refused(1, 0x80000, "read only")
    refused(1, STATISTICS, "read only")
    refused(0, CTRL + 2, "misaligned")
    before = {offset: another(value) for offset, _, value, guard in registers if guard == 1}
    for address, least, most, width in ranges:
        for value in (least, most):
            write(address, value)
            read(address, value)
        for value in sorted({least - 1, 0, *(1 << bit for bit in range(width) if 1 << bit < least)}):
            if 0 <= value < least:
                refused(1, address, "out of range", value)
        for value in (most + 1, (1 << width) - 1):
            if most < value < 1 << width:
                refused(1, address, "out of range", value)
        read(address, most)
        write(address, before[address])
    for address in (0x1300, 0x1400, 0x2000):
        refused(1, address, "out of range", 0x10001)
    read(TICK_DIV, 249)
    for address, value in TABLES.items():
        write(address, value)
        read(address, value)


def interrupts():
    line(1, STATUS, 0, 1)
    line(5, 0)
    for mask in range(16):
        write(IRQ_MASK, mask)
        read(IRQ_MASK, mask)
        line(5, mask >> 2 & 1)
    write(IRQ_STATUS, 0xB)
    line(5, 1)
    write(IRQ_STATUS, 4)
    line(5, 0)
    read(IRQ_STATUS, 0)
    # IRQ_TEST raises each cause, alone and beside causes that are already set; writing 0 changes nothing.
    info = 1 << 31 | CODES["read only"] << 24 | STATUS
    for cause in range(4):
        write(IRQ_MASK, 1 << cause)
        line(5, 0)
        write(IRQ_TEST, 1 << cause)
        line(5, 1)
        read(IRQ_STATUS, (2 << cause) - 1)
        write(IRQ_TEST, 0)
        read(IRQ_STATUS, (2 << cause) - 1)
    for address, value in ((ERROR_INFO, info), (MEMORY_ERROR, 0), (STATUS, 3), (IRQ_TEST, 0)):
        read(address, value)
    write(IRQ_STATUS, 15)
    line(5, 0)
    read(IRQ_STATUS, 0)


def locks(registers):
    for bit in (1, 2, 4):
        reset()
        for address, value in TABLES.items():
            write(address, value)
        write(REGWEN, 7 & ~bit)
        write(REGWEN, 7)
        read(REGWEN, 7 & ~bit)
        for offset, access, value, guard in registers:
            if access == "RW" and guard == bit:
                refused(1, offset, "locked", another(value))
                read(offset, value)
            elif access == "RW":
                write(offset, value)
        for address, value in TABLES.items():
            if bit == 2:
                refused(1, address, "locked", another(value))
            read(address, value)
    reset()
    read(REGWEN, 7)
