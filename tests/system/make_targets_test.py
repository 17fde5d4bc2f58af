#!/usr/bin/python3
"""Tests that `make firmware` and `make rtl` install and build only what they need.

  make_targets_test.py DCCVP
"""

import os
import pathlib
import re
import subprocess
import unittest

from harness import PATIENCE

ROOT = pathlib.Path(__file__).resolve().parents[2]
NEEDED = {
    "firmware": {"gcc-riscv64-unknown-elf", "picolibc-riscv64-unknown-elf",
                 "gdb-multiarch"},
    "rtl": {"verilator"},
}


def packages(name):
    done = subprocess.run([ROOT / "cmake/install_packages.sh", name, "--list"], check=True,
                          stdout=subprocess.PIPE, text=True, timeout=PATIENCE)
    return set(done.stdout.split())


def commands(target):
    """The commands that `make TARGET` would run."""
    environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL")}
    done = subprocess.run(["make", "-n", target, "BUILD=/nonexistent"], cwd=ROOT, check=True,
                          env=environment, stdout=subprocess.PIPE, text=True, timeout=PATIENCE)
    return done.stdout


class MakeTargetsTest(unittest.TestCase):
    def test_packages(self):
        program = packages("run") - {"python3-matplotlib"}
        for name, needed in NEEDED.items():
            self.assertEqual(packages(name), program | needed)
            self.assertLess(packages(name), packages("test"))

    def test_what_is_installed_configured_and_built(self):
        for name in NEEDED:
            text = commands(name)
            self.assertEqual(re.findall(r"install_packages\.sh (\w+)", text), [name])
            self.assertIn("-DDCCVP_TESTS=OFF", text)
            self.assertIn(f"-DDCCVP_{name.upper()}=ON", text)
            built = re.search(r"ninja -C \S+ -j \d+ (.*)", text)[1]
            self.assertEqual(built, "dccvp firmware" if name == "firmware" else "dccvp")

    def test_run_leaves_schemes_out_and_program_adds_them(self):
        run = commands("run")
        self.assertIn("-DDCCVP_UNITY=40 -DDCCVP_SCHEMES=dcqcn", run)
        self.assertNotIn("-DDCCVP_SCHEMES=ON", run)
        self.assertIn("'make program' adds all others", run)
        program = commands("program")
        self.assertEqual(re.findall(r"install_packages\.sh (\w+)", program), ["run"])
        self.assertIn("-DDCCVP_SCHEMES=ON", program)
        # Pages that use schemes must name the make target that builds them.
        for page in ("README.md", "docs/quick-start.md", "docs/tutorial-architect.md"):
            self.assertIn("make program", (ROOT / page).read_text(), page)

    def test_the_tutorials_begin_with_them(self):
        for name in NEEDED:
            page = (ROOT / f"docs/tutorial-{name}.md").read_text()
            self.assertEqual(re.search(r"^make .*$", page, re.M)[0], f"make {name}")


if __name__ == "__main__":
    unittest.main(argv=["make_targets_test.py"])
