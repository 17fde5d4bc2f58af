"""Lines of register vectors, registers by address, and what the page of the register map says of them."""
import re

CODES = {"unmapped": 1, "misaligned": 2, "read only": 3, "out of range": 5, "locked": 6}
CTRL, STATUS, REGWEN, TICK_DIV, TIMER_INTERVAL = 0x0C, 0x10, 0x14, 0x20, 0x24
R_AI, R_HAI, R_MAX, DECREASE_PERIOD, FIRST_CUT = 0x34, 0x38, 0x44, 0x54, 0x58
IRQ_STATUS, IRQ_MASK, ERROR_INFO, IRQ_TEST = 0x80, 0x84, 0x88, 0x8C
FREE_SLOTS, TIMER_LAG, LATENESS_MAX, EVENTS_PENDING, MEMORY_ERROR, MEMORY_ERRORS, STATISTICS = (
    0xA0, 0xA8, 0xAC, 0xB0, 0xB4, 0xB8, 0x3000)
MEMORY_CORRECTED, MEMORY_WORD = 0xBC, 0xC0
MEMORY_LOST = 0xC4
COUNTERS = 17
LAST_SLOTS = 0x80000 + 64 * 32
# {offset of a table: a value that each of its entries accepts}
TABLES = {0x1000: 0x10000100, 0x1100: 0, 0x1200: 0xFFFFFFFF, 0x1300: 0x8000, 0x1400: 0x8000, 0x2000: 0x8000}
ENABLED, RESET = 0x2D, 0x2F  # CTRL: ENABLE plus the values after reset; RESET adds the bit SOFT_RESET


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


def soon(first_cut):
    """Sets timers of four ticks with 64 cycles each, and the multiplier of a flow's first cut."""
    reset()
    for address, value in ((TICK_DIV, 64), (TIMER_INTERVAL, 4), (FIRST_CUT, first_cut), (CTRL, ENABLED)):
        write(address, value)
