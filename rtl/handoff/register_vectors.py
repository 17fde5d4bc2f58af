#!/usr/bin/python3 -B
"""Writes golden vectors of the controller's registers from the page of the register map:
register_vectors.py dcc.md [--inside | --secded | --rebuild]; --inside: parts of those without an option in which the
testbench reaches into counters and memories, for a slow simulator; --secded: of memories that correct a bit, with
Secded; --rebuild: of recovery, with Secded and Rebuild

A line is four hexadecimal words: op a b c. In a simulator other than Verilator the testbench ends at the first line
with op a, c or e, unless it is compiled with INSIDE, since it cannot reach into a flattened block. The values of op:
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
import sys

from register_access import after_reset, first_access, interrupts, locks, writes_and_refusals
from register_counters import binds_again, carries, clears, counters, many_packets, overrun, saturations
from register_lines import ranges_of, registers_of, reset
from register_memories import MEMORIES, ZEROS, corrected_bits, lost_bits
from register_recovery import named_words, recoveries, told_rates, wrong_heads


def main():
    if sys.argv[2:] not in ([], ["--inside"], ["--secded"], ["--rebuild"]):
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as page:
        text = page.read()
    registers, ranges = list(registers_of(text)), list(ranges_of(text))
    if sys.argv[2:] == ["--inside"]:
        carries()
        clears()
        saturations()
        lost_bits({memory: (bits[-1:], cause) for memory, (bits, cause) in MEMORIES.items()})
        overrun()
        return
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
