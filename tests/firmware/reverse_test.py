#!/usr/bin/python3
"""Tests reverse debugging with gdb: the way from a symptom back to its bug, single steps, the beginning of the run,
and the instruction that printed an output.

  reverse_test.py BUILD/dccvp FIRMWARE-DIR CHECKOUT [--full]
"""

import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "system"))
from harness import PATIENCE, expect_in_order  # noqa: E402

FULL = "--full" in sys.argv
if FULL:
    sys.argv.remove("--full")
DCCVP, FIRMWARE = sys.argv[1], pathlib.Path(sys.argv[2])
del sys.argv[1:4]
GDB = shutil.which("gdb-multiarch")
BUG = FIRMWARE / "test_stray_write.elf"

PLATFORM = """\
duration: 400us
topology: {kind: star, hosts: 3, link: {rate: 25Gbps}}
nic: {congestion_control: {algorithm: dcc}}
host: {driver: native}
hosts: {"1": {driver: firmware, elf: %s, gdb: %d}}
traffic:
  - {kind: incast, senders: 1..2, receiver: 0, dscp: 46, start: 50us, bytes: 200KB}
output: {plots: false}
"""


def free_port():
    import socket
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@unittest.skipIf(GDB is None, "gdb-multiarch is missing")
class Reverse(unittest.TestCase):
    def gdb(self, process, port, elf, commands):
        script = ["set pagination off", "set confirm off", "set architecture riscv:rv32",
                  f"set remotetimeout {PATIENCE}", f"target remote 127.0.0.1:{port}", *commands]
        with tempfile.NamedTemporaryFile("w", suffix=".gdb") as file:
            file.write("\n".join(script) + "\n")
            file.flush()
            done = subprocess.run([GDB, "-batch", "-nx", "-x", file.name, elf], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE,
                                  check=False)
        out, _ = process.communicate(timeout=PATIENCE)
        return done.stdout.decode(), process.returncode, out.decode()

    def session(self, *commands, elf=BUG):
        process = subprocess.Popen([DCCVP, "run-elf", "--gdb", "0", elf], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.addCleanup(process.kill)
        line = process.stdout.readline().decode()
        return self.gdb(process, int(re.search(r"127\.0\.0\.1:(\d+)", line).group(1)), elf, commands)

    def test_a_bug_is_found_from_its_symptom_backwards(self):
        text, status, out = self.session(
            "break symptom", "continue", "print/x shared.guard", "print ticks",
            "watch shared.guard", "reverse-continue", "print ticks", "print entry", "backtrace",
            "print/x shared.guard", "delete", "break symptom", "continue", "print ticks", "delete",
            "detach")
        self.assertNotIn("not support", text)
        self.expect(text, r"Breakpoint 1, symptom", r"\$1 = 0x600dbf78", r"\$2 = 400",
                    r"ardware watchpoint 2: shared.guard", r"Old value = 1611513720\s+New value = 1611513583",
                    r"timer_handler", r"\$3 = 137", r"\$4 = 8",
                    r"#0 .*timer_handler", r"#1 .* trap_entry", r"#2 .* main ", r"\$5 = 0x600dbeef",
                    r"Breakpoint 3, symptom", r"\$6 = 400")
        self.assertEqual(status, 0, out)
        # The program printed each line once, although the simulator executed that part several times.
        self.assertEqual(out.count("begins"), 1)
        self.assertEqual(out.count("the guard is"), 1)

    def test_steps_and_the_beginning(self):
        text, status, out = self.session(
            "break timer_handler if ticks == 50", "continue", "delete",
            "set $there = $pc", "set $sp_there = $sp", "print $mcycle",
            "stepi 25", "print $mcycle", "reverse-stepi 25", "print $pc == $there && $sp == $sp_there",
            "print $mcycle", "break main", "reverse-continue", "print ticks", "delete",
            "reverse-continue", "print ticks", "info symbol $pc", "detach")
        self.expect(text, r"Breakpoint 1, timer_handler", r"\$1 = (\d+)", r"\$2 = \d+", r"\$3 = 1",
                    r"\$4 = \d+", r"Breakpoint 2, main", r"\$5 = 0",
                    r"No more reverse-execution history", r"\$6 = 0", r"_start")
        cycles = [int(found) for found in re.findall(r"\$[124] = (\d+)", text)]
        self.assertEqual(cycles[0], cycles[2])
        self.assertGreaterEqual(cycles[1], cycles[0] + 25)
        self.assertEqual(status, 0, out)

    def test_lines_and_callers(self):
        text, status, out = self.session(
            "break symptom", "continue", "reverse-finish", "info symbol $pc", "reverse-step", "reverse-step",
            "print ticks", "break timer_handler if ticks == 60", "reverse-continue", "delete", "next", "next",
            "print ticks", "reverse-step", "print ticks", "break main", "reverse-continue", "print ticks",
            "delete", "detach")
        self.expect(text, r"Breakpoint 1, symptom", r"in main \(\)", r"^\d+\s+symptom\(shared\.guard\);$",
                    r"^main \+ ", r"in machine_disable_interrupts \(\)", r"\$1 = 400",
                    r"Breakpoint 2, timer_handler", r"for \(entry = 0;", r"\$2 = 61",
                    r"const uint32_t last = ", r"\$3 = 61", r"Breakpoint 3, main", r"\$4 = 0")
        self.assertEqual(status, 0, out)

    def test_what_the_debugger_writes_is_gone_before_it_was_written(self):
        text, status, out = self.session(
            "break timer_handler if ticks == 20", "continue", "delete", "set var ticks = 300",
            "break timer_handler if ticks == 310", "continue", "print ticks", "delete",
            "break timer_handler if ticks == 305", "reverse-continue", "print ticks", "delete",
            "break timer_handler if ticks == 10", "reverse-continue", "print ticks", "delete", "detach")
        self.expect(text, r"\$1 = 310", r"\$2 = 305", r"\$3 = 10")
        # After the detach the run continues from before the debugger's write to `ticks`, so the bug occurs.
        self.assertEqual(status, 0, out)
        self.assertIn("0x600dbf78 after 400 ticks", out)

    def test_the_whole_platform_goes_back(self):
        moves = 1000 if FULL else 40
        with tempfile.TemporaryDirectory() as folder:
            port = free_port()
            config = pathlib.Path(folder) / "t.yaml"
            config.write_text(PLATFORM % (FIRMWARE / "traffic.elf", port), encoding="utf-8")
            process = subprocess.Popen([DCCVP, "run", config, "--quiet", "--out", f"{folder}/out"],
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT)
            self.addCleanup(process.kill)
            process.stdout.readline()
            draw = random.Random(7)
            look = ["echo at\\n", "monitor cpu", "monitor read digest"]
            commands = ["break main", "continue", "delete", "stepi 500", *look]
            at = 0
            for _ in range(moves):
                by = draw.choice((1, 2, 5, 12))
                by = -by if draw.random() < 0.5 and at - by > -400 else by
                at += by
                commands += [f"{'reverse-' if by < 0 else ''}stepi {abs(by)}", *look]
            text, status, out = self.gdb(process, port, FIRMWARE / "traffic.elf", [*commands, "detach"])
            self.assertEqual(status, 0, out)
            found = re.findall(r"(\d+) instructions.*\n(\d+) cycles.*\n(?:.*\n)?digest = ([0-9a-f]{16})", text)
            self.assertEqual(len(found), moves + 1, text)
            seen = {}
            for where, cycles, digest in found:
                self.assertEqual(seen.setdefault(where, (cycles, digest)), (cycles, digest))
            self.assertLess(len(seen), len(found))

    def expect(self, text, *patterns):
        expect_in_order(self, text, *patterns)


if __name__ == "__main__":
    unittest.main()
