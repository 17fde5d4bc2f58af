#!/usr/bin/python3
"""Tests state digests and dccvp bisect, which finds the first instant at which two runs differ, and the first device
that differs.

  bisect_test.py BUILD/dccvp
"""

import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from harness import PATIENCE, SMALL_INCAST, figures

DCCVP = sys.argv.pop(1)


class Digests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="dccvp-bisect-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "t.yaml").write_text(SMALL_INCAST, encoding="utf-8")

    def call(self, *words, status=0, environment=None):
        done = subprocess.run([DCCVP, *words], cwd=self.folder, capture_output=True, text=True,
                              timeout=PATIENCE, check=False, env={**os.environ, **(environment or {})})
        self.assertEqual(done.returncode, status, f"{words}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def run_to(self, out, *more):
        self.call("run", "t.yaml", "--quiet", "--out", out, *more)
        return self.folder / out

    def rows(self, out):
        with open(out / "digest.csv", encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def bisect(self, *words, environment=None):
        text = self.call("bisect", "t.yaml", "t.yaml", "--format", "json", *words, status=1,
                         environment=environment)
        return json.loads(text)

    def test_a_row_an_instant_a_column_a_device(self):
        rows = self.rows(self.run_to("a", "--digest-every", "200us"))
        self.assertEqual([row["t_s"] for row in rows],
                         ["0", "0.0002", "0.0004", "0.0006", "0.0008", "0.001"])
        for device in ("s0", "host1.controller", "host1.nic", "host1.interrupts", "host1.memory",
                       "h1->s0", "s0->h0"):
            self.assertRegex(rows[0][device], "^[0-9a-f]{16}$")
        # The digest of a sending host changes in every row, and the digest of an idle wire never.
        self.assertEqual(len({row["host1.nic"] for row in rows}), 6)
        self.assertEqual(len({row["host0.controller"] for row in rows[1:]}), 1)

    def test_looking_changes_nothing(self):
        without = self.run_to("a")
        self.assertFalse((without / "digest.csv").exists())
        with_them = self.run_to("b", "--digest-every", "1us")
        again = self.run_to("c", "--digest-every", "1us")
        self.assertEqual(figures(without), figures(with_them))
        self.assertEqual((without / "flows.csv").read_bytes(), (with_them / "flows.csv").read_bytes())
        self.assertEqual((with_them / "digest.csv").read_bytes(), (again / "digest.csv").read_bytes())

    def test_a_window_shows_what_the_whole_shows(self):
        whole = {row["t_s"]: row for row in self.rows(self.run_to("a", "--digest-every", "1us"))}
        part = self.rows(self.run_to("b", "-c", "output.digest={every: 7us, from: 101us, to: 160us}"))
        self.assertEqual(len(part), 9)
        for row in part:
            self.assertEqual(row, whole[row["t_s"]])

    def test_windows_that_cannot_be(self):
        for value, message in (("{every: 0ps}", "every"), ("{every: 1ns, from: 2ms}", "after its end"),
                               ("{every: 1ps}", "more than 10000000 rows")):
            text = self.call("check", "t.yaml", "-c", f"output.digest={value}", status=2)
            self.assertIn(message, text)

    def test_the_same_runs_do_not_part(self):
        self.assertIn("The runs are the same.", self.call("bisect", "t.yaml", "t.yaml", "-c", "duration=200us"))

    def test_a_changed_parameter(self):
        found = self.bisect("--b", "switch.ecn.kmax=50KB", "-c", "seed=3")
        # The runs differ first at the switch's port, when only one of them marks a packet.
        self.assertEqual(found["devices"][0], "s0")
        self.assertEqual(found["equal_at_ps"], found["at_ps"] - 1)
        # Separate runs with a narrow window around the found time give the same answer.
        at = found["at_ps"]
        window = f"output.digest={{every: 1ps, from: {at - 1}ps, to: {at}ps}}"
        a = self.rows(self.run_to("a", "--seed", "3", "-c", window))
        b = self.rows(self.run_to("b", "--seed", "3", "-c", window, "-c", "switch.ecn.kmax=50KB"))
        self.assertEqual(a[0], b[0])
        self.assertNotEqual(a[1]["s0"], b[1]["s0"])
        self.assertEqual(a[1]["host0.nic"], b[1]["host0.nic"])

    def test_what_a_transport_has_in_mind(self):
        """Changes parameters whose effect only the digest of the NIC's state shows: a timeout that never expires,
        and an average that no packet carries."""
        for kind, other in (("tcp, min_timeout: 200ms", "min_timeout=1ms"),
                            ("uec", "nscc.mean_weight=1/40")):
            with self.subTest(kind):
                found = self.bisect("-c", "duration=70us", "-c", "measure={from: 0us, to: 70us}",
                                    "-c", "host.driver=none", "-c", "nic.congestion_control.algorithm=none",
                                    "-c", "switch.pfc.enabled=false",
                                    "-c", f"nic.transport={{kind: {kind}}}", "--b", f"nic.transport.{other}")
                self.assertTrue(found["devices"])
                for device in found["devices"]:
                    self.assertRegex(device, r"^host[0123]\.nic$")

    def test_a_bit_that_turns_over(self):
        fault = "faults=[{kind: memory_flip, at: 345678901ps, host: 2, address: 0x80201234, bit: 5}]"
        found = self.bisect("--b", fault)
        self.assertEqual(found["at_ps"], 345_678_901)
        self.assertEqual(found["devices"], ["host2.memory"])
        text = self.call("bisect", "t.yaml", "t.yaml", "--a", fault, status=1)
        self.assertIn("The runs differ at 345678901ps: host2.memory", text)

    def test_a_fault_in_the_wheels_rtl(self):
        done = subprocess.run([DCCVP, "check", "t.yaml", "-c", "nic.controller.timer=rtl"], cwd=self.folder,
                              capture_output=True, text=True, check=False)
        if "no RTL" in done.stderr:
            self.skipTest("this build has no RTL")
        # The run starts enough timers for the fault, which affects every 64th start. The hosts run no software, so no
        # memory is compared.
        rtl = ["--b", "nic.controller.timer=rtl", "-c", "duration=4ms", "-c", "host.driver=none",
               "-c", "nic.congestion_control.policy=proportional"]
        self.assertIn("same", self.call("bisect", "t.yaml", "t.yaml", *rtl))
        found = self.bisect(*rtl, environment={"DCCVP_WHEEL_FAULT": "1"})
        self.assertRegex(found["devices"][0], r"^host[123]\.controller$")
        # A fault of the timing wheel shows in its controller before it shows in any other device.
        self.assertEqual(len(found["devices"]), 1)

    def test_folders(self):
        self.run_to("a", "--digest-every", "10us")
        self.run_to("b", "--digest-every", "10us")
        self.assertIn("The runs are the same.", self.call("bisect", "a", "b"))
        self.run_to("c", "--digest-every", "10us", "-c",
                    "faults=[{kind: memory_flip, at: 333us, host: 3, address: 0x80201234, bit: 0}]")
        text = self.call("bisect", "a", "c", status=1)
        self.assertIn("The runs differ at 340us: host3.memory", text)
        self.assertIn("At 330us they were equal.", text)
        self.run_to("d", "--digest-every", "20us")
        self.assertIn("different instants", self.call("bisect", "a", "d", status=2))
        whole = (self.folder / "a/digest.csv").read_text(encoding="utf-8").splitlines(keepends=True)
        (self.folder / "d/digest.csv").write_text("".join(whole[:40]), encoding="utf-8")
        text = self.call("bisect", "a", "d", status=1)
        self.assertIn("The runs differ before 390us: B has ended", text)
        (self.folder / "d/digest.csv").write_text("".join(whole[:40]) + "0.00039,1,2\n", encoding="utf-8")
        self.assertRegex(self.call("bisect", "a", "d", status=2), r"digest.csv:41: \d+ values expected, not 3")

    def test_input_that_cannot_be_compared(self):
        self.run_to("a")
        self.assertIn("no digests", self.call("bisect", "a", "a", status=2))
        self.assertIn("one of each", self.call("bisect", "a", "t.yaml", status=2))
        self.assertIn("did you mean", self.call("bisect", "t.yaml", "t.yaml", "--b", "switch.ecn.kmx=1KB",
                                                status=2))
        text = self.call("bisect", "t.yaml", "t.yaml", "--b", "topology.hosts=5", status=2)
        self.assertIn("different devices: ", text)
        for fault, message in (
            ("host: 9, address: 0x80000000", "there is no host 9"),
            ("host: 1, address: 0x10", "no memory lies at 0x10"),
            ("host: 1, address: 0x8000_0000", "expected an address"),
            ("host: 1, address: 0x80000000, bit: 8", "7"),
            ("host: 1, address: 0x80000000, link: s0->h1", "link"),
        ):
            text = self.call("check", "t.yaml", "-c", f"faults=[{{kind: memory_flip, at: 1us, {fault}}}]",
                             status=2)
            self.assertIn(message, text)
        text = self.call("check", "t.yaml", "-c", "host.driver=none", "-c",
                         "faults=[{kind: memory_flip, at: 1us, host: 1, address: 0x80000000}]", status=2)
        self.assertIn("host 1 has no memory", text)


if __name__ == "__main__":
    unittest.main()
