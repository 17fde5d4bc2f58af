#!/usr/bin/python3
"""Traps, CSRs and interrupts on our CPU and on qemu's: the same program prints the same lines."""

import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "system"))
from harness import PATIENCE, SKIPPED  # noqa: E402

DCCVP, FIRMWARE = sys.argv[1], pathlib.Path(sys.argv[2])
QEMU = shutil.which("qemu-system-riscv32")
EXPECTED_LINES = 60  # a program that stops early agrees with itself on little


def main():
    if QEMU is None:
        print("qemu-system-riscv32 is missing (package qemu-system-misc): skipped")
        return SKIPPED
    elf = FIRMWARE / "test_oracle.elf"
    ours = subprocess.run([DCCVP, "run-elf", "--quiet", elf], stdout=subprocess.PIPE,
                          timeout=PATIENCE,
                          check=True).stdout.decode().splitlines()
    theirs = subprocess.run([QEMU, "-M", "virt", "-bios", "none", "-nographic", "-kernel", elf],
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=PATIENCE,
                            check=True).stdout.decode().splitlines()
    differences = [(i, a, b) for i, (a, b) in enumerate(zip(ours, theirs), 1) if a != b]
    for line, a, b in differences:
        print(f"line {line}:\n  ours: {a}\n  qemu: {b}")
    if len(ours) != len(theirs):
        print(f"{len(ours)} lines, qemu {len(theirs)}")
    if len(ours) < EXPECTED_LINES:
        print(f"only {len(ours)} lines")
    if differences or len(ours) != len(theirs) or len(ours) < EXPECTED_LINES:
        return 1
    print(f"{len(ours)} lines: no difference")
    return 0


sys.exit(main())
