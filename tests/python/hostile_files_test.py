"""Hostile files of sweeps, studies and experiments. Each is refused with one line that begins with the place of the
error; none causes an exception or an endless run."""

import contextlib
import io
import pathlib
import tempfile
import time
import typing
import sys
import unittest

import package  # noqa: F401  # finds dccvp

from dccvp.common.ending import ended
from dccvp.experiments import figures, reproduce_plan, study_plan, sweep_plan

SWEEP = "platform: p.yaml\nmetrics: {m: a}\n"
STUDY = "platform: p.yaml\nvariants: {v: {}}\n"
FIGURE = "runs: [{run: r, figures: [{figure: f, value: a}]}]\n"
BOMB = "bomb: [" + ", ".join(
    [f"&a{i} [" + ", ".join([f"*a{i - 1}" if i else "1"] * 9) + "]" for i in range(12)]) + "]\n"
MANY = 999_999_999_999
READERS: dict[str, typing.Callable] = {
    "s.yaml": sweep_plan.read, "s.study.yml": study_plan.read, "s.figures.yml": reproduce_plan.read}

# Each row: file name, contents, place and words of the expected error.
REFUSED = (
    ("s.yaml", "one\n\n two\n", ":1:1: a sweep is a map, not 'one\\ntwo'"),
    ("s.yaml", "\"\\x1b[2J\": 1\n", ":1:1: unknown key '\\u001b[2J'"),
    ("s.yaml", SWEEP + "seeds: " + "k" * 5000 + "\n", "kkk ..."),
    ("s.yaml", SWEEP + "seeds: \u00b2\n", ":3:8: seeds are written 1..20"),
    ("s.yaml", SWEEP + "seeds: 1.." + "9" * 5000 + "\n", ":3:8: seeds are written 1..20"),
    ("s.yaml", SWEEP + "sample: {points: \u0663, axes: {a: [1]}}\n", ":3:18: 'points' is a whole number"),
    ("s.yaml", SWEEP + "grid: {a: {from: 1/00, to: 2, steps: 2}}\n", ":3:18: '1/00' is no quantity"),
    ("s.yaml", SWEEP + "grid: {a: {from: 0, to: " + "9" * 5000 + ", steps: 2}}\n", ":3:25: '999"),
    ("s.yaml", SWEEP + "grid: {a: [\"x\\0y\"]}\n", ":3:12: a character that no text has"),
    ("s.yaml", SWEEP + "grid: {\"\\ud800\": [1]}\n", ":3:8: a character that no text has"),
    ("s.yaml", SWEEP + BOMB, "more than 1000000 values"),
    ("s.yaml", SWEEP + "grid: " + "[" * 20_000 + "\n", "nested deeper than 32"),
    ("s.yaml", "platform: " + "p" * 5000 + "\nmetrics: {m: a}\n", ":1:11: 'ppp"),
    ("s.figures.yml", "config: " + "p" * 5000 + "\n" + FIGURE, ":1:9: 'ppp"),
    ("s.yaml", SWEEP + "grid: {a: \"\\UFFFFFFFF\"}\n", "not valid YAML: "),
    ("s.study.yml", STUDY + "cases: {c: {set: {a: 2001-99-99}}}\n", ":3:22: not plain YAML: "),
    ("s.study.yml", STUDY + f"cases: {{c: {{flows: {{1: {MANY}}}}}}}\n", ":3:20: cases.c: more than 65535 flows"),
    ("s.study.yml", STUDY + "cases: {c: {flows: {1: 2, 1.0: 3}}}\n", ":3:20: cases.c: a weight is there twice"),
    ("s.study.yml", STUDY + "cases: {c: {}}\nlimits: {share: 1}\n",
     ":4:10: limits: unknown limit 'share' (known: share_error_p95, share_rms_max, class_error_max, "
     "pfc_pauses_max, utilisation_min, drain_ms_max, "
     "tenant_error_max, message_gain_min, use_least_min, windows_every_min, windows_rms_min, "
     "slowdown_ratio_max, size_ratio_max, unfinished_max)"),
)


class HostileFiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="dccvp-hostile-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "p.yaml").write_text("duration: 1ms\n")
        (self.folder / "s.yaml").write_text("duration: 1ms\n")

    def refused(self, name, text):
        """The error message after the path of the file."""
        path = self.folder / name
        path.write_text(text)
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            status = ended(lambda: READERS[name](path) and 0)
        self.assertEqual(status, 2, said.getvalue()[-300:])
        line = said.getvalue()
        self.assertEqual(line.count("\n"), 1, line)
        self.assertLess(len(line), 700)
        before, found, behind = line.partition(str(path))
        self.assertEqual((before, found), ("dccvp: ", str(path)), line)
        return behind

    def test_each_is_refused_at_its_place(self):
        for name, text, words in REFUSED:
            with self.subTest(text=text[:80]):
                began = time.monotonic()
                self.assertIn(words, self.refused(name, text))
                # The tool counts the expansion of the YAML bomb up to a limit, which takes two seconds. A full
                # expansion would take centuries.
                self.assertLess(time.monotonic() - began, 300)

    def test_a_platform_of_another_shape_is_told_apart(self):
        (self.folder / "p.yaml").write_text("\ntopology: [1]\n")
        path = self.folder / "s.study.yml"
        path.write_text(STUDY + "cases: {c: {flows: {1: 2}}}\n")
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            status = ended(lambda: study_plan.read(path) and 0)
        self.assertEqual((status, said.getvalue()),
                         (2, f"dccvp: {self.folder}/p.yaml:2:1: 'topology' is not a section\n"))

    def test_an_index_is_written_in_digits(self):
        for step in ("\u00b2", "\u0663", "9" * 5000):
            with self.assertRaises(figures.Missing):
                figures.follow([1, 2], step)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
