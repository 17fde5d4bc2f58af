#!/usr/bin/python3
"""Tests firmware on the hosts of a platform: flows and shares equal those of native software, runs repeat instruction
by instruction, faulty programs end with a clear message, and the debugger's port survives invalid input."""

import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "system"))
from harness import PATIENCE, figures  # noqa: E402

DCCVP, FIRMWARE, ROOT = (pathlib.Path(a).resolve() for a in sys.argv[1:4])


SMALL = """\
duration: 300us
topology: {{kind: star, hosts: 2, link: {{rate: 100Gbps}}}}
nic: {{payload: virtual, congestion_control: {{algorithm: dcc}}}}
host: {{driver: native}}
hosts: {{"1": {{driver: firmware, elf: "{elf}"{more}}}}}
traffic:
  - {{kind: flow, from: 1, to: 0, dscp: 46, bytes: 8KiB, message: 4KiB, start: 100us}}
"""


class Platform(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="dccvp-platform-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_config(self, config, name, *arguments):
        done = subprocess.run([DCCVP, "run", config, "--quiet", "--no-plots", "--out",
                               self.folder / name, *arguments], capture_output=True, text=True,
                              timeout=PATIENCE, check=False)
        return done

    def figures(self, name):
        return figures(self.folder / name)

    def small(self, elf, more=""):
        config = self.folder / "small.yaml"
        config.write_text(SMALL.format(elf=elf, more=more))
        return config


class Transports(Platform):
    """Tests writes, sends, reads, atomic operations, unreliable connections and datagrams, with payload checks."""

    # A core of 200 MHz is slower than the native driver, and posts receive entries only when it is otherwise idle.
    # The flows begin late and slowly, so that a receive entry is posted in time.
    RATES = ("-c", "traffic.4.rate=200Mbps", "-c", "traffic.4.start=3ms", "-c", "traffic.5.rate=100Mbps",
             "-c", "duration=20ms")

    def test_every_message_is_as_it_was_sent_or_lay(self):
        done = self.run_config(ROOT / "configs/transports.yaml", "run", *self.RATES, "-c",
                               f"host={{driver: firmware, elf: {FIRMWARE / 'traffic.elf'}}}")
        # the expectations in the file require every flow to complete
        self.assertEqual(done.returncode, 0, done.stderr)
        hosts = {host["id"]: host for host in self.figures("run")["hosts"]}
        # Host 0 verifies written, sent and read data, host 1 its messages and its atomic counter, host 2 read and
        # swapped data.
        self.assertEqual([hosts[h]["messages_verified"] for h in range(3)],
                         [16 + 101 + 100 + 62, 50 + 500, 34 + 500])
        for host in hosts.values():
            self.assertEqual(host["payload_errors"], 0)
            self.assertGreater(host["instructions"], 100_000)


class FreeFirmware(Platform):
    """Tests firmware that moves the right data, but does not fill the result counters of the boot block."""

    def test_accounts_are_wanted_unless_told(self):
        strict = self.run_config(self.small(FIRMWARE / "test_no_accounts.elf"), "strict")
        self.assertEqual(strict.returncode, 1)
        self.assertIn("host 1 lost 2 completions", strict.stderr)
        self.assertIn("keeps_accounts: false", strict.stderr)
        free = self.run_config(
            self.small(FIRMWARE / "test_no_accounts.elf", ", keeps_accounts: false"), "free")
        self.assertEqual(free.returncode, 0, free.stderr)
        self.assertTrue(all(flow["completed"] for flow in self.figures("free")["flows"]))

    def test_all_of_ram_is_the_programs(self):
        big = FIRMWARE / "test_big_image.elf"
        overlap = "overlaps the boot block and the flows' buffers 0x80100000-"
        for name, host, more, status, said in (
                ("big", 2, "keeps_accounts: false, clock: 2GHz", 0, "host 2: big image: 7, stack above 3 MiB: yes"),
                ("small", 2, "keeps_accounts: false, ram: 2MiB", 2, "RAM has 2097152"),
                ("accounts", 2, "ram: 4MiB", 2, overlap),
                ("flows", 1, "keeps_accounts: false", 2, overlap)):
            config = self.small(big, f", {more}")
            text = config.read_text().replace("hosts: 2", "hosts: 3").replace('"1"', f'"{host}"')
            # flows start later, because the firmware first clears 2 MiB
            config.write_text(text.replace("start: 100us", "start: 3ms"))
            done = self.run_config(config, name, "-c", "duration=4ms")
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertIn(said, done.stderr)

    def test_a_controller_without_tables_is_told(self):
        for name, told in (("test_enable_only", True), ("traffic", False)):
            config = self.small(FIRMWARE / f"{name}.elf", ", keeps_accounts: false")
            done = self.run_config(config, name)
            self.assertEqual(done.returncode, 0, done.stderr)
            warnings = [w for w in self.figures(name)["warnings"] if "decrease table" in w]
            self.assertEqual(len(warnings), 1 if told else 0, warnings)
            for warning in warnings:
                self.assertTrue(warning.startswith("host 1: the controller is enabled"), warning)

    def test_a_handler_that_hangs_is_told(self):
        for name, told, more in (("test_hang_in_handler", True, ""), ("test_hang_asleep", True, ""),
                                 ("test_harts_ends_h", True, ", harts: 2"),
                                 ("test_polls", False, ""), ("traffic", False, "")):
            done = self.run_config(self.small(FIRMWARE / f"{name}.elf", f", keeps_accounts: false{more}"), name)
            self.assertEqual(done.returncode, 0, done.stderr)
            found = [d for d in self.figures(name)["diagnoses"] if d["id"] == "host_busy_at_end"]
            self.assertEqual(len(found), 1 if told else 0, found)
            for one in found:
                self.assertEqual(one["figures"]["host"], 1)
                # the program is busy from its start-up, at about 20 us, to 300 us
                self.assertGreater(one["figures"]["busy_s"], 250e-6)

    def test_a_death_is_one_all_the_same(self):
        done = self.run_config(self.small(FIRMWARE / "fault.elf", ", keeps_accounts: false"), "dead")
        self.assertEqual(done.returncode, 0, done.stderr)  # the program checks its own traps
        done = self.run_config(self.small(FIRMWARE / "test_stack_overflow.elf", ", keeps_accounts: false"),
                               "stack")
        self.assertEqual(done.returncode, 1)


class Demo(Platform):
    def test_shares_as_natively_and_two_runs_alike(self):
        demo = ROOT / "configs/demo.yaml"
        firmware = ("-c", "host.driver=firmware", "-c", f"host.elf={FIRMWARE}/traffic.elf")
        for name, arguments in (("native", ()), ("a", firmware), ("b", firmware)):
            done = self.run_config(demo, name, *arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
        native, a, b = (self.figures(name) for name in ("native", "a", "b"))
        self.assertEqual(a, b, "two runs differ")
        self.assertTrue(all(h["instructions"] > 10_000 for h in a["hosts"]))
        self.assertEqual([h["instructions"] for h in native["hosts"]], [0] * 9)
        flows = [[(f["id"], f["from"], f["to"], f["dscp"]) for f in m["flows"]] for m in (native, a)]
        self.assertEqual(*flows)
        for x, y in zip(native["classes"], a["classes"]):
            self.assertEqual(x["dscp"], y["dscp"])
            self.assertLessEqual(abs(x["share"] - y["share"]), 0.01)
        self.assertGreater(a["hosts"][0]["messages_verified"], 100)


class Kernel(Platform):
    def test_tasks_in_user_mode_beside_the_drivers(self):
        config = self.small(FIRMWARE / "kernel.elf")
        done = self.run_config(config, "out", "-c", "duration=5ms", "-c", "nic.payload=real")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line.removeprefix("host 1: ") for line in done.stderr.splitlines()]
        self.assertEqual(lines[:-1], ["kernel: 2 tasks in user mode, turns of 20 us",
                                      "reporter: messages sent and received, 0002",
                                      *(f"reporter: the worker has {x}"
                                        for x in ("854d", "f656", "731b")),
                                      "worker: reaches for the kernel's memory",
                                      "reporter: the worker is done",
                                      "kernel: the worker is ended: store access fault at the "
                                      "secret", "reporter: done"])
        self.assertRegex(lines[-1], r"^kernel: [1-9]\d* interrupts of the network, tasks "
                                    r"preempted: yes, secret kept$")
        figures_of_run = self.figures("out")
        self.assertTrue(figures_of_run["completed"])
        self.assertEqual(figures_of_run["hosts"][0]["messages_verified"], 2)


class Misaligned(Platform):
    def test_trap_or_done(self):
        config = self.small(FIRMWARE / "test_misaligned.elf")
        trapped = self.run_config(config, "trap")
        self.assertEqual(trapped.returncode, 1)
        self.assertIn("load address misaligned", trapped.stderr)
        config = self.small(FIRMWARE / "test_misaligned.elf", ", misaligned_done: true")
        done = self.run_config(config, "done")
        self.assertIn("host 1: 55443322 then 667766ff", done.stderr)


class Bad(Platform):
    def expect(self, elf, status, *patterns):
        done = self.run_config(self.small(elf), elf.stem)
        self.assertEqual(done.returncode, status, done.stderr)
        for pattern in patterns:
            self.assertTrue(re.search(pattern, done.stderr), f"{pattern!r} not in:\n{done.stderr}")
        return done.stderr

    def test_programs(self):
        where = r"0x8000\w+ \("
        for name, patterns in (
                ("busy_loop", (r"host1.*has not ended; pc " + where + "main",)),
                ("endless_loop", (r"host1.*endless loop with interrupts off at pc " + where,)),
                ("jump_nowhere", (r"instruction access fault at pc 0x20000000",
                                  r"called from " + where + "main")),
                ("stack_overflow", (r"stack overflow at pc " + where + "recurse",
                                    r"below the end of the stack")),
                ("read_only", (r"store access fault at pc " + where,
                               r"address 0x10000004 \(uart \+ 0x4\)"))):
            with self.subTest(name=name):
                self.expect(FIRMWARE / f"test_{name}.elf", 1, *patterns)

    def test_a_last_line_without_its_end_is_printed(self):
        program = (FIRMWARE / "traffic.elf").read_bytes()
        self.assertEqual(program.count(b" interrupts\n"), 1)
        path = self.folder / "open_end.elf"
        path.write_bytes(program.replace(b" interrupts\n", b" interrupts!"))
        done = self.run_config(self.small(path), "out", "-c", "duration=1ms")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"(?m)^host 1:   \d+ wake-ups, \d+ interrupts!$")

    def test_files(self):
        good = (FIRMWARE / "traffic.elf").read_bytes()
        for name, data, text in (("truncated", good[:3000], "truncated"),
                                 ("foreign", good[:18] + b"\x3e" + good[19:], "machine 62"),
                                 ("text", b"#!/bin/sh\n" * 9, "not an ELF file")):
            with self.subTest(name=name):
                path = self.folder / f"{name}.elf"
                path.write_bytes(data)
                error = self.expect(path, 2, text)
                self.assertEqual(error.count("\n"), 1)
                self.assertFalse((self.folder / name).exists())


def quiet_port():
    """Returns a free port below the range of ports that the system assigns, so that no other test gets it before
    the program under test does."""
    for port in range(20_000 + os.getpid() % 10_000, 32_000):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                pass
    raise AssertionError("no free port")


class Rubbish(Platform):
    def test_on_the_debuggers_port(self):
        port = quiet_port()
        config = self.small(FIRMWARE / "traffic.elf", f", gdb: {port}")
        process = subprocess.Popen([DCCVP, "run", config, "--no-plots", "--quiet", "--out",
                                    self.folder / "out"], stderr=subprocess.PIPE, text=True)
        try:
            line = process.stderr.readline()
            self.assertIn(f"gdb: listening on 127.0.0.1:{port}", line)
            # Reads the rest of the output, because a full pipe would stop the run.
            rest = []
            reader = threading.Thread(target=lambda: rest.append(process.stderr.read()))
            reader.start()
            for data in (b"GET / HTTP/1.1\r\n\r\n", bytes(range(256)) * 20, b"$#01$c#", b""):
                with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client:
                    client.sendall(data)
            # The run still waits for a debugger. A debugger connects and leaves again.
            with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client:
                client.sendall(b"$D#44")
                client.recv(16)
            self.assertEqual(process.wait(timeout=PATIENCE), 0)
            reader.join(timeout=PATIENCE)
        finally:
            process.kill()
            process.stderr.close()
        self.assertTrue(json.loads((self.folder / "out/metrics.json").read_text())["completed"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
