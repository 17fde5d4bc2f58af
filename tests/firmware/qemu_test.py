#!/usr/bin/python3
"""Compares traps, CSRs and interrupts of our CPU with QEMU's: the same program must print the same lines."""

import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "system"))
from harness import PATIENCE, SKIPPED  # noqa: E402

DCCVP, FIRMWARE = sys.argv[1], pathlib.Path(sys.argv[2])
QEMU = shutil.which("qemu-system-riscv32")
# Least number of lines that each program must print, since equal outputs mean little if a program stops early.
PROGRAMS = {"test_oracle": 60, "test_oracle_protection": 150}


def lines_of(*command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          timeout=PATIENCE, check=True).stdout.decode().splitlines()


def agree(program, expected_lines):
    elf = FIRMWARE / f"{program}.elf"
    ours = lines_of(DCCVP, "run-elf", "--quiet", elf)
    theirs = lines_of(QEMU, "-M", "virt", "-cpu", "rv32,s=off,h=off", "-bios", "none", "-nographic",
                      "-kernel", elf)
    differences = [(i, a, b) for i, (a, b) in enumerate(zip(ours, theirs), 1) if a != b]
    for line, a, b in differences:
        print(f"{program} line {line}:\n  ours: {a}\n  qemu: {b}")
    if len(ours) != len(theirs):
        print(f"{program}: {len(ours)} lines, qemu {len(theirs)}")
    if len(ours) < expected_lines:
        print(f"{program}: only {len(ours)} lines")
    if differences or len(ours) != len(theirs) or len(ours) < expected_lines:
        return False
    print(f"{program}: {len(ours)} lines, no difference")
    return True


def main():
    if QEMU is None:
        print("qemu-system-riscv32 is missing (package qemu-system-misc): skipped")
        return SKIPPED
    return 0 if all([agree(*program) for program in PROGRAMS.items()]) else 1


sys.exit(main())
