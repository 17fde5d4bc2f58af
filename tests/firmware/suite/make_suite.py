#!/usr/bin/python3
"""Writes the architecture tests whose cases are tables: each instruction of the extensions I, M and A with operands
at all limits, and the result that the RISC-V manual specifies.

  make_suite.py i|m|a FILE.S
"""

import pathlib
import struct
import sys
import typing

BITS = 1 << 32
CORNERS = [0, 1, 2, 3, BITS - 1, BITS - 2, 0x7FFFFFFF, 0x7FFFFFFE, 0x80000000, 0x80000001, 0x55555555,
           0xAAAAAAAA, 0x12345678, 0x0000FFFF, 0xFFFF0000, 31, 32, 33]
IMMEDIATES = [0, 1, -1, 2, 31, 32, 0x555, -0x556, 2047, -2048, 1024, -1024]
SHIFTS = [0, 1, 2, 15, 16, 30, 31]


def signed(x):
    return x - BITS if x >> 31 else x


def divided(a, b):
    """Signed quotient and remainder, with the quotient rounded towards zero."""
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return quotient, a - b * quotient


def div(a, b):
    return -1 if b == 0 else divided(signed(a), signed(b))[0]


def rem(a, b):
    return a if b == 0 else divided(signed(a), signed(b))[1]


BASE = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "sll": lambda a, b: a << (b % 32),
    "slt": lambda a, b: signed(a) < signed(b),
    "sltu": lambda a, b: a < b,
    "xor": lambda a, b: a ^ b,
    "srl": lambda a, b: a >> (b % 32),
    "sra": lambda a, b: signed(a) >> (b % 32),
    "or": lambda a, b: a | b,
    "and": lambda a, b: a & b,
}
MULTIPLICATION = {
    "mul": lambda a, b: a * b,
    "mulh": lambda a, b: signed(a) * signed(b) >> 32,
    "mulhsu": lambda a, b: signed(a) * b >> 32,
    "mulhu": lambda a, b: a * b >> 32,
    "div": div,
    "divu": lambda a, b: -1 if b == 0 else a // b,
    "rem": rem,
    "remu": lambda a, b: a if b == 0 else a % b,
}
BRANCHES = {
    "beq": lambda a, b: a == b,
    "bne": lambda a, b: a != b,
    "blt": lambda a, b: signed(a) < signed(b),
    "bge": lambda a, b: signed(a) >= signed(b),
    "bltu": lambda a, b: a < b,
    "bgeu": lambda a, b: a >= b,
}
ATOMIC: dict[str, typing.Callable[[int, int], int]] = {
    "amoswap.w": lambda old, b: b,
    "amoadd.w": lambda old, b: old + b,
    "amoxor.w": lambda old, b: old ^ b,
    "amoand.w": lambda old, b: old & b,
    "amoor.w": lambda old, b: old | b,
    "amomin.w": lambda old, b: min(old, b, key=signed),
    "amomax.w": lambda old, b: max(old, b, key=signed),
    "amominu.w": min,
    "amomaxu.w": max,
}
MEMORY = bytes([0x80, 0x7F, 0xFF, 0x01, 0x00, 0xFE, 0x81, 0x12, 0x34, 0x56, 0x78, 0x9A, 0xBC, 0xDE, 0xF0, 0x0F])
LOADS = {"lb": (1, True), "lh": (2, True), "lw": (4, True), "lbu": (1, False), "lhu": (2, False)}
STORES = {"sb": 1, "sh": 2, "sw": 4}


def table(name, rows):
    """Returns a test that loops over rows of words. Register s0 points to the present row, s1 to the end."""
    words = "\n".join("  .word " + ", ".join(f"{int(x) % BITS:#x}" for x in row) for row in rows)
    return f"""\
  .data
  .balign 4
table.{name}:
{words}
table_end.{name}:
  .text
  la s0, table.{name}
  la s1, table_end.{name}
"""


def over_rows(name, rows, body):
    return f"""\
  test {name}
{table(name, rows)}1:
{body}  addi s0, s0, {4 * len(rows[0])}
  bne s0, s1, 1b
"""


def pairs(function):
    return [(a, b, function(a, b), function(a, a)) for a in CORNERS for b in CORNERS]


def register_form(name, function):
    """Tests every case in which source and destination are the same register."""
    return over_rows(name, pairs(function), f"""\
  lw a0, 0(s0)
  lw a1, 4(s0)
  lw a2, 8(s0)
  lw t0, 12(s0)
  {name} a3, a0, a1
  bne a3, a2, fail
  mv a4, a0
  {name} a4, a4, a1
  bne a4, a2, fail
  mv a5, a1
  {name} a5, a0, a5
  bne a5, a2, fail
  {name} a6, a0, a0
  bne a6, t0, fail
  mv a7, a0
  {name} a7, a7, a7
  bne a7, t0, fail
  {name} zero, a0, a1
  mv a3, zero
  bnez a3, fail
  {name} a3, zero, zero
  expect a3, {int(function(0, 0)) % BITS:#x}
""")


def immediate_form(name, function, immediates):
    rows = [[a] + [function(a, i % BITS) for i in immediates] for a in CORNERS]
    body = "  lw a0, 0(s0)\n"
    for place, immediate in enumerate(immediates, 1):
        body += f"""\
  lw a1, {4 * place}(s0)
  {name} a2, a0, {immediate}
  bne a2, a1, fail
  mv a3, a0
  {name} a3, a3, {immediate}
  bne a3, a1, fail
"""
    return over_rows(name, rows, body + f"  {name} zero, a0, {immediates[1]}\n  mv a2, zero\n  bnez a2, fail\n")


def branch(name, function):
    """Tests a branch, taken forwards and backwards."""
    return over_rows(name, pairs(function), f"""\
  lw a0, 0(s0)
  lw a1, 4(s0)
  lw a2, 8(s0)
  li a3, 0
  {name} a0, a1, 2f
  j 3f
2:
  li a3, 1
3:
  bne a3, a2, fail
  li a3, 0
  j 5f
4:
  li a3, 1
  j 6f
5:
  {name} a0, a1, 4b
6:
  bne a3, a2, fail
""")


def loads():
    out = "  .data\n  .balign 16\nmemory:\n  .byte " + ", ".join(map(str, MEMORY)) + "\n  .text\n"
    for name, (size, is_signed) in LOADS.items():
        out += f"  test {name}\n"
        for at in range(0, len(MEMORY), size):
            value = int.from_bytes(MEMORY[at:at + size], "little", signed=is_signed) % BITS
            for offset in (0, at, at - 16, 2047 - 2047 % size, -2048):
                out += (f"  la a0, memory + ({at - offset})\n  {name} a1, {offset}(a0)\n  expect a1, {value:#x}\n"
                        f"  {name} a0, {offset}(a0)\n  expect a0, {value:#x}\n")
        out += f"  la a0, memory\n  {name} zero, 0(a0)\n  mv a1, zero\n  bnez a1, fail\n"
    return out


def stores():
    out = "  .bss\n  .balign 16\nscratch: .skip 16\n  .text\n"
    value = 0x89ABCDEF
    for name, size in STORES.items():
        out += f"  test {name}\n"
        for at in range(0, 16, size):
            for offset in (0, 2047 - 2047 % size, -2048):
                expected = bytearray(b"\x5A" * 16)
                expected[at:at + size] = struct.pack("<I", value)[:size]
                out += "  la s0, scratch\n  li a1, 0x5A5A5A5A\n"
                out += "".join(f"  sw a1, {i}(s0)\n" for i in range(0, 16, 4))
                out += f"  la a0, scratch + ({at - offset})\n  li a2, {value:#x}\n  {name} a2, {offset}(a0)\n"
                for i, word in enumerate(struct.unpack("<4I", expected)):
                    out += f"  lw a3, {4 * i}(s0)\n  expect a3, {word:#x}\n"
    return out


def registers():
    """Tests each register as destination and as either source. A write to x0 has no effect."""
    out = "  test registers\n"
    for r in range(1, 32):
        kept = "x4" if r != 4 else "x5"
        other = "x6" if r != 6 else "x7"
        third = "x8" if r != 8 else "x9"
        out += (f"  mv {kept}, gp\n  li x{r}, {r * 0x01010101:#x}\n  li {other}, {r * 0x01010101:#x}\n"
                f"  sub {third}, x{r}, {other}\n  mv gp, {kept}\n  bnez {third}, fail\n" if r != 3 else "")
    out += "  li a0, 5\n  add zero, a0, a0\n  add a1, zero, zero\n  bnez a1, fail\n"
    return out


def upper():
    """Tests lui and auipc with immediates at all limits."""
    out = "  test lui\n"
    for value in (0, 1, 0x7FFFF, 0x80000, 0xFFFFF, 0x12345):
        out += f"  lui a0, {value:#x}\n  srli a1, a0, 12\n  expect a1, {value:#x}\n  slli a1, a0, 20\n  bnez a1, fail\n"
    out += "  test auipc\n"
    for value in (0, 1, 0x7FFFF, 0x80000, 0xFFFFF, 0x12345):
        out += (f"  la a1, 1f\n1:\n  auipc a0, {value:#x}\n  sub a0, a0, a1\n"
                f"  expect a0, {value << 12:#x}\n")
    return out


def base():
    out = registers() + upper()
    for name, function in BASE.items():
        out += register_form(name, function)
    for name in ("add", "slt", "xor", "or", "and"):
        out += immediate_form(name + "i", BASE[name], IMMEDIATES)
    out += immediate_form("sltiu", BASE["sltu"], IMMEDIATES)
    for name in ("sll", "srl", "sra"):
        out += immediate_form(name + "i", BASE[name], SHIFTS)
    for name, function in BRANCHES.items():
        out += branch(name, function)
    return out + loads() + stores()


def multiplication():
    return "".join(register_form(name, function) for name, function in MULTIPLICATION.items())


def atomics():
    out = "  .option arch, +a\n  .bss\n  .balign 16\n  .word 0\nword: .word 0, 0\n  .text\n"
    for name, function in ATOMIC.items():
        rows = [(a, b, function(a, b), function(a, a)) for a in CORNERS for b in CORNERS]
        body = """\
  lw a0, 0(s0)
  lw a1, 4(s0)
  lw a2, 8(s0)
  la a4, word
"""
        for order in ("", ".aq", ".rl", ".aqrl"):
            body += f"""\
  sw a0, 0(a4)
  {name}{order} a3, a1, (a4)
  bne a3, a0, fail
  lw a5, 0(a4)
  bne a5, a2, fail
"""
        body += f"""\
  sw a0, 0(a4)
  {name} zero, a1, (a4)
  lw a5, 0(a4)
  bne a5, a2, fail
  mv a6, a4
  sw a0, 0(a4)
  {name} a6, a1, (a6)
  bne a6, a0, fail
  mv a7, a1
  sw a0, 0(a4)
  {name} a7, a7, (a4)
  bne a7, a0, fail
  lw a5, 0(a4)
  bne a5, a2, fail
  lw a5, -4(a4)
  bnez a5, fail
  lw a5, 4(a4)
  bnez a5, fail
"""
        out += over_rows(name, rows, body)
    return out


def main():
    suites = {"i": base, "m": multiplication, "a": atomics}
    if len(sys.argv) != 3 or sys.argv[1] not in suites:
        sys.exit(__doc__)
    pathlib.Path(sys.argv[2]).write_text(f'#include "suite.inc"\n{suites[sys.argv[1]]()}  j pass\n')


main()
