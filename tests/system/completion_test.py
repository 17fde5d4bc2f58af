#!/usr/bin/python3
"""Tests command-line completion in a real bash, and the help text from which the completion is derived.

  completion_test.py BUILD/dccvp
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from harness import PATIENCE

ROOT = pathlib.Path(__file__).resolve().parents[2]
DCCVP = ""


def dccvp(*arguments):
    return subprocess.run([DCCVP, *arguments], capture_output=True, text=True, timeout=PATIENCE,
                          check=False)


def commands():
    """Names of the subcommands, taken from the program's help."""
    text = dccvp("--help").stdout
    return re.findall(r"^  ([a-z][a-z-]+) ", text.split("Subcommands:")[1].split("Examples:")[0], re.M)


class Completion(unittest.TestCase):
    def complete(self, *words):
        """The completions that bash offers with the cursor after the last word."""
        # As in an interactive shell, '=' is a word of its own in bash's list of words.
        split = [part for word in words for part in re.split(r"(?<=.)(=)", word)]
        if len(split) > 1 and words[-1].endswith("="):
            split = split[:-1]
        script = (f"source <('{DCCVP}' completion bash)\n"
                  "COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1))\n"
                  "_dccvp 2>/dev/null\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n")
        done = subprocess.run(["bash", "-c", script, "bash", DCCVP, *split], cwd=self.folder,
                              capture_output=True, text=True, timeout=PATIENCE, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return set(done.stdout.split())

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="dccvp-completion-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        for name in ("net.yaml", "notes.txt", "prog.elf"):
            (self.folder / name).write_text("")
        (self.folder / "runs").mkdir()

    def test_commands_and_options(self):
        self.assertEqual(self.complete(""), set(commands()) | {"--help", "--version"})
        self.assertEqual(self.complete("par"), {"params"})
        self.assertEqual(self.complete("run", "--se"), {"--seed"})
        for command in commands():
            offered = self.complete(command, "-")
            options = dccvp(command, "--help").stdout.split("Examples:")[0]
            told = set(re.findall(r"^  .*?(--[a-z-]+)", options, re.M))
            self.assertEqual({o for o in offered if o.startswith("--")}, told, command)

    def test_values(self):
        self.assertEqual(self.complete("run", ""), {"net.yaml", "runs"})
        self.assertEqual(self.complete("run", "net.yaml", "--out", ""), {"runs"})
        self.assertEqual(self.complete("run", "--out="), {"runs"})
        self.assertEqual(self.complete("run", "net.yaml", "--seed", ""), set())
        self.assertEqual(self.complete("report", ""), {"runs"})
        self.assertEqual(self.complete("run-elf", "p"), {"prog.elf"})
        self.assertEqual(self.complete("params", "--format", "j"), {"json"})
        self.assertEqual(self.complete("completion", ""), {"bash", "zsh"})
        self.assertEqual(self.complete("run", "net.yaml", "-c", "switch.ecn.km"),
                         {"switch.ecn.kmin=", "switch.ecn.kmax="})
        self.assertIn("star_dcqcn", self.complete("reproduce", "star_d"))

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh_reads_it(self):
        done = subprocess.run(["zsh", "-f", "-c", f"source <('{DCCVP}' completion zsh)"],
                              capture_output=True, text=True, timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)


class Help(unittest.TestCase):
    def test_every_command_has_examples_in_80_columns(self):
        for command in commands():
            with self.subTest(command=command):
                done = dccvp(command, "--help")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)
                self.assertNotIn("\033", done.stdout)
                if "not in this build" in done.stdout:
                    continue
                examples = done.stdout.split("Examples:\n")[1]
                self.assertRegex(examples, rf"(?m)^  .*dccvp {command}\b")

    def test_colour_only_for_a_terminal_that_wants_it(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "x.yaml").write_text(
                "duration: 100us\nhost: {driver: none}\ntraffic: [{kind: flow, from: 1, to: 0}]\n"
                "expect: [{metric: aggregate.goodput_gbps, min: 1000}]\n")
            command = f"{DCCVP} run x.yaml --no-plots --force"
            for variable, coloured in (("", True), ("1", False)):
                done = subprocess.run(["script", "-qec", command, "/dev/null"], cwd=folder,
                                      env={**os.environ, "NO_COLOR": variable, "TERM": "xterm"},
                                      stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                      timeout=PATIENCE, check=False)
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertEqual("\033[" in done.stdout.replace("\033[K", ""), coloured, done.stdout)


if __name__ == "__main__":
    DCCVP = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
