#!/usr/bin/python3
"""Compares PLIC, 16550A UART and CLINT of machine virt with QEMU's: the same programs must print the same lines.

  virt_test.py DCCVP FIRMWARE_FOLDER SOURCE_FOLDER             compares
  virt_test.py DCCVP FIRMWARE_FOLDER SOURCE_FOLDER --record    writes tests/firmware/virt/*.txt from QEMU

The recorded lines were printed by qemu-system-riscv32 7.2 with the command QEMU_COMMAND. On a machine without QEMU
the test compares with the recorded lines only.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "system"))
from harness import PATIENCE  # noqa: E402

DCCVP, FIRMWARE, ROOT = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
RECORDED = ROOT / "tests/firmware/virt"
QEMU = "qemu-system-riscv32"
# With -icount an instruction takes 1 ns, as with run-elf, so that the output does not depend on the machine's load.
QEMU_COMMAND = (QEMU, "-M", "virt", "-cpu", "rv32,s=off,h=off", "-bios", "none", "-nographic",
                "-icount", "shift=0", "-kernel")
# Words at the beginning of a program's lines, and the least number of lines with these words.
PROGRAMS = {"plic": {"registers ": 120, "claims ": 200},
            "uart": {"sequence ": 230, "fifo ": 4, "timeout ": 6},
            "clint": {"software ": 60, "compare ": 60, "around ": 100, "due ": 20}}


def lines_of(*command):
    done = subprocess.run([str(part) for part in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          timeout=PATIENCE, check=True)
    return done.stdout.decode().splitlines()


def conversation(*command):
    """Runs a program and returns its lines. The input is sent after the first line, since the UART would lose
    characters that arrive before the program has set it up."""
    with subprocess.Popen([str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as done:
        patience = threading.Timer(PATIENCE, done.kill)
        patience.start()
        first = done.stdout.readline()
        rest, _ = done.communicate(b"Hello, plic\n")
        patience.cancel()
    return (first + rest).decode().splitlines()


def elf(name):
    return FIRMWARE / f"test_virt_{name}.elf"


def qemu_lines(name):
    return lines_of(*QEMU_COMMAND, elf(name))


class VirtDevices(unittest.TestCase):
    def compare(self, name, lines):
        recorded = (RECORDED / f"{name}.txt").read_text(encoding="utf-8").splitlines()
        for number, (ours, theirs) in enumerate(zip(lines, recorded), 1):
            self.assertEqual(ours, theirs, f"{name}.txt:{number}")
        self.assertEqual(len(lines), len(recorded))

    def test_lines_are_as_recorded(self):
        for name in PROGRAMS:
            with self.subTest(name):
                self.compare(name, lines_of(DCCVP, "run-elf", "--machine", "virt", "--quiet", elf(name)))

    def test_enough_is_recorded(self):
        for name, wanted in PROGRAMS.items():
            lines = (RECORDED / f"{name}.txt").read_text(encoding="utf-8").splitlines()
            for begin, count in wanted.items():
                with self.subTest(name, begin=begin):
                    self.assertGreaterEqual(sum(line.startswith(begin) for line in lines), count)

    def test_examples(self):
        wanted = {"virt_c": ["say something", "heard HELLO, PLIC"], "virt_cpp": [".... served 5 interrupts"]}
        with tempfile.NamedTemporaryFile("w") as heard:
            heard.write("Hello, plic\n")
            heard.flush()
            for name, lines in wanted.items():
                with self.subTest(name):
                    self.assertEqual(lines_of(DCCVP, "run-elf", "--machine", "virt", "--quiet", "--uart-in",
                                              heard.name, FIRMWARE / f"{name}.elf"), lines)
                    if shutil.which(QEMU):
                        self.assertEqual(conversation(*QEMU_COMMAND, FIRMWARE / f"{name}.elf"), lines)

    def test_only_code_0_is_success(self):
        """The test finisher takes an exit code of 16 bits, and QEMU's exit status has 8 bits. The codes 65536 and
        256 must not become 0."""
        for code, told in {0: 0, 7: 7, 256: 65535, 65536: 65535}.items():
            with self.subTest(code), tempfile.NamedTemporaryFile("w") as line:
                line.write(f"{code}\n")
                line.flush()
                done = subprocess.run([DCCVP, "run-elf", "--machine", "virt", "--quiet", "--uart-in", line.name,
                                       elf("exit_code")], capture_output=True, timeout=PATIENCE, check=False)
                self.assertEqual(done.returncode, int(code != 0))
                if code != 0:
                    self.assertIn(f"exit code {told};", done.stderr.decode())

    @unittest.skipUnless(shutil.which(QEMU), f"{QEMU} is missing (package qemu-system-misc)")
    def test_qemu_still_prints_what_is_recorded(self):
        for name in PROGRAMS:
            with self.subTest(name):
                self.compare(name, qemu_lines(name))


if __name__ == "__main__":
    if "--record" in sys.argv:
        for program in PROGRAMS:
            text = "\n".join(qemu_lines(program)) + "\n"
            (RECORDED / f"{program}.txt").write_text(text, encoding="utf-8")
    else:
        unittest.main(argv=sys.argv[:1])
