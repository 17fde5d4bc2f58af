#!/usr/bin/python3
"""Runs the architecture tests of suite/. Every suite must pass on our CPU and, except for known differences, on
QEMU's."""

import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "system"))
from harness import PATIENCE  # noqa: E402

DCCVP, FIRMWARE, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
TOOLS = "riscv64-unknown-elf-"
# QEMU counts one time unit per instruction, so that minstret equals mtime.
QEMU = ["qemu-system-riscv32", "-M", "spike", "-cpu", "rv32,s=off,h=off", "-bios", "none", "-nographic",
        "-icount", "shift=0", "-kernel"]
HERE_ALONE = {"beyond"}
PAGE = (SOURCE / "tests" / "firmware" / "suite" / "README.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `(\w+)` \| (\d+) \|", re.MULTILINE)


def suites():
    return {path.stem.removeprefix("suite_"): path for path in sorted(FIRMWARE.glob("suite_*.elf"))}


def run(*command):
    return subprocess.run(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=PATIENCE, check=False)


def tool(name, *arguments):
    return subprocess.run([TOOLS + name, *map(str, arguments)], stdout=subprocess.PIPE, check=True).stdout.decode()


def tests_of(elf):
    """Returns {number: name} of the tests in a program, from the symbols that the macro `test` defines."""
    found = re.findall(r"^([0-9a-f]+) A test\.(\w+(?:\.w)?)$", tool("nm", elf), re.MULTILINE)
    return {int(value, 16): name for value, name in found}


class Suites(unittest.TestCase):
    def judge(self, machine, elf, code, output):
        name = tests_of(elf).get(code, "no test of it")
        self.assertEqual(code, 0, f"{elf.stem} on {machine}: test {code}, {name}: {output}")

    def on_ours(self, elf, *options):
        done = run(DCCVP, "run-elf", *options, elf)
        ended = re.search(r"exit code (\d+);", done.stdout.decode())
        self.assertIsNotNone(ended, f"{elf.stem}: {done.stdout.decode()}")
        self.judge("dccvp", elf, int(ended.group(1)), done.stdout.decode())

    def test_on_our_cpu(self):
        for elf in suites().values():
            with self.subTest(elf.stem):
                self.on_ours(elf)

    def test_misaligned_accesses_done(self):
        self.on_ours(suites()["misaligned"], "--misaligned-done")

    @unittest.skipUnless(shutil.which(QEMU[0]), "qemu-system-riscv32 is missing (package qemu-system-misc)")
    def test_on_qemu(self):
        for name, elf in suites().items():
            if name not in HERE_ALONE:
                with self.subTest(name):
                    done = run(*QEMU, elf)
                    self.judge("qemu", elf, done.returncode, done.stdout.decode())

    def test_page_lists_every_suite_and_its_tests(self):
        self.assertEqual({name: int(count) for name, count in ROW.findall(PAGE)},
                         {name: len(tests_of(elf)) for name, elf in suites().items()})

    def test_every_operation_is_in_some_suite(self):
        listed = set(re.findall(r'X\(\w+, "([a-z.]+)"\)',
                                (SOURCE / "models/core/riscv/isa.h").read_text(encoding="utf-8"))) - {"illegal"}
        self.assertGreater(len(listed), 60)
        shown = "".join(tool("objdump", "-d", "-M", "no-aliases", elf) for elf in suites().values())
        used = {word.removeprefix("c.") for word in re.findall(r"\t([a-z.]+)\s", shown)}
        used |= {re.sub(r"\.(aq|rl|aqrl)$", "", word) for word in used}
        self.assertEqual(listed - used, set())


unittest.main(argv=sys.argv[:1])
