#!/usr/bin/python3
"""Tests that `params`, `check` and `run` agree on the ranges of parameters. Every scalar parameter is set to either
end of its stated range, and every value that check accepts must run. Without --full every fifth case is tried. Since
the step is odd, lower and upper ends alternate."""
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from harness import PATIENCE

DCCVP = pathlib.Path(sys.argv[1]).resolve()
SMALL = """\
duration: 20us
topology: {kind: star, hosts: 3}
host: {driver: none}
traffic: [{kind: incast, senders: [1, 2], receiver: 0, bytes: 20KB}]
output: {plots: false}
"""
SINGLE = {"time", "rate", "size", "frequency", "ratio", "integer"}
# Excluded parameters: a network of the maximum size takes minutes to build, and not every build has firmware and RTL.
LEFT_OUT = re.compile(r"topology\.(?!\w*link)\w+$|host\.(clock|cpi|quantum|gdb)$")


def dccvp(*arguments):
    return subprocess.run([DCCVP, *arguments], capture_output=True, text=True, timeout=PATIENCE,
                          check=False)


def settings(row):
    """The options -c with which the parameter applies."""
    section = row["path"].rpartition(".")[0]
    conditions = re.findall(r"(\w+): (\w+)", row["condition"])
    return [f"{section}.{key}={value}" for key, value in conditions]


def cases():
    rows = json.loads(dccvp("params", "--format", "json").stdout)
    for row in rows:
        if row["type"] not in SINGLE or ".N." in row["path"] or LEFT_OUT.match(row["path"]):
            continue
        found = re.fullmatch(r"(?:\w+ \| )?(\S+) … (\S+)", row["range"])
        for bound in found.groups() if found else ():
            yield [*settings(row), f"{row['path']}={bound}"]


def disagreement(overrides, folder, number):
    """Returns a sentence if `check` accepts a configuration that does not run, or an empty text."""
    arguments = [a for text in overrides for a in ("-c", text)]
    config = folder / "small.yaml"
    done = dccvp("run", config, *arguments, "--quiet", "--out", folder / str(number))
    if done.returncode == 0:
        return ""
    checked = dccvp("check", config, *arguments)
    if done.returncode == 2 and checked.returncode == 2:
        return ""
    return f"{overrides}: check {checked.returncode}, run {done.returncode}: {done.stderr}"


class Ranges(unittest.TestCase):
    maxDiff = None

    def test_what_check_accepts_runs(self):
        with tempfile.TemporaryDirectory(prefix="dccvp-ranges-") as name:
            folder = pathlib.Path(name)
            (folder / "small.yaml").write_text(SMALL, encoding="utf-8")
            all_cases = list(cases())
            self.assertGreater(len(all_cases), 150)
            if "--full" not in sys.argv:
                all_cases = all_cases[::10]
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                found = pool.map(lambda c: disagreement(c[1], folder, c[0]), enumerate(all_cases))
                self.assertEqual([text for text in found if text], [])

    def test_just_beyond_is_refused_with_the_stated_range(self):
        rows = {(row["path"], row["condition"]): row
                for row in json.loads(dccvp("params", "--format", "json").stdout)}
        for path, value in (("switch.ecn.kmax", "2GiB"), ("nic.controller.latency", "256")):
            with tempfile.TemporaryDirectory() as folder:
                for command in (("check",), ("run", "--out", f"{folder}/out")):
                    config = pathlib.Path(folder) / "small.yaml"
                    config.write_text(SMALL, encoding="utf-8")
                    done = dccvp(command[0], config, *command[1:], "-c", f"{path}={value}")
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertIn(f"out of range ({rows[path, '']['range']})", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
