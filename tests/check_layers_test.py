#!/usr/bin/env python3
"""Tests that check_layers.py reports includes of higher folders, and no other includes."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECK = Path(__file__).resolve().parent / "check_layers.py"
ORDER = """
models/core/low
models/core/narrow @ models/core/none
models/core/high   # a comment
vp/one vp/two
models/schemes/* @ models/core/*
models/schemes/a > models/schemes/b
"""


class CheckLayers(unittest.TestCase):
    def found(self, file, include):
        """Lines that check_layers.py prints for a tree with one file and one include."""
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            subprocess.run(["git", "init", "-q", folder], check=True)
            for path in ("models/core/low/low.h", "models/core/high/high.h", "models/schemes/a/a.h",
                         "models/schemes/b/b.h", "vp/one/one.h", "vp/two/two.h"):
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text("")
            (root / "tests").mkdir()
            (root / "tests/layers.txt").write_text(ORDER)
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            (root / file).write_text(f'// A file.\n#include "{include}"\n')
            done = subprocess.run([sys.executable, "-B", CHECK, folder], capture_output=True, text=True)
            self.assertEqual(done.returncode, 1 if done.stdout else 0, done.stderr)
            return done.stdout.splitlines()

    def test_up_is_refused_with_its_place(self):
        self.assertEqual(self.found("models/core/low/new.h", "high/high.h"),
                         ["models/core/low/new.h:2: may not include high/high.h (tests/layers.txt)"])
        self.assertEqual(len(self.found("models/core/high/new.h", "schemes/a/a.h")), 1)

    def test_down_and_within_is_allowed(self):
        self.assertEqual(self.found("models/core/high/new.h", "low/low.h"), [])
        self.assertEqual(self.found("models/core/high/new.h", "high/high.h"), [])
        self.assertEqual(self.found("models/schemes/b/new.h", "high/high.h"), [])

    def test_a_header_that_the_build_makes_belongs_to_the_folder_of_its_name(self):
        self.assertEqual(len(self.found("models/core/low/new.h", "high/generated/map.h")), 1)
        self.assertEqual(self.found("models/core/high/new.h", "low/generated/map.h"), [])

    def test_folders_on_one_line_may_include_each_other(self):
        self.assertEqual(self.found("vp/one/new.h", "two/two.h"), [])
        self.assertEqual(self.found("vp/two/new.h", "one/one.h"), [])

    def test_schemes_know_each_other_only_where_that_is_listed(self):
        self.assertEqual(len(self.found("models/schemes/b/new.h", "schemes/a/a.h")), 1)
        self.assertEqual(self.found("models/schemes/a/new.h", "schemes/b/b.h"), [])

    def test_a_narrowed_folder_may_not_include_all_below(self):
        self.assertEqual(len(self.found("models/core/narrow/new.h", "low/low.h")), 1)
        self.assertEqual(len(self.found("models/schemes/a/new.h", "one/one.h")), 1)

    def test_nothing_below_knows_a_scheme(self):
        self.assertEqual(len(self.found("vp/one/new.h", "schemes/a/a.h")), 1)


if __name__ == "__main__":
    unittest.main()
