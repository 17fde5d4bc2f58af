#!/usr/bin/python3 -B
"""Writes golden vectors of the controller's registers from the page of the register map:
register_vectors.py dcc.md [--secded | --rebuild]; --secded: of memories that correct a bit, with Secded; --rebuild: of
recovery, with Secded and Rebuild

A line is four hexadecimal words: op a b c. In a simulator other than Verilator the testbench ends at the first line
with op a, since only in Verilator it reaches into the memories. The values of op:
- 0: reset by the pin
- 1: a write of b to a; c: it is refused
- 2: a read of a gives b; 3: a read of a is refused
- 4: a cycles without inputs
- 5: two cycles later irq_o is a
- 6: a CNP of flow a, 7: bytes of flow a, in one cycle
- 8: until ready_o is high, at most 2000 cycles
- 9: a cycles of CNPs, bytes and queries, or until ready_o is low; b: it must be low then
- a: bit b of every word of memory a is inverted; b = fff: all its words become zeros
- b: a read of a gives another value than b
- c: the timing wheel falls a ticks behind
- d: like 1; the access must not end before ready_o is high
- e: statistic a becomes 2^b - 1; a = 20: MEMORY_ERRORS becomes 0xFFFE, 21: MEMORY_CORRECTED, 22: both
  halves of MEMORY_LOST
- f: a cycles, each with a CNP of another flow, while b is read again and again
- 10: bit b of word c of memory a is inverted; 11: bit b + i of every word i of memory a is inverted
- 12: a read of a gives the number of rates at the rate port, without queries, since the last reset by the pin
- 13: the last rate of flow a at the rate port, without queries, is b; c: the flow's bound bit with it
- 14: a read of a gives b, and takes c cycles
- 15: a cycles, each with bytes of flow b
"""
import re
import sys

CODES = {"unmapped": 1, "misaligned": 2, "read only": 3, "out of range": 5, "locked": 6}
CTRL, STATUS, REGWEN, TICK_DIV, TIMER_INTERVAL = 0x0C, 0x10, 0x14, 0x20, 0x24
R_AI, R_HAI, R_MAX, DECREASE_PERIOD, FIRST_CUT = 0x34, 0x38, 0x44, 0x54, 0x58
IRQ_STATUS, IRQ_MASK, ERROR_INFO, IRQ_TEST = 0x80, 0x84, 0x88, 0x8C
FREE_SLOTS, TIMER_LAG, LATENESS_MAX, EVENTS_PENDING, MEMORY_ERROR, MEMORY_ERRORS, STATISTICS = (
    0xA0, 0xA8, 0xAC, 0xB0, 0xB4, 0xB8, 0x3000)
COUNTERS = 17
LAST_SLOTS = 0x80000 + 64 * 32
# {offset of a table: a value that each of its entries accepts}
TABLES = {0x1000: 0x10000100, 0x1100: 0, 0x1200: 0xFFFFFFFF, 0x1300: 0x8000, 0x1400: 0x8000, 0x2000: 0x8000}
ENABLED, RESET = 0x2D, 0x2F  # CTRL: ENABLE plus the values after reset; RESET adds the bit SOFT_RESET
# {memory number in tb_registers.v: (bits to invert, the memory's bit of MEMORY_ERROR)}
MEMORIES = {0: ((0, 7), 1), 1: ((8,), 1), 2: ((3,), 2), 3: ((0, 100, 199), 4), 4: ((32,), 8), 5: ((5,), 8),
            6: ((31,), 8), 7: ((0,), 8), 8: ((9,), 8), 9: ((9,), 16), 10: ((4,), 64), 11: ((1,), 64),
            12: ((0, 408), 32)}
MEMORY_CORRECTED, MEMORY_WORD = 0xBC, 0xC0
# {number in tb_registers.v of a memory that corrects bits with Secded: (the memory's number in MEMORY_WORD, a word
# that the load uses, bits of a word with check bits)}. The tables of limits are indexed by DSCP, and the load has DSCP
# 0.
CORRECTING = {0: (0, 9, 12), 1: (1, 5, 13), 2: (6, 7, 11), 3: (7, 33, 248), 4: (8, 0, 39), 5: (9, 0, 39),
              6: (10, 0, 39), 7: (11, 0, 39), 8: (12, 0, 39)}
MEMORY_LOST = 0xC4
LINE_RATE = 0x01234500  # value of R_MAX that no other register has
ZEROS = 0xFFF  # value in place of a bit number: the words become zeros, which have wrong parity


def line(op, a=0, b=0, c=0):
    print(f"{op:x} {a:x} {b:x} {c:x}")


def write(address, value):
    line(1, address, value)


def read(address, value):
    line(2, address, value)


def reset():
    line(0)
    line(8)


def refused(write_, address, code, value=0):
    """Writes a refused access, and checks its effects: ERROR_INFO, and the interrupt cause until software clears
    the cause."""
    line(1 if write_ else 3, address, value, 1)
    read(ERROR_INFO, write_ << 31 | CODES[code] << 24 | address)
    read(IRQ_STATUS, 4)
    write(IRQ_STATUS, 4)
    read(IRQ_STATUS, 0)


def registers_of(page):
    """Yields (offset, access, value after reset or None, guarding bit of REGWEN) of each register."""
    rows = re.findall(r"^\| 0x([0-9a-f]{5}) \| \[\w+\]\(#\w+\) \| (\w+) \| (\w+) \| (.*) \|$", page, re.M)
    guards = {"PARAMETERS": 1, "TABLES": 2, "CTRL": 4}
    for offset, access, value, text in rows:
        guard = re.search(r"REGWEN\.(\w+) is 1", text)
        known = None if value == "live" else int(value, 16)
        # Register CAPS: this instance has latency 48 and 64 slots.
        known = known & ~0xFFFF | 0x3006 if int(offset, 16) == 8 and known is not None else known
        yield int(offset, 16), access, known, guards[guard[1]] if guard else 0


def ranges_of(page):
    """Yields (offset, least value, greatest value, bits) of each register with a range smaller than its field's."""
    for offset, text in re.findall(r"^Offset 0x([0-9a-f]{5})\. (.*?)(?=^###|\Z)", page, re.M | re.S):
        found = re.findall(r"^\| (\d+):0 \| VALUE \| .*?(\d+) to (\d+)\) \|$", text, re.M)
        for upper, least, most in found:
            yield int(offset, 16), int(least), int(most), int(upper) + 1


def another(value):
    """Returns a legal value of a parameter that differs from `value`."""
    return value - 1 if value else 1


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


def counters():
    write(CTRL, ENABLED)
    for flow in range(66):
        line(6, flow)
    line(4, 200)
    for address, value in ((FREE_SLOTS, 0), (EVENTS_PENDING, 64), (STATUS, 1)):
        read(address, value)
    for word, value in ((0, 66), (2, 2), (10, 64), (14, 64), (18, 64), (22, 64), (26, 64)):
        read(STATISTICS + 4 * word, value)
    read(IRQ_STATUS, 1)
    write(IRQ_MASK, 1)
    line(5, 1)
    write(CTRL, RESET)
    line(6, 1)
    line(7, 1)
    line(8)
    for address, value in ((CTRL, ENABLED), (STATUS, 3), (FREE_SLOTS, 64), (EVENTS_PENDING, 0), (IRQ_STATUS, 1)):
        read(address, value)
    for word in range(2 * COUNTERS):
        read(STATISTICS + 4 * word, 2 if word == 32 else 0)
    line(5, 1)
    write(IRQ_STATUS, 1)
    line(5, 0)
    # After a reset the decrease table cuts nothing, so a flow's first timer event releases its slot. The second CNP
    # restarts the timer.
    write(TICK_DIV, 64)
    write(TIMER_INTERVAL, 4)
    write(DECREASE_PERIOD, 0)
    line(6, 5)
    line(4, 100)
    line(6, 5)
    line(4, 900)
    for address, value in ((FREE_SLOTS, 64), (EVENTS_PENDING, 0), (STATUS, 3)):
        read(address, value)
    for word, value in ((0, 2), (16, 1), (18, 2), (20, 1), (22, 1), (24, 1), (26, 1)):
        read(STATISTICS + 4 * word, value)


def counts_on(ones, steps, lines):
    """Checks that statistics starting at 2^ones - 1 have advanced by `steps` (statistic -> number) after the lines."""
    begin = (1 << ones) - 1
    for statistic in steps:
        line(14, statistic, ones)
    lines()
    for statistic, number in steps.items():
        value = begin + number & (1 << 64) - 1
        read(STATISTICS + 8 * statistic, value & 0xFFFFFFFF)
        read(STATISTICS + 8 * statistic + 4, value >> 32)
    if {8, 9, 10} <= set(steps):
        read(EVENTS_PENDING, steps[9] - steps[10] - steps[8] - begin & 0x7FFF)


def more(counter):
    """Checks that a counter starting at 2^32 - 1 has advanced by at least one. A read of the low word latches the
    high word."""
    line(11, counter, 0xFFFFFFFF)
    read(counter + 4, 1)


def soon(first_cut):
    """Sets timers of four ticks with 64 cycles each, and the multiplier of a flow's first cut."""
    reset()
    for address, value in ((TICK_DIV, 64), (TIMER_INTERVAL, 4), (FIRST_CUT, first_cut), (CTRL, ENABLED)):
        write(address, value)


def carries():
    """Every counter carries out of its 8, 16 and 32 low bits, and from its greatest value to 0."""
    def cut_and_raised():
        line(7, 7)    # byte notification of a flow without a slot
        line(6, 5)
        line(4, 60)
        line(6, 5)    # CNP within DECREASE_PERIOD of the flow's first CNP
        line(4, 300)  # time in which one timer event occurs

    def released():
        write(DECREASE_PERIOD, 0)
        line(6, 5)
        line(4, 100)
        line(6, 5)
        line(4, 900)

    def no_slot():
        for flow in range(66):
            line(6, flow)
        line(4, 200)

    for ones in (8, 16, 32, 64):
        soon(0x8000)
        counts_on(ones, {0: 2, 2: 1, 3: 1, 4: 1, 5: 1, 6: 1, 7: 2}, cut_and_raised)
        soon(0)
        counts_on(ones, {8: 1, 9: 2, 10: 1, 11: 1, 12: 1}, released)
        soon(0)
        counts_on(ones, {1: 2}, no_slot)
    # Timers of 64 flows in one tick come late, and a flood of CNPs loses some; the vectors do not check the numbers. A
    # soft reset drops the two inputs that arrive during the reset.
    soon(0)
    line(14, 14, 32)
    for flow in range(64):
        line(6, flow)
    line(4, 700)
    line(11, LATENESS_MAX)
    more(STATISTICS + 8 * 14)
    soon(0)
    line(14, 15, 32)
    line(15, 600, 0x80000)
    more(STATISTICS + 8 * 15)
    write(CTRL, RESET)
    line(14, 16, 32)
    line(6, 1)
    line(7, 1)
    line(8)
    read(STATISTICS + 8 * 16, 1)
    read(STATISTICS + 8 * 16 + 4, 1)


def clears():
    """Checks that a soft reset and a reset by the pin clear every statistic, whatever its value."""
    for by_pin in (False, True):
        reset()
        for statistic in range(COUNTERS):
            if statistic != 13:  # SLOTS_IN_USE_MAX is a maximum, not a counter
                line(14, statistic, 64)
        line(11, STATISTICS + 8 * 6)
        if by_pin:
            reset()
        else:
            write(CTRL, RESET)
            line(8)
        for word in range(2 * COUNTERS):
            read(STATISTICS + 4 * word, 0)


def saturations():
    """Checks that MEMORY_ERRORS stays at its greatest value, and that TIMER_LAG shows at most 0xFFFF."""
    reset()
    write(CTRL, ENABLED)
    line(9, 300)
    line(14, 32)
    for _ in range(2):
        line(10, 3, 0)
        line(9, 8000, 1)
        read(MEMORY_ERRORS, 0xFFFF)
        write(CTRL, RESET)
        line(8)


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


def lost_bits(memories):
    for memory, (bits, cause) in memories.items():
        for bit in (*bits, *((ZEROS,) if memory in (3, 10) else ())):
            reset()
            write(TICK_DIV, 64)
            write(TIMER_INTERVAL, 10)
            write(IRQ_MASK, 8)
            write(CTRL, ENABLED)
            write(REGWEN, 0)
            line(9, 300)
            line(10, memory, bit)
            line(9, 8000, 1)
            read(STATUS, 8)
            read(MEMORY_ERROR, cause)
            read(IRQ_STATUS, 8)
            line(11, MEMORY_ERRORS)
            line(5, 1)
            line(1, TICK_DIV, 100, 1)  # the register TICK_DIV stays locked meanwhile
            write(IRQ_STATUS, 4)
            for address, value in TABLES.items():
                write(address, value)
            write(CTRL, RESET)
            line(8)
            read(STATUS, 3)
            read(MEMORY_ERROR, 0)
            write(IRQ_STATUS, 8)
            line(5, 0)
            line(1, 0x1000, 0, 1)  # after the repair the registers are locked again
            line(1, CTRL, RESET, 1)
            line(11, MEMORY_ERRORS)


def overrun():
    """Tests overrun and its limit of 2^15 ticks. The wheel raises the cause once; the state stays until a soft
    reset."""
    for late in (0x7FF0, 0x8000):
        reset()
        read(MEMORY_ERRORS, 0)
        write(IRQ_MASK, 2)
        line(12, late)
        line(4, 8)
        behind = late == 0x8000
        read(STATUS, 7 if behind else 3)
        read(IRQ_STATUS, 2 if behind else 0)
        line(5, behind)
        write(IRQ_STATUS, 2)
        line(5, 0)
        read(STATUS, 7 if behind else 3)
        write(CTRL, RESET)
        line(8)
        read(STATUS, 3)
        read(IRQ_STATUS, 0)
    # TIMER_LAG shows at most 0xFFFF. The wheel catches up a tick in a cycle at most, so the lag is still greater here.
    reset()
    line(12, 0x20000)
    read(TIMER_LAG, 0xFFFF)
    line(4, 8)
    read(STATUS, 7)
    reset()  # by the pin, while the wheel is behind
    for address, value in ((STATUS, 3), (IRQ_STATUS, 0), (TIMER_LAG, 0)):
        read(address, value)


def loaded(memory):
    """Sets short timers and cuts that keep the slots, and makes a load, so that later load uses known words of this
    memory."""
    reset()
    for address, value in ((TICK_DIV, 64), (TIMER_INTERVAL, 10), (FIRST_CUT, 0x8000), (IRQ_MASK, 8), (CTRL, ENABLED)):
        write(address, value)
    if memory != 2:  # the first flows use words of the list of free slots
        line(9, 1000)


def corrected_bits():
    """The block corrects one lost bit, reports the bit's word and does not stop; with a second lost bit in the word
    the block stops."""
    for memory, (number, word, bits) in CORRECTING.items():
        place = word << 7 | number << 2
        for bit in sorted({0, 1, bits // 3, bits // 2, bits - 1}):
            loaded(memory)
            read(MEMORY_CORRECTED, 0)
            read(MEMORY_WORD, 0)
            line(16, memory, bit, word)
            line(9, 3000)
            line(4, 2000)  # expiring timers read the flows of slots from memory
            read(MEMORY_WORD, place | 2)
            line(11, MEMORY_CORRECTED)
            for address in (MEMORY_ERROR, MEMORY_ERRORS):
                read(address, 0)
            line(5, 0)
            write(CTRL, RESET)
            line(8)
            # the sweep after the soft reset reads the flows of slots again
            read(MEMORY_WORD, place | 2 if memory == 1 else 0)
            line(11, MEMORY_CORRECTED)  # the soft reset does not clear the number of corrected words
        for bit in (0, bits // 2):
            loaded(memory)
            line(16, memory, bit, word)
            line(16, memory, bit + 1, word)
            line(4, 2000)
            line(9, 8000, 1)
            read(STATUS, 8)
            read(MEMORY_ERROR, MEMORIES[memory][1])
            read(MEMORY_WORD, place | 1)
            read(MEMORY_CORRECTED, 0)
            line(11, MEMORY_ERRORS)
            line(5, 1)
        # invert each bit of a word in turn, one bit in each word
        for begin in range(0, bits, 5 if memory == 0 else 64):
            loaded(memory)
            line(17, memory, begin)
            line(9, 3000)
            line(4, 2000)
            read(MEMORY_ERRORS, 0)
            line(11, MEMORY_WORD)
            line(5, 0)
    # For these memories no word is certain to be used, so the vectors only check that a lost bit in each word changes
    # nothing.
    for memory in (*range(9, 13), *range(13, 24)):
        loaded(memory)
        line(17, memory, memory)
        line(9, 3000)
        line(4, 2000)
        read(MEMORY_ERRORS, 0)
        line(5, 0)
    # The counter MEMORY_CORRECTED stays at its greatest value.
    for _ in range(2):
        loaded(3)
        line(14, 33)
        line(17, 3, 1)
        line(9, 3000)
        read(MEMORY_CORRECTED, 0xFFFF)


# {memory number in tb_registers.v: (the memory's number in MEMORY_WORD, a word that the load uses, bit of
# MEMORY_ERROR, number of lost flows, what software writes to repair the memory: (address, value))}
RECOVERING = {0: (0, 9, 1, 0, None), 1: (1, 5, 1, 0, None), 2: (6, 7, 2, 0, None), 3: (7, 33, 4, 1, None),
              4: (8, 0, 8, 0, (0x1100, 0)), 5: (9, 0, 8, 0, (0x1200, 0xFFFFFFFF)),
              6: (10, 0, 8, 0, (0x1000, 0x10000100)), 7: (11, 0, 8, 0, (0x1100, 0)),
              8: (12, 0, 8, 0, (0x1200, 0xFFFFFFFF)), 10: (23, 9, 64, 0, None)}


def recoveries():
    """A word with two lost bits costs at most the flow of its slot, and software need not reset the block."""
    for memory, (number, word, cause, cost, again) in RECOVERING.items():
        loaded(memory)
        if memory == 10:  # timers in the wheel's lists: their records are read when they move
            write(TIMER_INTERVAL, 150)
            line(9, 3000)
        for times in (1, 2):
            read(MEMORY_LOST, 0 if times == 1 else 1 << 16 | cost)
            if times == 2 and memory in (2, 10):
                break  # this word may not be used again soon
            line(16, memory, 1, word)
            line(16, memory, 2, word)
            line(9, 8000, 1)
            if again:
                line(4, 2000)
                for address, value in ((STATUS, 8), (MEMORY_LOST, (times - 1) << 16)):
                    read(address, value)
                write(*again)
            line(8)
            for address, value in ((STATUS, 1), (MEMORY_ERROR, cause), (MEMORY_WORD, word << 7 | number << 2 | 1),
                                   (IRQ_STATUS, 8), (MEMORY_LOST, times << 16 | cost * times)):
                read(address, value)
            line(5, 1)
            write(IRQ_STATUS, 8)
            line(5, 0)
            line(9, 2000)
        # All timers expire and free their slots, and flows bind these slots once again.
        for address, value in ((TIMER_INTERVAL, 10), (R_AI, 1 << 25), (R_HAI, 1 << 25)):
            write(address, value)
        line(4, 60000)
        for address, value in ((FREE_SLOTS, 64), (EVENTS_PENDING, 0), (STATUS, 3)):
            read(address, value)
        line(18, STATISTICS + 8 * 7)
        for flow in range(64):
            line(6, flow)
        line(4, 200)
        for address, value in ((FREE_SLOTS, 0), (EVENTS_PENDING, 64), (IRQ_STATUS, 0)):
            read(address, value)
    # Both halves of MEMORY_LOST stay at their greatest value.
    loaded(3)
    line(14, 34)
    for _ in range(2):
        line(16, 3, 1, 33)
        line(16, 3, 2, 33)
        line(9, 8000, 1)
        line(8)
        read(MEMORY_LOST, 0xFFFFFFFF)
        line(9, 2000)
    line(0)
    line(8)
    read(MEMORY_LOST, 0)


def told_rates():
    """The rate port tells R_MAX for a flow that a recovery loses, but only if the recovery loses one flow and finds one
    wrong word of a slot."""
    # (words of the slots' memory that are wrong, whether the flow's word in the flow table is wrong). Flows 0 to 7 have
    # the slots of the same numbers, and the other slots are free.
    for words, flows in (((5,), False), ((5, 6), False), ((5, 40), False), ((40,), True), ((), True)):
        reset()
        write(R_MAX, LINE_RATE)
        write(FIRST_CUT, 0x8000)
        write(CTRL, ENABLED)
        for flow in range(8):
            line(6, flow)
        line(4, 300)
        read(STATISTICS + 8 * 7, 8)
        for memory, word in (*((3, word) for word in words), *(((0, 5),) if flows else ())):
            line(16, memory, 1, word)
            line(16, memory, 2, word)
        line(6, 5)  # uses the wrong word
        line(4, 100)
        line(8)
        line(4, 200)
        lost = sum(word < 8 for word in words)
        told = lost == 1 and len(words) == 1
        read(MEMORY_LOST, 1 << 16 | lost)
        read(FREE_SLOTS, 56 + lost)
        read(STATISTICS + 8 * 7, 8 + told)
        line(18, STATISTICS + 8 * 7)
        if told:
            line(19, 5, LINE_RATE, 1)
        for word in (*words, 8, 63):  # words of free slots
            for part in range(8):
                read(0x80000 + 32 * word + 4 * part, 0)
        # The flow binds a slot again, and its next rate is not the line's.
        line(6, 5)
        line(4, 200)
        read(FREE_SLOTS, 56 + max(lost - 1, 0))
        line(18, STATISTICS + 8 * 7)


def named_words():
    """MEMORY_WORD names the first wrong word since the last recovery, and the recovery's walk over the slots, in the
    order of their numbers, does not replace it."""
    reset()
    write(CTRL, ENABLED)
    for flow in range(8):
        line(6, flow)
    line(4, 300)
    for times, words in enumerate(((5,), (3,), (1, 6), (2,)), 1):
        for word in words:
            line(16, 3, 1, word)
            line(16, 3, 2, word)
        for word in words:
            line(6, word)
        line(4, 100)
        line(8)
        line(4, 200)
        read(MEMORY_WORD, words[0] << 7 | 7 << 2 | 1)
        read(MEMORY_LOST, times << 16 | times + (times > 2))
        write(IRQ_STATUS, 8)


def wrong_heads():
    """A wrong word at the head of the queue of CNPs or of commands is reported until the recovery removes it, and in
    the cycle after. Each such word causes one recovery, which loses no flow."""
    reset()
    write(CTRL, ENABLED)
    for times in (1, 2):
        line(15, 96, 0x80000)  # CNPs wait
        word = 24 * times  # one of those that wait
        line(16, 13, 1, word)
        line(16, 13, 2, word)
        line(4, 2000)
        line(8)
        read(MEMORY_ERROR, 16)
        read(MEMORY_LOST, times << 16)
        line(4, 2000)
    for first in range(4):
        loaded(9)
        for word in range(first, 16, 4):
            line(16, 9, 1, word)
            line(16, 9, 2, word)
        for cycles in (300, 300):
            line(9, cycles)
        line(4, 3000)
        line(9, 200)
        line(4, 3000)
        read(MEMORY_LOST, 4 << 16)


def many_packets():
    """The number of a flow's packets that the proportional law counts ends at 65536."""
    reset()
    write(TIMER_INTERVAL, 65535)
    write(CTRL, 1)
    line(6, 5)
    line(4, 100)
    sent = 0
    for more_sent in (65530, 5, 1, 1, 70):
        line(21, more_sent, 5)
        line(4, 100)
        sent += more_sent
        read(0x8000C, min(sent, 65536))


def binds_again():
    """After a soft reset the wheel knows nothing of a slot's timer from before: a timer of the same length that a flow
    starts in the same slot expires, and is no restart."""
    soon(0)
    write(TIMER_INTERVAL, 200)  # in a list of the wheel's middle level
    for _ in range(2):
        line(6, 5)
        line(4, 100)
        read(STATISTICS + 8 * 9, 1)
        write(CTRL, RESET)
        line(8)
    line(6, 5)
    line(4, 64 * 201)
    for statistic, number in ((8, 1), (9, 1), (10, 0), (12, 1)):
        read(STATISTICS + 8 * statistic, number)
    read(EVENTS_PENDING, 0)


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--secded"], ["--rebuild"]):
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as page:
        text = page.read()
    registers, ranges = list(registers_of(text)), list(ranges_of(text))
    if len(sys.argv) == 3:
        rebuild = sys.argv[2] == "--rebuild"
        reset()
        after_reset([(at, access, value | (3 if rebuild else 1) << 28 if at == 8 else value, guard)
                     for at, access, value, guard in registers])
        if rebuild:
            recoveries()
            told_rates()
            named_words()
            wrong_heads()
            return
        corrected_bits()
        lost_bits(memories={memory: ((ZEROS,), cause)
                            for memory, (_, cause) in MEMORIES.items()})
        return
    reset()
    after_reset(registers)
    writes_and_refusals(registers, ranges)
    interrupts()
    first_access()
    reset()
    after_reset(registers)
    counters()
    locks(registers)
    carries()
    clears()
    saturations()
    binds_again()
    lost_bits(MEMORIES)
    overrun()
    many_packets()


if __name__ == "__main__":
    main()
