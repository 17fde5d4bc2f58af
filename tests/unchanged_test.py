#!/usr/bin/env python3
"""Tests that unchanged.py runs a check after a change of its inputs or tools, and only then."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent / "unchanged.py"


class Unchanged(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        subprocess.run(["git", "init", "-q", self.root], check=True)
        for path in ("tests", "code", "bin"):
            (self.root / path).mkdir()
        shutil.copy(SCRIPT, self.root / "tests")
        (self.root / "tests/evidence.json").write_text("{}")
        (self.root / "code/a.cpp").write_text("int a;  // one\n")
        (self.root / "code/list.txt").write_text("one\n")
        self.tool("1.0")
        subprocess.run(["git", "add", "code"], cwd=self.root, check=True)

    def tool(self, shown):
        tool = self.root / "bin/compiler"
        tool.write_text(f"#!/bin/sh\necho {shown}\necho built on some day\n")
        tool.chmod(0o755)

    def check(self, *command, mode="", inputs=("code", "tool:compiler")):
        """Runs a check and returns its exit status, and whether the command ran."""
        ran = self.root / "ran"
        ran.unlink(missing_ok=True)
        environment = {**os.environ, "DCC_EVIDENCE": mode, "PATH": f"{self.root}/bin:{os.environ['PATH']}"}
        done = subprocess.run(
            [sys.executable, "-B", self.root / "tests/unchanged.py", "some_check", *inputs, "--",
             *(command or ("touch", str(ran)))], capture_output=True, text=True, env=environment)
        return done.returncode, ran.exists()

    def test_a_check_that_passed_is_skipped_until_an_input_changes(self):
        self.assertEqual(self.check(), (0, True))  # a pass counts only when it is recorded
        self.assertEqual(self.check(mode="record"), (0, True))
        self.assertEqual(self.check(), (77, False))
        self.assertEqual(self.check(mode="always"), (0, True))
        (self.root / "code/a.cpp").write_text("int  a; // another comment\n")
        self.assertEqual(self.check(), (77, False))
        (self.root / "code/a.cpp").write_text("int b;\n")
        self.assertEqual(self.check(), (0, True))

    def test_text_without_comments_counts_as_a_whole(self):
        self.check(mode="record")
        (self.root / "code/list.txt").write_text("one \n")
        self.assertEqual(self.check(), (0, True))

    def test_a_file_more_or_less_counts_before_git_knows_it(self):
        self.check(mode="record")
        (self.root / "code/b.cpp").write_text("")
        self.assertEqual(self.check(), (0, True))
        self.check(mode="record")
        subprocess.run(["git", "add", "code"], cwd=self.root, check=True)
        self.assertEqual(self.check(), (77, False))
        (self.root / "code/b.cpp").unlink()
        self.assertEqual(self.check(), (0, True))

    def test_a_register_map_counts_for_those_who_include_what_is_made_from_it(self):
        (self.root / "rtl/regs").mkdir(parents=True)
        (self.root / "python/dccvp/regtool").mkdir(parents=True)
        register_map, tool = self.root / "rtl/regs/toy.yaml", self.root / "python/dccvp/regtool/out_c.py"
        for file in (register_map, tool, self.root / "rtl/regs/schema.json"):
            file.write_text("one\n")
        for include, counts in (("driver/toy.c", False), ("driver/toy_regs.h", True), ("driver/toy.h", True),
                                ("registers/generated/toy_map.h", True), ("registers/toy.h", False)):
            (self.root / "code/a.cpp").write_text(f'int a;\n#include "{include}"\n')
            for source in (register_map, tool):
                with self.subTest(include=include, source=source.name):
                    self.check(mode="record")
                    self.assertEqual(self.check(), (77, False))
                    source.write_text(source.read_text() + "more\n")
                    self.assertEqual(self.check(), (0, True) if counts else (77, False))

    def test_another_version_of_a_tool_counts(self):
        self.check(mode="record")
        self.assertEqual(self.check(), (77, False))
        self.tool("1.1")
        self.assertEqual(self.check(), (0, True))
        (self.root / "bin/compiler").unlink()
        self.assertEqual(self.check(), (0, True))

    def test_a_failure_is_returned_and_not_recorded(self):
        self.assertEqual(self.check("false", mode="record"), (1, False))
        self.assertEqual(self.check("false"), (1, False))

    def test_inputs_without_files_and_unknown_modes_are_errors(self):
        self.assertEqual(self.check(inputs=("nothing",)), (1, False))
        self.assertEqual(self.check(mode="never"), (1, False))


if __name__ == "__main__":
    unittest.main()
