"""Register vectors of counters and timers: statistics and their carries, resets, a wheel that falls behind."""
from register_lines import (
    COUNTERS, CTRL, DECREASE_PERIOD, ENABLED, EVENTS_PENDING, FREE_SLOTS, IRQ_MASK, IRQ_STATUS, LATENESS_MAX,
    MEMORY_ERRORS, RESET, STATISTICS, STATUS, TICK_DIV, TIMER_INTERVAL, TIMER_LAG, line, read, reset, soon,
    write)


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
