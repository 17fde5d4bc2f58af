#!/usr/bin/python3
"""Tests the folder of a run's results: which runs may replace the folder, and which files a run that ends early
leaves.

  output_folder_test.py BUILD/dccvp
"""

import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from harness import PATIENCE

DCCVP = ""

CONFIG = """\
duration: 5ms
topology: {kind: star, hosts: 4, link: {rate: 25Gbps}}
nic: {congestion_control: {algorithm: none}}
host: {driver: none}
traffic: [{kind: incast, senders: 1..3, receiver: 0}]
"""
FOR_EVER = ("-c", "duration=1000s", "-c", "output.series.interval=1s", "-c",
            "output.trace.signals=true", "-c", "output.trace.interval=1s")


class OutputFolder(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory(prefix="dccvp-output-")
        self.folder = pathlib.Path(self.place.name)
        self.addCleanup(self.place.cleanup)
        (self.folder / "c.yaml").write_text(CONFIG)
        self.out = self.folder / "out"
        self.out.mkdir()

    def start(self, *arguments, **keywords):
        return subprocess.Popen([DCCVP, "run", str(self.folder / "c.yaml"), "--no-plots", "--quiet",
                                 *arguments], stderr=subprocess.PIPE, text=True, **keywords)

    def finish(self, run):
        errors = run.communicate(timeout=PATIENCE)[1]
        return run.returncode, errors

    def await_stage(self, run):
        """Waits for the hidden folder in which a run collects its results."""
        while run.poll() is None:
            stages = [p for p in self.out.iterdir() if ".tmp-" in p.name]
            if stages and any(stages[0].rglob("*.vcd")):
                return
            time.sleep(0.01)
        self.fail(run.communicate()[1])

    def test_of_two_runs_at_once_neither_loses_its_results(self):
        first = self.start("--out", str(self.out / "x"), *FOR_EVER)
        self.await_stage(first)
        code, errors = self.finish(self.start("--seed", "2", "--out", str(self.out / "x")))
        self.assertEqual((code, errors), (0, ""))
        first.send_signal(signal.SIGINT)  # SIGINT ends the simulation but not the program
        code, errors = self.finish(first)
        beside = self.out / f"x-{first.pid}"
        self.assertEqual(code, 2)
        self.assertEqual(errors, f"dccvp: '{self.out / 'x'}' was filled by another process meanwhile; "
                                 f"the results of this run are in '{beside}'\n")
        self.assertEqual(sorted(p.name for p in self.out.iterdir()), sorted(["x", beside.name]))
        for folder, seed in ((self.out / "x", 2), (beside, 1)):
            self.assertTrue((folder / "metrics.json").exists())
            self.assertIn(f"seed: {seed}\n", (folder / "config.effective.yaml").read_text())

    def test_nor_with_force_over_an_earlier_run(self):
        self.assertEqual(self.finish(self.start("--out", str(self.out / "x"))), (0, ""))
        first = self.start("--force", "--out", str(self.out / "x"), *FOR_EVER)
        self.await_stage(first)
        self.assertEqual(self.finish(self.start("--force", "--out", str(self.out / "x"))), (0, ""))
        first.send_signal(signal.SIGINT)
        self.assertEqual(self.finish(first)[0], 2)
        self.assertEqual(len(list(self.out.iterdir())), 2)

    def test_what_came_into_an_empty_folder_meanwhile_stays(self):
        (self.out / "x").mkdir()
        run = self.start("--out", str(self.out / "x"), *FOR_EVER)
        self.await_stage(run)
        (self.out / "x/thesis.tex").write_text("x")
        run.send_signal(signal.SIGINT)
        self.assertEqual(self.finish(run)[0], 2)
        self.assertTrue((self.out / "x/thesis.tex").exists())

    def test_a_link_stays_a_link(self):
        (self.folder / "target").mkdir()
        (self.out / "link").symlink_to(self.folder / "target")
        self.assertEqual(self.finish(self.start("--out", str(self.out / "link"))), (0, ""))
        self.assertTrue((self.out / "link").is_symlink())
        self.assertTrue((self.folder / "target/metrics.json").exists())
        (self.out / "nowhere").symlink_to(self.folder / "gone")
        code, errors = self.finish(self.start("--out", str(self.out / "nowhere")))
        self.assertEqual(code, 2)
        self.assertEqual(errors, f"dccvp: '{self.out / 'nowhere'}' is a link that leads nowhere\n")

    def test_a_signal_leaves_nothing_behind(self):
        for number in (signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number):
                run = self.start("--out", str(self.out / "x"), *FOR_EVER)
                self.await_stage(run)
                run.send_signal(number)
                self.assertEqual(self.finish(run)[0], -number)
                self.assertEqual(list(self.out.iterdir()), [])

    def test_nohup_holds(self):
        def ignore():
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
        run = self.start("--out", str(self.out / "x"), *FOR_EVER, preexec_fn=ignore)
        self.await_stage(run)
        run.send_signal(signal.SIGHUP)
        time.sleep(0.3)
        self.assertIsNone(run.poll())
        run.send_signal(signal.SIGTERM)
        self.finish(run)
        self.assertEqual(list(self.out.iterdir()), [])

    def test_a_limit_on_files_is_an_error_and_leaves_nothing_behind(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        code, errors = self.finish(self.start("--out", str(self.out / "x"), preexec_fn=limit))
        self.assertEqual(code, 2, errors)
        self.assertIn("could not be written", errors)
        self.assertEqual(list(self.out.iterdir()), [])

    def test_a_place_that_cannot_be_written_is_named_as_the_user_did(self):
        (self.out / "file").write_text("x")
        code, errors = self.finish(self.start("--out", str(self.out / "file/x")))
        self.assertEqual(code, 2)
        self.assertEqual(errors,
                         f"dccvp: '{self.out / 'file/x'}' cannot be made: Not a directory\n")


if __name__ == "__main__":
    DCCVP = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=2)
