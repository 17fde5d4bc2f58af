#!/usr/bin/python3
"""Tests that the tools run with Debian's Python and packages, whichever Python the caller's shell selects.

  tools_test.py DCCVP
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from harness import PATIENCE, SMALL_INCAST

DCCVP = ""

SWEEP = """platform: incast.yaml
grid: {seed: [1, 2]}
metrics: {goodput: aggregate.goodput_gbps}
best: {goodput: max}
"""
STUDY = """platform: incast.yaml
seeds: 1
variants: {as_is: {}}
cases: {two: {}}
limits: {utilisation_min: 0.1}
"""


class CallersPythonTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        (self.folder / "incast.yaml").write_text(SMALL_INCAST)
        (self.folder / "sweep.yaml").write_text(SWEEP)
        (self.folder / "two.study.yml").write_text(STUDY)

    def virtual_environment(self):
        """Creates and activates a virtual environment without packages."""
        home = self.folder / "venv"
        (home / "bin").mkdir(parents=True)
        (home / "bin/python3").symlink_to("/usr/bin/python3")
        (home / "pyvenv.cfg").write_text("home = /usr/bin\ninclude-system-site-packages = false\n")
        return {**os.environ, "VIRTUAL_ENV": str(home), "PATH": f"{home}/bin:{os.environ['PATH']}"}

    def tried(self, environment, *arguments):
        done = subprocess.run([DCCVP, *arguments], cwd=self.folder, env=environment, text=True,
                              capture_output=True, timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_an_active_virtual_environment(self):
        environment = self.virtual_environment()
        probe = subprocess.run(["python3", "-c", "import yaml"], env=environment, capture_output=True,
                               check=False)
        self.assertNotEqual(probe.returncode, 0, "the environment of this test has PyYAML")
        self.assertIn("2 of 2 points ok", self.tried(environment, "sweep", "sweep.yaml"))
        self.assertIn("| two | as_is |", self.tried(environment, "study", "two.study.yml", "--out", "study"))
        self.assertTrue(list((self.folder / "study").glob("*.png")))
        said = self.tried(environment, "run", "incast.yaml", "-c", "output.plots=true",
                          "--out", "run")
        self.assertNotIn("no pictures", said)
        self.assertTrue(list((self.folder / "run").glob("*.png")))

    def test_where_proc_is_not_mounted(self):
        self.tried(dict(os.environ), "run", "incast.yaml", "--no-plots", "--out", "run")
        bare = ["unshare", "-rm", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"]
        if subprocess.run([*bare, "true"], check=False, capture_output=True).returncode:
            self.skipTest("no mount namespaces here")
        done = subprocess.run([*bare, DCCVP, "report", "run"], cwd=self.folder, text=True,
                              capture_output=True, timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertTrue((self.folder / "run/report.html").exists())

    def test_modules_of_the_callers_path(self):
        foreign = self.folder / "foreign"
        foreign.mkdir()
        (foreign / "yaml.py").write_text("raise ImportError('somebody else\\'s')\n")
        environment = {**os.environ, "PYTHONPATH": str(foreign), "PYTHONHOME": "/nowhere"}
        self.assertIn("2 of 2 points ok", self.tried(environment, "sweep", "sweep.yaml"))


if __name__ == "__main__":
    DCCVP = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
