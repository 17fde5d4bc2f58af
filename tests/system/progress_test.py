#!/usr/bin/python3
"""Tests the progress line of a run: it appears only on a terminal, never decreases, and is erased at the end.

  progress_test.py BUILD/dccvp
"""

import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile
import unittest

from harness import PATIENCE

DCCVP = ""
CONFIG = pathlib.Path(__file__).resolve().parents[2] / "configs" / "incast_8x25g.yaml"
LINE = re.compile(r"\r([0-9.]+) (us|ms) of 30\.00 ms +(\d+) % +([0-9.]+ ?[kMG]?)/s +ETA (\S+)")


class LiveLine(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="dccvp-progress-")
        self.addCleanup(folder.cleanup)
        self.command = [DCCVP, "run", str(CONFIG), "--no-plots", "--out", folder.name + "/out",
                        "-c", "duration=30ms", "-c", "measure.from=1ms", "-c", "measure.to=29ms",
                        "-c", "expect=[]"]

    def on_terminal(self, *options):
        ours, theirs = pty.openpty()
        with subprocess.Popen([*self.command, *options], stdout=subprocess.DEVNULL, stderr=theirs,
                              stdin=subprocess.DEVNULL) as run:
            os.close(theirs)
            written = b""
            while True:
                try:
                    data = os.read(ours, 4096)
                except OSError:  # the program has closed its end of the terminal
                    break
                if not data:
                    break
                written += data
            self.assertEqual(run.wait(timeout=PATIENCE), 0)
        os.close(ours)
        return written.decode()

    def test_terminal_sees_time_percent_speed_and_time_left(self):
        text = self.on_terminal()
        seen = LINE.findall(text)
        self.assertTrue(seen, text)
        times = [float(number) * {"us": 1, "ms": 1000}[unit] for number, unit, *_ in seen]
        self.assertEqual(times, sorted(times))
        for time, (_, _, percent, *_) in zip(times, seen):
            self.assertLessEqual(abs(time / 300 - int(percent)), 1.0)
        self.assertTrue(any(float(speed.rstrip("kMG ")) > 0 for _, _, _, speed, _ in seen))
        # The last characters that the run writes to the terminal erase the progress line.
        self.assertRegex(text, r"\r +\r[^\r]*$")

    def test_quiet_means_quiet(self):
        self.assertEqual(self.on_terminal("--quiet"), "")

    def test_nobody_else_sees_it(self):
        done = subprocess.run(self.command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, timeout=PATIENCE, check=True)
        self.assertNotIn(b"ETA", done.stderr)


if __name__ == "__main__":
    DCCVP = os.path.abspath(sys.argv.pop(1))
    unittest.main()
