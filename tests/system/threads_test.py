"""Tests that a run shared by several threads writes the same bytes as a run on one thread.

  threads_test.py BUILD/dccvp [--full]

Four threads share every run. Two, three and eight threads share some of the runs, and with --full all runs.
"""

import json
import os
import pathlib
import pty
import re
import resource
import signal
import subprocess
import sys
import tempfile
import unittest

import harness
from divisible_runs import RUNS

FULL = "--full" in sys.argv
if FULL:
    sys.argv.remove("--full")
DCCVP = sys.argv.pop(1)
CONFIGS = pathlib.Path(__file__).resolve().parents[2] / "configs"
PROGRAM = pathlib.Path(DCCVP).resolve().parent / "firmware/programs/dcqcn.elf"  # program for `algorithm: program`
# Cases with an unusual number of partitions: no power of two, or more partitions than processors.
ODD = ("telemetry", "the controller", "headers, NACKs and PULLs", "more parts than threads")
# Hedera's scheduler reads the state of all switches, so processes cannot share the run.
HEDERA = ("reproduce/fbhadoop_dcqcn.yaml",
          ["duration=200us", "routing={kind: hedera, period: 20us}",
           "traffic=[{kind: permutation, hosts: 0..319, bytes: 1MB}]"])
LMC = ("reproduce/fbhadoop_dcqcn.yaml",
       ["duration=200us", "routing={kind: lmc, lmc: 2, move_period: 20us}",
        "traffic=[{kind: permutation, hosts: 0..319, bytes: 1MB}]"])
# AuTO's agent receives reports of the flows of all hosts, so processes cannot share the run.
AGENT = ("schemes/auto.yaml", ["traffic.0.flows_per_host=20"])


class Threads(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_with(self, threads, config, overrides, *more, quiet=True, before=None):
        out = pathlib.Path(self.folder.name) / f"{threads}"
        words = [DCCVP, "run", str(config), "--no-plots", "--force", "--out", str(out),
                 *(["--quiet"] if quiet else []), *more]
        for override in ["expect=[]", *overrides]:
            words += ["-c", override]
        if threads:
            words += ["--threads", str(threads)]
        done = subprocess.run(words, capture_output=True, text=True, check=False,
                              timeout=harness.PATIENCE, preexec_fn=before)
        self.assertEqual(done.returncode, 0, done.stderr)
        speed = json.loads((out / "metrics.json").read_text(encoding="utf-8"))["speed"]
        return out, speed["threads"], done.stderr

    def test_results_are_the_same(self):
        # Without --full the test uses every third run of the list. The tests of processes compare other runs of the
        # list.
        chosen = {what: RUNS[what] for i, what in enumerate(RUNS) if FULL or i % 3 == 1 or what in ODD}
        runs = {**chosen, "a scheduler of flows": HEDERA, "a manager of paths": LMC,
                "an agent of thresholds": AGENT}
        for what, (config, changed) in runs.items():
            with self.subTest(what):
                # Compares the results, and also digests of every device's state at intermediate times.
                overrides = [*changed, "output.digest.every=47us"]
                one, threads, _ = self.run_with(1, CONFIGS / config, overrides)
                self.assertEqual(threads, 1)
                expected = harness.figures(one)
                files = sorted(f.relative_to(one) for f in one.rglob("*.csv"))
                self.assertIn(pathlib.Path("flows.csv"), files)
                self.assertIn(pathlib.Path("digest.csv"), files)
                for wanted in (2, 3, 4, 8) if FULL or what in ODD else (4,):
                    many, threads, _ = self.run_with(wanted, CONFIGS / config, overrides)
                    # A network of two switches cannot be divided into three partitions, and a small tree not into
                    # eight.
                    if wanted == 2 or "fbhadoop" in config or ("schemes" in config and wanted < 8):
                        self.assertEqual(threads, wanted)
                    self.assertGreater(threads, 1)
                    self.assertEqual(harness.figures(many), expected)
                    for file in files:
                        self.assertEqual((many / file).read_bytes(), (one / file).read_bytes(), file)

    def test_every_transport_ends_all_flows_through_losses_the_same_way(self):
        """Every registered transport completes all flows through losses, with equal results on any number of
        threads."""
        said = subprocess.run([DCCVP, "params", "--format", "json", "--match", "nic.transport.kind"],
                              capture_output=True, text=True, check=True).stdout
        names = json.loads(said)[0]["range"].split(" | ")
        self.assertIn("roce", names)
        config = CONFIGS / "schemes" / "pfabric.yaml"
        for name in names:
            with self.subTest(name):
                overrides = [f"nic.transport.kind={name}", "switch.scheduler.kind=strict",
                             "routing.kind=symmetric", "traffic.0.flows_per_host=2", "duration=100s",
                             "output.series.interval=1s",
                             "faults=[{kind: loss, link: all, probability: 0.002}]"]
                one, *_ = self.run_with(1, config, overrides)
                expected = harness.figures(one)
                self.assertTrue(all(flow["completed"] for flow in expected["flows"]))
                self.assertGreater(expected["aggregate"]["drops"], 0)
                two, threads, _ = self.run_with(2, config, overrides)
                self.assertEqual(threads, 2)
                self.assertEqual(harness.figures(two), expected)
                self.assertEqual((two / "flows.csv").read_bytes(), (one / "flows.csv").read_bytes())

    def test_every_algorithm_does_the_same_on_two(self):
        """Every registered algorithm gives equal results on two threads."""
        said = subprocess.run([DCCVP, "params", "--format", "json", "--match",
                               "nic.congestion_control.algorithm"], capture_output=True, text=True, check=True).stdout
        names = json.loads(said)[0]["range"].split(" | ")
        self.assertIn("dcqcn", names)
        config = CONFIGS / "reproduce" / "survey_table.yaml"
        for name in names:
            with self.subTest(name):
                # A few senders send to a receiver in another pod, so that CE marks, cuts and losses cross the
                # partition boundary.
                program = f", elf: {PROGRAM}" if name == "program" else ""
                overrides = [f"nic.congestion_control={{algorithm: {name}{program}}}", "duration=150us",
                             "traffic=[{kind: incast, senders: [100..107, 200..203], receiver: 0, bytes: 100KB}]",
                             "switch.ecn={enabled: true, kmin: 5KB, kmax: 200KB, pmax: 0.2}",
                             "nic.recovery.timeout=50us", "faults=[{kind: loss, link: all, probability: 0.0005}]",
                             "output.digest.every=47us"]
                one, *_ = self.run_with(1, config, overrides)
                self.assertGreater(harness.figures(one)["aggregate"]["goodput_gbps"], 0)
                two, threads, _ = self.run_with(2, config, overrides)
                self.assertEqual(threads, 2)
                self.assertEqual(harness.figures(two), harness.figures(one))
                for file in ("flows.csv", "digest.csv"):
                    self.assertEqual((two / file).read_bytes(), (one / file).read_bytes(), file)

    def test_says_why_it_stays_whole(self):
        for overrides, reason in (
            (["host.driver=native"], "hosts run software"),
            (["output.trace.perfetto=true", "nic.congestion_control={algorithm: dcc}"],
             "a trace, a debugger or a prompt watches single events"),
        ):
            with self.subTest(reason):
                config = CONFIGS / "reproduce" / "ib_parking_lot.yaml"
                _, threads, said = self.run_with(
                    2, config, ["duration=100us", "measure={from: 0s, to: 100us}", *overrides], quiet=False)
                self.assertEqual(threads, 1)
                self.assertIn(f"dccvp: one thread runs everything: {reason}\n", said)

    def test_takes_two_unasked_for_a_large_network(self):
        config = CONFIGS / "reproduce" / "fbhadoop_hpcc.yaml"
        _, threads, _ = self.run_with(0, config, ["duration=20us"])
        self.assertEqual(threads, min(2, len(os.sched_getaffinity(0))))

    def test_ends_where_it_is_interrupted(self):
        out = pathlib.Path(self.folder.name) / "cut"
        ours, theirs = pty.openpty()
        endless = "traffic=[{kind: permutation, hosts: 0..319}]"
        with subprocess.Popen(
                [DCCVP, "run", CONFIGS / "reproduce" / "fbhadoop_hpcc.yaml", "--no-plots", "--out",
                 out, "--threads", "2", "-c", "duration=3ms", "-c", endless, "-c",
                 "output.series={interval: 3ms, flows: none, queues: none, classes: false}"],
                stdout=subprocess.DEVNULL, stderr=theirs, stdin=subprocess.DEVNULL) as run:
            os.close(theirs)
            line = b""
            while not re.search(rb"\r[0-9.]*[1-9][0-9.]* (us|ms) of 3\.00 ms", line):
                line += os.read(ours, 4096)  # an OSError means that the process ended without a message
            run.send_signal(signal.SIGINT)
            while True:  # reads the terminal, since the process would otherwise block
                try:
                    if not os.read(ours, 4096):
                        break
                except OSError:  # the program has closed its end of the terminal
                    break
            self.assertEqual(run.wait(timeout=harness.PATIENCE), 1)
        os.close(ours)
        figures = harness.figures(out)
        self.assertFalse(figures["completed"])
        self.assertGreater(figures["sim_time_s"], 0)
        self.assertEqual(figures["measure"]["to_s"], figures["sim_time_s"])
        self.assertGreater(figures["aggregate"]["goodput_gbps"], 0)

    def test_does_alone_what_the_system_gives_no_thread_for(self):
        def no_room():  # this limit makes a thread's stack larger than the address space
            most = resource.getrlimit(resource.RLIMIT_STACK)[1]
            resource.setrlimit(resource.RLIMIT_STACK, (1 << 47, most))
        config = CONFIGS / "reproduce" / "fbhadoop_hpcc.yaml"
        one, *_ = self.run_with(1, config, ["duration=20us"])
        two, threads, _ = self.run_with(2, config, ["duration=20us"], before=no_room)
        self.assertEqual(threads, 1)
        self.assertEqual(harness.figures(two), harness.figures(one))

    def test_does_not_divide_unasked_what_is_small(self):
        config = CONFIGS / "reproduce" / "ib_parking_lot.yaml"
        _, threads, said = self.run_with(0, config, ["duration=100us", "measure={from: 0s, to: 100us}"], quiet=False)
        self.assertEqual(threads, 1)
        self.assertNotIn("one thread", said)

    def test_refuses_a_number_that_cannot_be(self):
        for number in ("0", "65", "two"):
            done = subprocess.run([DCCVP, "run", str(CONFIGS / "demo.yaml"), "--threads", number],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("--threads", done.stderr)


if __name__ == "__main__":
    unittest.main()
