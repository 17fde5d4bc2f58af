#!/usr/bin/python3
"""Tests dccvp run --interactive with a script on standard input: pauses, reads, steps, and invalid input.

  interactive_test.py BUILD/dccvp
"""

import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from harness import PATIENCE, SMALL_INCAST, expect_in_order, figures

DCCVP = ""


class Interactive(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="dccvp-interactive-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "t.yaml").write_text(SMALL_INCAST)

    def session(self, *commands, status=0, raw=None, options=()):
        data = raw if raw is not None else ("\n".join(commands) + "\n").encode()
        done = subprocess.run([DCCVP, "run", "t.yaml", "--interactive", "--quiet", "--force",
                               "--out", "out", *options], cwd=self.folder, input=data,
                              capture_output=True, timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, status, done.stderr.decode(errors="replace"))
        return done.stdout.decode(errors="replace")

    def expect(self, text, *patterns):
        expect_in_order(self, text, *patterns)

    def figures(self):
        return figures(self.folder / "out")

    def test_pauses_at_times(self):
        text = self.session("time", "read flow[2]", "until 100us", "run 20us", "time", "until 90us", "run")
        self.expect(text, r"^paused at 0us$", r"^0us$", r"^flow\[2\] = host 3 to host 0, dscp 46, no queue pair yet$",
                    r"^paused at 100us$", r"^paused at 120us$",
                    r"^120us$", r"^90us is not ahead: it is 120us$")
        self.assertTrue(self.figures()["completed"])

    def test_hardware_alone_does_not_tell_of_slots(self):
        engine = ("-c", "nic.controller.engine=rtl", "-c", "duration=60us",
                  "-c", "measure={from: 0us, to: 60us}")
        built = subprocess.run([DCCVP, "check", "t.yaml", *engine], cwd=self.folder, capture_output=True,
                               timeout=PATIENCE, check=False)
        if b"no RTL" in built.stderr:
            self.skipTest("this build has no RTL")
        text = self.session("until cut", "until 40us", "read host1.slots_in_use", options=engine)
        self.expect(text, r"^engine: rtl does not report changes of its slots; engine: lockstep does$",
                    r"^paused at 40us$", r"^host1\.slots_in_use = \d+$")
        for trace in ("signals", "perfetto"):
            done = subprocess.run([DCCVP, "check", "t.yaml", *engine, "-c", f"output.trace.{trace}=true"],
                                  cwd=self.folder, capture_output=True, timeout=PATIENCE, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"output.trace.{trace}: engine: rtl does not report changes of its slots",
                          done.stderr.decode())

    def test_reads_registers_before_and_after_the_driver_came(self):
        text = self.session("read host1.dcc.ID", "read host1.dcc.R_MAX", "until 40us",
                            "read host1.dcc.R_MAX", "read host1.nic.CTRL", "read host1.slot[0]",
                            "read host1.slots_in_use")
        self.expect(text, r"host1\.dcc\.ID = 0x44434331$", r"host1\.dcc\.R_MAX = 0x\w+$",
                    r"^paused at 40us$", f"host1.dcc.R_MAX = {25_000 * 256:#010x}$",
                    r"host1\.nic\.CTRL = 0x\w+$", r"host1\.slot\[0\] = free$",
                    r"host1\.slots_in_use = 0$")

    def test_stops_at_controller_events(self):
        text = self.session("until bound", "until cut", "slots host1", "slots 2", "slots 3",
                            "until increase", "read flow[0]", "read queue[0]")
        self.expect(text, r"^host [123], slot 0, flow number 2: bound at ",
                    r"^host [123], slot 0, flow number 2: cut at ", r"^1 of 1024 slots in use$",
                    r"  0: flow \d \(number 2\), rate [\d.]+ Gb/s, target 25 Gb/s, alpha 1\.0",
                    r"^host [123], slot 0, flow number 2: increase at ",
                    r"^flow\[0\] = host 1 to host 0, dscp 46, rate ", r"^queue\[0\] = s0->h\d: \d+")

    def test_stops_when_a_register_changes(self):
        text = self.session("until change host1.dcc.CTRL", "read host1.dcc.CTRL",
                            "until change host2.slots_in_use")
        self.expect(text, r"^host1\.dcc\.CTRL: (0x\w+) -> (0x\w+), at ", r"host1\.dcc\.CTRL = 0x",
                    r"^host2\.slots_in_use: 0 -> 1, at ")
        first = re.search(r"CTRL: (0x\w+) -> (0x\w+), at .*\nhost1\.dcc\.CTRL = (0x\w+)", text)
        self.assertNotEqual(first.group(1), first.group(2))
        self.assertEqual(first.group(2), first.group(3))

    def test_steps_event_by_event(self):
        text = self.session("until 100us", *["step"] * 3, "step 1000", "time")
        scale = {"us": 1e6, "ns": 1e3, "ps": 1}
        times = [float(number) * scale[unit] for number, unit in
                 re.findall(r"^stepped at ([\d.]+)([unp]s)$", text, re.MULTILINE)]
        self.assertEqual(len(times), 4)
        self.assertEqual(times, sorted(times))
        self.assertLess(times[-2], times[-1])

    def test_congestion_control_of_infiniband(self):
        ibcc = ("-c", "nic.congestion_control={algorithm: ibcc, ccti_timer: 153600ns, ccti_increase: 1, becn_every: 1}")
        text = self.session("ibccquery CACongestionSetting 1",
                            "ibccconfig CACongestionSetting host1 0 400000000000 300 2 0 5",
                            "ibccquery CACongestionSetting host1", "ibccquery CACongestionSetting 2",
                            "ibccquery CongestionControlTable 1 0", "ibccquery CongestionControlTable 1 900",
                            "ibccconfig CACongestionSetting 1 0 ffff 0 2 0 5",
                            "ibccconfig CACongestionSetting 1 1 ffff 300 2 0 5", "ibccconfig CACongestionSetting 1 0",
                            "ibccquery CACongestionSetting 9", "until 500us", "run", options=ibcc)
        self.expect(text, r"^Port_Control: 0 \(queue pairs\), CCTI_Limit: \d+$",
                    r"^SL 0-63: CCTI_Increase 1, CCTI_Timer 150 \(153600ns\), CCTI_Min 0$",
                    r"^SL 0-45: CCTI_Increase 1, CCTI_Timer 150 \(153600ns\), CCTI_Min 0$",
                    r"^SL 46-46: CCTI_Increase 2, CCTI_Timer 300 \(307200ns\), CCTI_Min 5$",
                    r"^SL 47-63: CCTI_Increase 1,", r"^SL 0-63: CCTI_Increase 1,",
                    r"^CCTI_Limit: \d+$", r"^  63: \d+[np]s$", r"^blocks are 0 to \d$", r"^refused: ",
                    r"^PORT_CONTROL cannot change", r"^ibccconfig CACongestionSetting HOST", r"^there is no such host$")
        changed = self.figures()
        self.session(raw=b"", options=ibcc)
        # After the change host 1 reduces its window twice as far, and increases it half as fast.
        rate = {flow["from"]: flow["goodput_gbps"] for flow in changed["flows"]}
        self.assertLess(rate[1], 0.7 * (rate[2] + rate[3]) / 2)
        rate = {flow["from"]: flow["goodput_gbps"] for flow in self.figures()["flows"]}
        self.assertGreater(rate[1], 0.7 * (rate[2] + rate[3]) / 2)
        text = self.session("ibccquery CACongestionSetting 1", "quit", status=1)
        self.expect(text, r"^this host's algorithm is not ibcc$")

    def test_looking_changes_nothing(self):
        self.session(raw=b"")
        plain = self.figures()
        self.session("until 60us", "modules", "slots 1", "step 500", "read host0.dcc.STATUS",
                     "until cut", "read host1.slot[0]", "until change host3.slots_in_use",
                     "until 500us", "read queue[0]", "read host1.timer_lag")
        self.assertEqual(self.figures(), plain)

    def test_indices_do_not_wrap(self):
        text = self.session("read host1.slot[4294967296]", "read flow[18446744073709551616]",
                            "read queue[-1]", "quit", status=1)
        self.expect(text, r"^host1\.slot\[4294967296\]: indices go from 0 to \d+$",
                    r"^flow\[18446744073709551616\]: indices go from 0 to 2$",
                    r"^queue\[-1\]: indices go from 0 to \d+$")

    def test_ctrl_c_ends_a_wait_that_looks_after_every_event(self):
        run = subprocess.Popen([DCCVP, "run", "t.yaml", "--interactive", "--quiet", "--out", "out",
                                "-c", "duration=1000s", "-c",
                                "output.series.interval=1s"], cwd=self.folder, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(run.kill)
        self.assertIn(b"paused", run.stdout.readline())
        run.stdin.write(b"until 100us\nuntil change host2.dcc.ID\n")
        run.stdin.flush()
        self.assertIn(b"paused", run.stdout.readline())
        time.sleep(0.2)
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=PATIENCE)
        self.assertEqual(run.returncode, 1)
        self.assertFalse(json.loads((self.folder / "out/metrics.json").read_text())["completed"])

    def test_modules(self):
        text = self.session("modules", "help")
        self.expect(text, r"host0\.controller  congestion controller: registers host0\.dcc\.NAME",
                    r"host0\.nic  NIC", r"host3\.controller", r"  s0  switch", r"^values:",
                    r"host0\.slot\[0\.\.1023\]", r"flow\[0\.\.2\]", r"^until EVENT")

    def test_quit_keeps_the_results_so_far(self):
        self.session("until 300us", "quit", "run", status=1)
        figures = self.figures()
        self.assertFalse(figures["completed"])
        self.assertAlmostEqual(figures["sim_time_s"], 300e-6, places=6)

    def test_quit_at_once(self):
        self.session("quit", status=1)
        self.assertEqual(self.figures()["link_traversals"], 0)

    def test_mistakes_are_answered(self):
        text = self.session("dance", "read", "read nothing.here", "read host1.slot", "read flow[9]",
                            "read host1.slot[x]", "read host9.dcc.CTRL", "until", "until yesterday",
                            "until change", "until change nowhere", "run 5", "run 0us", "run -1us",
                            "step 0", "step many", "slots", "slots 17", "read a b c d",
                            "until 5ms", "")
        for sentence in ("unknown command 'dance'", "read what?", "nothing.here: no such value",
                         "host1.slot needs an index", "indices go from 0 to 2",
                         "the index must be a number", "host9.dcc.CTRL: no such value",
                         "until what?", "'yesterday' is neither a time", "until change of what?",
                         "nowhere: no such value", "'5': needs a unit", "0us is no time at all",
                         "'0' is not a number of events", "'many' is not a number of events",
                         "'' is not a host", "'17' is not a host: there are 0 to 3",
                         "too many words"):
            self.assertIn(sentence, text)
        self.assertTrue(self.figures()["completed"], "a time behind the end runs to the end")

    def test_garbage_is_harmless(self):
        noise = random.Random(1)
        garbage = bytes(noise.randrange(256) for _ in range(20_000))
        words = [b"read", b"until", b"step", b"run", b"slots", b"change", b"cut", b"1us", b"[", b"]",
                 b"host1.slot[", b"99999999999999999999", b"\x00", b"\xff", b"-1", b"flow[1]"]
        for _ in range(2000):
            garbage += b" ".join(noise.choice(words) for _ in range(noise.randrange(5))) + b"\n"
        text = self.session(raw=garbage + b"x" * 5000 + b"\nrun\n")
        self.assertIn("unknown command", text)
        self.assertFalse(re.search(r"[^\x09\x0a\x20-\x7e]", text), "control characters came back")
        self.assertTrue(self.figures()["completed"])

    def test_other_drivers_and_algorithms(self):
        text = self.session("slots 0", "read host0.nic.CTRL", "until 100us",
                            options=("-c", "host.driver=none", "-c",
                                     "nic.congestion_control.algorithm=timely"))
        self.expect(text, r"host 0 has no congestion controller", r"host0\.nic\.CTRL: no such",
                    r"^paused at 100us$")


if __name__ == "__main__":
    DCCVP = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
