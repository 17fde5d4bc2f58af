"""Register vectors of memories that lose bits."""
from register_lines import (
    CTRL, ENABLED, FIRST_CUT, IRQ_MASK, IRQ_STATUS, MEMORY_CORRECTED, MEMORY_ERROR, MEMORY_ERRORS, MEMORY_WORD,
    REGWEN, RESET, STATUS, TABLES, TICK_DIV, TIMER_INTERVAL, line, read, reset, write)

# {memory number in tb_registers.v: (bits to invert, the memory's bit of MEMORY_ERROR)}
MEMORIES = {0: ((0, 7), 1), 1: ((8,), 1), 2: ((3,), 2), 3: ((0, 100, 199), 4), 4: ((32,), 8), 5: ((5,), 8),
            6: ((31,), 8), 7: ((0,), 8), 8: ((9,), 8), 9: ((9,), 16), 10: ((4,), 64), 11: ((1,), 64),
            12: ((0, 408), 32)}
# {number in tb_registers.v of a memory that corrects bits with Secded: (the memory's number in MEMORY_WORD, a word
# that the load uses, bits of a word with check bits)}. The tables of limits are indexed by DSCP, and the load has DSCP
# 0.
CORRECTING = {0: (0, 9, 12), 1: (1, 5, 13), 2: (6, 7, 11), 3: (7, 33, 248), 4: (8, 0, 39), 5: (9, 0, 39),
              6: (10, 0, 39), 7: (11, 0, 39), 8: (12, 0, 39)}
ZEROS = 0xFFF  # value in place of a bit number: the words become zeros, which have wrong parity


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
            # A soft reset clears MEMORY_WORD. Its sweep then reads the flow of every slot (memory 1), and so corrects
            # the word with the lost bit again; it reads no other memory.
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
