"""Common part of the tests of sweeps: a folder for each test, plans, and calls of the sweep tool."""

import csv
import pathlib
import subprocess
import sys
import tempfile
import unittest

from harness import PATIENCE

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
TOOL = (ROOT / "python/tool.py", "sweep")
DCCVP = ""

SETTINGS = "set: {duration: 200us, measure: {from: 0us, to: 200us}, output.series.flows: none}\n"
HEAD = f"platform: {ROOT}/configs/incast_8x25g.yaml\n" + SETTINGS
METRICS = "metrics: {goodput: aggregate.goodput_gbps, queue: max(queues.*.max_bytes)}\n"
# A sweep grid of 24 points: 3 x 2 x 2 x 2.
GRID = """grid:
  switch.ecn.kmin: [5KB, 20KB, 100KB]
  switch.ecn.kmax: [200KB, 400KB]
  nic.congestion_control.algorithm: [dcqcn, dcc]
seeds: 1..2
"""
# A wrapper around dccvp. While a file `hold` exists, runs that begin after the ninth run block.
HOLDING = """\
#!/bin/sh
cd "{folder}"
if [ "$1" = run ] && [ -e hold ] && [ "$(ls killed/done | wc -l)" -ge 9 ]; then
  exec "{dccvp}" "$@" -c duration=1000s -c output.series.interval=1s \\
    -c "output.trace={{perfetto: true, to: 1us}}"
fi
exec "{dccvp}" "$@"
"""
VIEWS = """best: {goodput: max, queue: min}
heatmaps: [{metric: queue, x: switch.ecn.kmin, y: switch.ecn.kmax,
            by: nic.congestion_control.algorithm}]
pareto: [{x: queue, y: goodput}]
"""


class Sweeps(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="dccvp-sweep-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, text, name="s.yaml"):
        (self.folder / name).write_text(text)
        return name

    def sweep(self, *arguments, code=0, program=()):
        done = subprocess.run([*(program or (DCCVP, "sweep")), *arguments], cwd=self.folder,
                              capture_output=True, text=True, timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done

    def table(self, out):
        with open(self.folder / out / "table.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))


def main():
    """Runs the tests of the calling script: SCRIPT BUILD/dccvp."""
    global DCCVP
    DCCVP = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main(module="__main__", verbosity=2)
