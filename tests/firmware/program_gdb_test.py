#!/usr/bin/python3
"""Tests the real gdb on the cores of a NIC while the network runs.

  program_gdb_test.py DCCVP FIRMWARE_FOLDER SOURCE_FOLDER
"""

import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "system"))
from harness import PATIENCE, SKIPPED, expect_in_order  # noqa: E402

DCCVP, FIRMWARE, ROOT = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
GDB = shutil.which("gdb-multiarch")
ELF = FIRMWARE / "programs/halve.elf"
CONFIG = f"""\
duration: 500us
topology: {{kind: star, hosts: 5}}
nic:
  congestion_control: {{algorithm: program, elf: {ELF}, cores: 2}}
  cnp: {{interval: 50us}}
host: {{driver: none}}
traffic: [{{kind: incast, senders: 1..4, receiver: 0}}]
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class ProgramGdb(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.config = pathlib.Path(self.folder.name) / "small.yaml"
        self.config.write_text(CONFIG, encoding="utf-8")

    def run_with(self, name, *options):
        return [DCCVP, "run", self.config, "--quiet", "--no-plots", "--out", f"{self.folder.name}/{name}", *options]

    def flows(self, name):
        return (pathlib.Path(self.folder.name) / name / "flows.csv").read_bytes()

    def session(self, *commands, elf=ELF, host=2):
        port = free_port()
        run = subprocess.Popen(self.run_with("debugged", "-c", f"nic.congestion_control.gdb={port}",
                                             "-c", f"nic.congestion_control.gdb_host={host}"),
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(run.kill)
        line = run.stderr.readline().decode()
        self.assertEqual(line, f"host {host}: gdb on the cores of its NIC: listening on 127.0.0.1:{port}, waiting\n")
        script = ["set pagination off", "set confirm off", "set architecture riscv:rv32",
                  f"set remotetimeout {PATIENCE}", f"target remote 127.0.0.1:{port}", *commands]
        with tempfile.NamedTemporaryFile("w", suffix=".gdb") as file:
            file.write("\n".join(script) + "\n")
            file.flush()
            done = subprocess.run([GDB, "-batch", "-nx", "-x", file.name, elf], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE, check=False)
        _, errors = run.communicate(timeout=PATIENCE)
        return done.stdout.decode(), run.returncode, errors.decode()

    def test_a_handler_is_stopped_read_stepped_and_the_run_is_the_same(self):
        text, status, errors = self.session(
            "break cut", "continue", "print event->flow", "print event->rate == event->line_rate", "monitor event",
            "info registers pc a0", "x/1wx event", "stepi", "stepi", "next", "delete", "break rise", "continue",
            "monitor time", "backtrace", "delete", "watch result->rate", "continue", "delete", "detach")
        expect_in_order(self, text, r"Breakpoint 1, cut ", r"\$1 = \d+", r"\$2 = [01]",
                        r"cnp of flow \d+ at \d+ ps, 1 merged",
                        r"pc +0x[0-9a-f]+\s+0x[0-9a-f]+ <cut", r"a0 +0x", r"0x[0-9a-f]+:\s+0x00000001",
                        r"Breakpoint 2, rise ", r"\d+ ps", r"#0 +rise", r"atchpoint 3: result->rate",
                        r"New value = \d+")
        self.assertEqual(status, 0, errors)
        subprocess.run(self.run_with("plain"), check=True, timeout=PATIENCE, capture_output=True)
        self.assertEqual(self.flows("debugged"), self.flows("plain"))

    def check_with(self, *overrides):
        options = [part for text in ("nic.congestion_control.gdb=4444", *overrides) for part in ("-c", text)]
        return subprocess.run([DCCVP, "check", self.config, *options], capture_output=True, text=True,
                              timeout=PATIENCE, check=False)

    def test_a_host_without_the_program_is_refused(self):
        self.assertEqual(self.check_with("nic.congestion_control.gdb_host=4").returncode, 0)
        done = self.check_with("nic.congestion_control.gdb_host=5")
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no host 5: the topology has 0 to 4", done.stderr)
        done = self.check_with("nic.congestion_control.gdb_host=3",
                               "nics=[{hosts: [3], congestion_control: {algorithm: dcqcn}}]")
        self.assertEqual(done.returncode, 2)
        self.assertIn("host 3 runs another algorithm", done.stderr)

    def test_a_host_with_several_ports_has_its_own_number(self):
        port = free_port()
        with subprocess.Popen(self.run_with("ports", "-c", "nic.ports=2", "-c", f"nic.congestion_control.gdb={port}",
                                            "-c", "nic.congestion_control.gdb_host=4"),
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True) as run:
            said = run.stderr.readline()
            run.kill()  # kills the run before a failure is raised, since the run waits for a debugger
        self.assertIn(f"host 4.0: gdb on the cores of its NIC: listening on 127.0.0.1:{port}", said)

    def test_a_breakpoint_stops_every_time_and_the_run_ends_under_gdb(self):
        text, status, errors = self.session("break cut", "ignore 1 2", "continue", "info breakpoints", "delete",
                                            "continue")
        found = re.search(r"breakpoint already hit (\d+) times", text)
        self.assertIsNotNone(found, text)
        self.assertEqual(int(found.group(1)), 3)
        self.assertIn("exited normally", text)
        self.assertEqual(status, 0, errors)

    def test_a_debuggers_write_takes_effect(self):
        _, status, errors = self.session("break rise", "continue", "set var $pc = $ra", "detach")
        self.assertEqual(status, 0, errors)
        subprocess.run(self.run_with("plain"), check=True, timeout=PATIENCE, capture_output=True)
        self.assertNotEqual(self.flows("debugged"), self.flows("plain"))

    def test_the_debugger_may_end_the_run(self):
        _, status, _ = self.session("break cut", "continue", "kill")
        self.assertIn(status, (0, 1))


if __name__ == "__main__":
    if GDB is None:
        print("gdb-multiarch is missing: skipped")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1])
