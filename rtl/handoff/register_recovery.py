"""Register vectors of recovery from words that cannot be corrected."""
from register_lines import (
    CTRL, ENABLED, EVENTS_PENDING, FIRST_CUT, FREE_SLOTS, IRQ_STATUS, MEMORY_ERROR, MEMORY_LOST, MEMORY_WORD,
    R_AI, R_HAI, R_MAX, STATISTICS, STATUS, TIMER_INTERVAL, line, read, reset, write)
from register_memories import loaded

LINE_RATE = 0x01234500  # value of R_MAX that no other register has
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
